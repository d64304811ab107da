"""Renders chat templates with Jinja2 as transformers does, for the Go program.

Reads lines of JSON from standard input and answers each with one line:
  {"load": source}                     -> {"ok": true} or {"error": text}
  {"context": {...}}                   -> {"text": output} or {"error": text}
  {"run": n}                           -> {"ns": CPU time of one render}
"""

import gc
import json
import sys
import time

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = lambda form: "01 Dec 2026"

template = context = None
for line in sys.stdin:
    question = json.loads(line)
    answer = {"ok": True}
    try:
        if "load" in question:
            template = environment.from_string(question["load"])
        elif "context" in question:
            context = question["context"]
            answer = {"text": template.render(**context)}
        else:
            n = question["run"]
            gc.collect()
            for _ in range(max(1, n // 4)):
                template.render(**context)
            start = time.process_time_ns()
            for _ in range(n):
                template.render(**context)
            answer = {"ns": (time.process_time_ns() - start) / n}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
