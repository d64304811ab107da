"""Writes the tables beside this file: what Python 3.11 answers for operators,
printf formats, slices and repr. Each line is an expression, a tab, and the
repr of its value or "!Type: message".

Run it in this folder: python3 generate.py
"""
import itertools
import random

NUMBERS = ["0", "1", "-1", "2", "-7", "10", "True", "False", "9223372036854775807", "-9223372036854775808",
           "9007199254740993", "123456789012345678901234567890", "-36893488147419103232",
           "0.0", "-0.0", "0.5", "-2.5", "3.0", "7.25", "1e16", "1e-05", "1.7976931348623157e+308", "5e-324",
           "0.1", "1e308", "9007199254740992.0", "inf", "-inf", "nan"]
OTHERS = ["None", "'ab'", "''", "'é🤗'", "[1, 'x']", "[]", "(1, 2)", "()", "{'a': 1}"]
NAMES = {"inf": float("inf"), "nan": float("nan")}


def binary(a, op, b):
    """The line of one operator; -1 ** 2 means (-1) ** 2."""
    names = {"a": eval(a, dict(NAMES)), "b": eval(b, dict(NAMES))}
    try:
        return "%s %s %s\t%r\n" % (a, op, b, eval("a " + op + " b", {"__builtins__": {}}, names))
    except Exception as e:
        return "%s %s %s\t!%s: %s\n" % (a, op, b, type(e).__name__, e)


def answer(expr):
    try:
        return repr(eval(expr, {"__builtins__": {}}, dict(NAMES)))
    except Exception as e:
        return "!%s: %s" % (type(e).__name__, e)


def write(name, exprs):
    with open(name, "w", encoding="utf-8") as f:
        for e in exprs:
            f.write(e if e.endswith("\n") else e + "\t" + answer(e) + "\n")


def small(op, a, b):
    """Keeps results that take no megabytes, and no powers that never end."""
    try:
        x, y = eval(a, dict(NAMES)), eval(b, dict(NAMES))
    except Exception:
        return True
    if op == "**":
        if isinstance(x, int) and isinstance(y, int):
            return abs(y) < 200 or abs(x) < 2
        if isinstance(x, (int, float)) and isinstance(y, (int, float)) and x < 0 and y != y // 1:
            return False  # complex results are tested by hand
    if op == "*":
        for s, n in ((x, y), (y, x)):
            if hasattr(s, "__len__") and isinstance(n, int) and n > 20:
                return False
    if op == "%" and isinstance(x, str):
        return False  # printf.txt
    return True


random.seed(1)
arith = []
for op in ["+", "-", "*", "/", "//", "%", "**"]:
    for a, b in itertools.product(NUMBERS, NUMBERS):
        # A third of all pairs, and all with the ends of int64.
        if random.random() < 0.34 or "92233720368547758" in a + b:
            if small(op, a, b):
                arith.append(binary(a, op, b))
    for a, b in itertools.product(OTHERS + ["2", "-1", "1.5", "True"], OTHERS + ["2", "1.5", "False"]):
        if (a in OTHERS or b in OTHERS) and small(op, a, b):
            arith.append(binary(a, op, b))
write("arith.txt", arith)

compare = []
for op in ["==", "!=", "<", "<=", ">", ">="]:
    for a, b in itertools.product(NUMBERS, NUMBERS):
        if random.random() < 0.2:
            compare.append(binary(a, op, b))
CONTAINERS = ["None", "'a'", "'b'", "'é'", "''", "1", "1.0", "[]", "[1]", "[1, 2]", "[1, [2, 3]]", "[1, [2, 4]]", "[1, 'a']",
              "(1,)", "(1, 2)", "{}", "{'a': 1}", "{'a': 1.0}", "{'a': [1]}", "{'b': 1}", "{1: 'x'}", "{True: 'x'}"]
for op in ["==", "<", ">=", "in", "not in"]:
    for a, b in itertools.product(CONTAINERS, CONTAINERS):
        compare.append(binary(a, op, b))
write("compare.txt", compare)

slices = []
for v in ["'héllo🤗'", "[1, 2, 3, 4]", "(1, 2, 3)", "''", "[]"]:
    for s in ["::", "1:", ":-1", "1:3", "-2:", "::-1", "::2", "::-2", "3:1", "3:0:-1", "-100:100", "100:-100:-1",
              ":9223372036854775808", "-9223372036854775809:", "True:", "::3", "::-9223372036854775808", "2::9223372036854775807",
              "::0", "'a':", "1.0:", "None:None"]:
        slices.append("%s[%s]" % (v, s))
for v in ["None", "5", "{'a': 1}"]:
    slices.append("%s[0:1]" % v)
write("slice.txt", slices)

formats = []
VALUES = ["0", "42", "-42", "True", "3.99", "-0.5", "1e100", "123456789012345678901234567890", "'x'", "'héé'", "None", "[1, 'a']", "inf", "nan"]
for f in ["%s", "%r", "%a", "%d", "%i", "%u", "%x", "%X", "%o", "%e", "%E", "%f", "%F", "%g", "%G", "%c", "%5s|", "%-5s|", "%.1s", "%8.3f|",
          "%-8.3f|", "%08.3f", "%+d", "% d", "%+.2e", "%#x", "%#o", "%#X", "%05d", "%-5d|", "%05.3d", "%.3d", "%+05d", "% 05d", "%#010x",
          "%.0f", "%#.0f", "%#g", "%.3g", "%.10g", "%010g", "%20.10s|", "%#.3g", "%.0e", "%#.0e", "%5c|", "%05s", "%ld", "%hhd", "%z", "%", "%5",
          "%%", "%5%|", "a%%b%s"]:
    for v in VALUES:
        formats.append("%r %% %s" % (f, v) if not v.startswith("(") else "%r %% %s" % (f, v))
for e in ["'%s %s' % (1, 'b')", "'%s' % (1, 2)", "'%s %s' % 1", "'%s %s' % (1,)", "'x' % 1", "'x' % ()", "'x' % [1]", "'x' % {}", "'x' % 'y'",
          "'%(a)s' % {'a': 1}", "'%(a)s %(b)05.1f' % {'a': 'é', 'b': 2.25}", "'%(a)s' % {}", "'%(a)s' % 1", "'%(a' % {'a': 1}", "'%(a(b)c)s' % {'a(b)c': 7}",
          "'%s' % {'a': 1}", "'%(a)s %s' % {'a': 1}", "'%*d' % (5, 42)", "'%-*d|' % (5, 42)", "'%*d|' % (-5, 42)", "'%.*f' % (2, 1.005)", "'%.*f' % (-2, 1.5)",
          "'%*d' % ('a', 42)", "'%(a)*d' % {'a': 1}", "'%s %d%%' % ('x', 50)", "'%s' % ((1, 2),)", "'%s' % [1, 2]", "'%c%c' % (233, '日')", "'%c' % 1114112", "'%c' % -1",
          "'%c' % 'ab'", "'%.2f' % 2.675", "'%.1f' % 0.25", "'%.3e' % 123456", "'%g' % 1e6", "'%g' % 1e5", "'%g' % 123456789", "'%g' % 0.0001", "'%g' % 0.00001", "'%.50f' % 0.1",
          "'%d' % 1e22", "'%x' % -255", "'%#x' % -255", "'%08x' % -255", "'%#08x' % -255", "'%+x' % 255", "'%r %s' % ('it\\'s', 'q\"')", "'%s' % ''", "'%5.1s|' % 'é'"]:
    formats.append(e)
write("printf.txt", formats)

reprs = []
for s in ["", "a", "it's", 'say "hi"', "both ' and \"", "\n\t\r\\", "\x00\x07\x08\x0b\x0c\x1b\x1f\x7f", "é日🤗", "\xa0\xad\u200b\u2028\u2029\ufeff\u3000", "\u0378\ue000\uffff",
          "\U0001f600\U000e0001\U0010ffff", "a\u0301", "\x85\x9f", "\ufffd", "\u2003", "tab\tnew\nline"]:
    reprs.append(ascii(s))
    reprs.append("[%s]" % ascii(s))
for f in ["0.0", "-0.0", "1.0", "100.0", "0.1", "1e15", "1e16", "123456789012345680.0", "1e22", "1e100", "1e-4", "0.00012345", "1e-5", "5e-324", "1.7976931348623157e+308",
          "0.30000000000000004", "9999999999999998.0", "9007199254740993.0", "123456.789", "1.5e300", "inf", "-inf", "nan"]:
    reprs.append(f)
for v in ["[]", "[[]]", "()", "(1,)", "(1, 2)", "[(1,), (1, 2)]", "{}", "[{}]", "{'a': 1, 'b': [1, 2.0, None, True]}", "{1: 'a', True: 'b', 1.0: 'c'}", "{(1, 2): {}}", "{None: 1, 2.5: 2}",
          "[None, True, False]", "123456789012345678901234567890", "{'k': {'k': {'k': [()]}}}"]:
    reprs.append(v)
write("repr.txt", reprs)

import json

dumps = []
for v in ["None", "True", "42", "123456789012345678901234567890", "1.0", "1e16", "1e-05", "-0.0", "inf", "nan", "'a'", "[]", "{}", "()",
          "(1, 'a')", "[[], {}, [1, {'a': []}]]", "{'b': 1, 'a': [1.5, None], 'C': {'x': True}}", "{1: 2, None: 3, True: 4, 1.5: 5, 1e16: 6}",
          "{(1, 2): 3}", "{'k': {(1,): 2}}", "{1: 'a', 'b': 2}", "{2: 'a', 10: 'b', 1.5: 'c'}",
          "'\\u2028\\x00\\x1f\\x7f/\"\\\\\\n\\r\\t\\x08\\x0c'", "'<a href=\\'x\\'>&'", "'é日🤗'", "{'é': 'ü'}"]:
    for o in ["", "ensure_ascii=False", "indent=2", "indent='\\t', sort_keys=True", "sort_keys=True", "separators=(',', ':')", "indent=0"]:
        try:
            out = repr(json.dumps(eval(v, dict(NAMES)), **eval("dict(%s)" % o)))
        except Exception as e:
            out = "!%s: %s" % (type(e).__name__, e)
        dumps.append("%s\t%s\t%s" % (v, o, out))
with open("json.txt", "w", encoding="utf-8") as f:
    f.write("\n".join(dumps) + "\n")
