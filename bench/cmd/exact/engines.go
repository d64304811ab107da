package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ardanlabs/jinja"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nikolalohinski/gonja/v2"
	gonjaconfig "github.com/nikolalohinski/gonja/v2/config"
	gonjaexec "github.com/nikolalohinski/gonja/v2/exec"
	gonjaloaders "github.com/nikolalohinski/gonja/v2/loaders"
	"github.com/pcc-lang/pcc/chat"
)

// engine is one way from a template's source to a renderer, and from the bytes of
// a request to the prompt.
type engine struct {
	name    string
	compile func(source string) (renderer, error)
}

type renderer func(request []byte) (string, error)

// engines returns the contestants. PCC is the first: the ratios refer to it.
//
// Each is set up as transformers sets up Jinja2 as far as it can be: with
// trim_blocks and lstrip_blocks, raise_exception, and the clock of the rows. A
// request is decoded with json.Number, so that 3 stays an integer.
func engines() []engine {
	return []engine{
		{"PCC", compilePCC},
		{"ardanlabs/jinja, map[string]any", ardan(mapValues)},
		{"ardanlabs/jinja, ordered values", ardan(orderedValues)},
		{"gonja v2, map[string]any", compileGonja},
	}
}

// clock is the time at which the rows were made.
func clock() time.Time { return time.Date(2026, 3, 9, 14, 5, 7, 0, time.UTC) }

func compilePCC(source string) (renderer, error) {
	t, err := chat.New(source, chat.Config{}, chat.WithClock(clock))
	if err != nil {
		return nil, err
	}
	return func(request []byte) (string, error) {
		res, err := t.Apply(context.Background(), request)
		if err != nil {
			return "", err
		}
		return res.Prompt, nil
	}, nil
}

// ardan renders with ardanlabs/jinja; its own strftime_now reads the clock of the
// machine, so that it is given another.
func ardan(decode func([]byte) (map[string]jinja.Value, error)) func(string) (renderer, error) {
	strftime := jinja.NewCallable("strftime_now", func(args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		if len(args) != 1 || !args[0].IsString() {
			return jinja.Undefined(), errors.New("strftime_now takes a format")
		}
		return jinja.NewString(strftimeNow(args[0].AsString())), nil
	})
	return func(source string) (renderer, error) {
		t, err := jinja.Compile(source)
		if err != nil {
			return nil, err
		}
		return func(request []byte) (string, error) {
			data, err := decode(request)
			if err != nil {
				return "", err
			}
			data["strftime_now"] = strftime
			return t.RenderValues(data)
		}, nil
	}
}

// mapValues decodes as callers of Template.Render do, which makes the same values
// of a map.
func mapValues(request []byte) (map[string]jinja.Value, error) {
	m, err := decodeMap(request)
	if err != nil {
		return nil, err
	}
	data := make(map[string]jinja.Value, len(m)+1)
	for k, v := range m {
		data[k] = jinja.FromGoValue(v)
	}
	return data, nil
}

// orderedValues decodes into the engine's own values, which keep the order of keys.
func orderedValues(request []byte) (map[string]jinja.Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(request))
	v, err := decodeOrdered(d)
	if err != nil {
		return nil, err
	}
	if !v.IsDict() {
		return nil, errors.New("the request is no object")
	}
	dict := v.AsDict()
	data := make(map[string]jinja.Value, dict.Len()+1)
	for _, k := range dict.Keys {
		data[k], _ = dict.Get(k)
	}
	return data, nil
}

// decodeOrdered reads one value; jsontext bounds the depth.
func decodeOrdered(d *jsontext.Decoder) (jinja.Value, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return jinja.Undefined(), err
	}
	switch tok.Kind() {
	case 'n':
		return jinja.None(), nil
	case 't', 'f':
		return jinja.NewBool(tok.Bool()), nil
	case '"':
		return jinja.NewString(tok.String()), nil
	case '0':
		return jinja.FromGoValue(json.Number(tok.String())), nil
	case '[':
		var items []jinja.Value
		for d.PeekKind() != ']' {
			v, err := decodeOrdered(d)
			if err != nil {
				return jinja.Undefined(), err
			}
			items = append(items, v)
		}
		_, err := d.ReadToken()
		return jinja.NewList(items), err
	}
	v := jinja.NewDict()
	dict := v.AsDict()
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return jinja.Undefined(), err
		}
		name := key.String()
		x, err := decodeOrdered(d)
		if err != nil {
			return jinja.Undefined(), err
		}
		dict.Set(name, x)
	}
	_, err = d.ReadToken()
	return v, err
}

func decodeMap(request []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(request))
	d.UseNumber()
	var m map[string]any
	err := d.Decode(&m)
	return m, err
}

func compileGonja(source string) (renderer, error) {
	c := gonjaconfig.New()
	c.TrimBlocks, c.LeftStripBlocks = true, true
	loader, err := gonjaloaders.NewMemoryLoader(map[string]string{"/chat": source})
	if err != nil {
		return nil, err
	}
	t, err := gonjaexec.NewTemplate("/chat", c, loader, gonja.DefaultEnvironment)
	if err != nil {
		return nil, err
	}
	raise := func(message string) (string, error) { return "", errors.New(message) }
	return func(request []byte) (string, error) {
		m, err := decodeMap(request)
		if err != nil {
			return "", err
		}
		plainNumbers(m)
		m["raise_exception"], m["strftime_now"] = raise, strftimeNow
		return t.ExecuteToString(gonjaexec.NewContext(m))
	}, nil
}

// plainNumbers makes Go numbers of json.Number, which gonja takes for texts.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			if i, err := v.Int64(); err == nil {
				return int(i)
			}
		}
		f, _ := v.Float64() // the decoder has checked it
		return f
	case []any:
		for i, x := range v {
			v[i] = plainNumbers(x)
		}
	case map[string]any:
		for k, x := range v {
			v[k] = plainNumbers(x)
		}
	}
	return v
}

// strftimeNow writes the time of the rows in the formats that their templates ask for.
func strftimeNow(format string) string {
	t := clock()
	return strings.NewReplacer(
		"%%", "%", "%Y", t.Format("2006"), "%m", t.Format("01"), "%d", t.Format("02"),
		"%-d", t.Format("2"), "%H", t.Format("15"), "%M", t.Format("04"), "%S", t.Format("05"),
		"%b", t.Format("Jan"), "%B", t.Format("January"), "%a", t.Format("Mon"), "%A", t.Format("Monday"),
		"%y", t.Format("06"), "%I", t.Format("03"), "%p", t.Format("PM"), "%j", fmt.Sprintf("%03d", t.YearDay()),
		"%Z", "", "%z", "",
	).Replace(format)
}
