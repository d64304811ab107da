package stdlib

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/vm"
)

// strFormatMethods are the methods of str that format or encode.
var strFormatMethods = []spec{
	{"encode", "self, encoding='utf-8', errors='strict'", "The text as bytes.", encodeMethod, 0},
	{"format", "self, *args, **kwargs", "Fills in fields such as {}, {0}, {name} and {price:.2f}.", formatMethod, 0},
	{"format_map", "self, mapping", "Fills in fields with the values of a map.", formatMapMethod, positional},
}

func formatMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	given, named := unpackRest(args[1], args[2])
	f := formatter{env: env, args: given, markup: safe}
	if named != nil {
		f.named = vm.MapOf(named)
	}
	return f.run(s)
}

func formatMapMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	f := formatter{env: env, named: args[1], markup: safe, mapOnly: true}
	return f.run(s)
}

// formatter is Python's string.Formatter with the lookups of the sandbox: a
// field reads attributes and items as an expression of the template would.
type formatter struct {
	env   *vm.Env
	args  []vm.Value
	named vm.Value
	// markup escapes what is filled in, as Markup.format does.
	markup bool
	// mapOnly tells format_map, which has no positional values.
	mapOnly bool
	// next is the number of the next field without one; counts and manual tell
	// that such fields, or numbered ones, were seen.
	next           int
	manual, counts bool
}

// maxFormatNesting is how deep fields nest in format specifications: {:{width}}.
const maxFormatNesting = 2

func (f *formatter) run(s string) (vm.Value, error) {
	out, err := f.expand(s, maxFormatNesting)
	return markedText(out, f.markup), err
}

func (f *formatter) fail(msg string) error { return f.env.Errorf("value", "%s", msg) }

func (f *formatter) expand(s string, depth int) (string, error) {
	if depth < 0 {
		return "", f.fail("Max string recursion exceeded")
	}
	if err := f.env.Charge(len(s)); err != nil {
		return "", err
	}
	var b strings.Builder
	var pace vm.Pace
	for s != "" {
		i := indexBrace(f.env, s)
		if i < 0 || pace.Stopped(f.env, i+16) {
			f.env.Append(&b, s)
			break
		}
		f.env.Append(&b, s[:i])
		c := s[i]
		s = s[i+1:]
		switch {
		case s != "" && s[0] == c:
			b.WriteByte(c)
			s = s[1:]
			continue
		case c == '}':
			return "", f.fail("Single '}' encountered in format string")
		case s == "":
			return "", f.fail("Single '{' encountered in format string")
		}
		n := fieldEnd(s)
		if n < 0 {
			return "", f.fail("expected '}' before end of string")
		}
		out, err := f.field(s[:n], depth)
		if err != nil {
			return "", err
		}
		if err := f.env.Charge(len(out)); err != nil {
			return "", err
		}
		f.env.Append(&b, out)
		s = s[n+1:]
	}
	return b.String(), nil
}

// indexBrace finds the first brace.
func indexBrace(env *vm.Env, s string) int {
	for p := env.Parts(s); p.Next(); {
		if i := strings.IndexAny(p.Text, "{}"); i >= 0 {
			return p.At + i
		}
	}
	return -1
}

// fieldEnd finds the brace that closes a field.
func fieldEnd(s string) int {
	depth, bracket := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			bracket = depth == 0
		case ']':
			bracket = false
		case '{':
			if !bracket {
				depth++
			}
		case '}':
			if bracket {
				continue
			}
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// field expands what stands between the braces: name[!conversion][:spec].
func (f *formatter) field(s string, depth int) (string, error) {
	name, conversion, spec := s, "", ""
	if i := fieldNameEnd(s); i >= 0 {
		name = s[:i]
		if s[i] == '!' {
			rest := s[i+1:]
			r, size := utf8.DecodeRuneInString(rest)
			if size == 0 {
				return "", f.fail("end of string while looking for conversion specifier")
			}
			if after := rest[size:]; after != "" && after[0] != ':' {
				return "", f.fail("expected ':' after conversion specifier")
			}
			conversion = string(r)
			spec = strings.TrimPrefix(rest[size:], ":")
		} else {
			spec = s[i+1:]
		}
	}
	v, err := f.lookup(name)
	if err != nil {
		return "", err
	}
	if v, err = f.convert(v, conversion); err != nil {
		return "", err
	}
	if strings.ContainsAny(spec, "{}") {
		if spec, err = f.expand(spec, depth-1); err != nil {
			return "", err
		}
	}
	if !f.markup {
		return formatValue(f.env, v, spec)
	}
	if v.IsSafe() {
		if spec != "" {
			return "", f.fail("Unsupported format specification for Markup.")
		}
		return textOf(f.env, v)
	}
	out, err := formatValue(f.env, v, spec)
	if err != nil {
		return "", err
	}
	out, _, err = escapedText(f.env, vm.String(out))
	return out, err
}

// fieldNameEnd finds the ! or : after the name; those in brackets belong to it.
func fieldNameEnd(s string) int {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case (c == '!' || c == ':') && !bracket:
			return i
		}
	}
	return -1
}

func (f *formatter) convert(v vm.Value, conversion string) (vm.Value, error) {
	switch conversion {
	case "":
		return v, nil
	case "s":
		s, err := textOf(f.env, v)
		return vm.String(s), err
	case "r":
		s, err := f.env.Repr(v)
		return vm.String(s), err
	case "a":
		s, err := f.env.Repr(v)
		return vm.String(asciiRepr(f.env, s)), err
	}
	return vm.Null, f.fail("Unknown conversion specifier")
}

// asciiRepr escapes what is not ASCII in a repr.
func asciiRepr(env *vm.Env, s string) string {
	if source.IsASCII(s) {
		return s
	}
	return build(env, s, func(b *strings.Builder, part string, _ int) {
		for _, r := range part {
			switch {
			case r < 0x80:
				b.WriteRune(r)
			case r < 0x100:
				fmt.Fprintf(b, `\x%02x`, r)
			case r < 0x10000:
				fmt.Fprintf(b, `\u%04x`, r)
			default:
				fmt.Fprintf(b, `\U%08x`, r)
			}
		}
	})
}

// lookup reads a field name such as "0", "name", "user.name" or "rows[2]".
func (f *formatter) lookup(name string) (vm.Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.first(name[:end])
	if err != nil {
		return vm.Null, err
	}
	rest := name[end:]
	for rest != "" {
		var part string
		isItem := rest[0] == '['
		rest = rest[1:]
		if isItem {
			i := strings.IndexByte(rest, ']')
			if i < 0 {
				return vm.Null, f.fail("Missing ']' in format string")
			}
			part, rest = rest[:i], rest[i+1:]
			if rest != "" && rest[0] != '.' && rest[0] != '[' {
				return vm.Null, f.fail("Only '.' or '[' may follow ']' in format field specifier")
			}
		} else {
			i := strings.IndexAny(rest, ".[")
			if i < 0 {
				i = len(rest)
			}
			part, rest = rest[:i], rest[i:]
		}
		if part == "" {
			return vm.Null, f.fail("Empty attribute in format string")
		}
		if v, err = f.step(v, part, isItem); err != nil {
			return vm.Null, err
		}
	}
	return v, nil
}

// step reads one attribute or item. Without a sandbox Python raises an error
// for what is missing; in the sandbox it is undefined.
func (f *formatter) step(v vm.Value, part string, isItem bool) (vm.Value, error) {
	var x vm.Value
	var err error
	if isItem {
		x, err = f.env.Item(v, fieldKey(part))
	} else {
		x, err = f.env.Attr(v, part)
		x, err = computedName(f.env, x, err)
	}
	if err != nil || !x.IsUndefined() || f.env.Dialect.Sandbox != vm.SandboxNone {
		return x, err
	}
	if isItem {
		return vm.Null, f.env.Errorf("key", "a field of the format names a key or index that is missing")
	}
	return vm.Null, f.env.Errorf("undefined", "a field of the format names an attribute that is missing")
}

// fieldKey is the key in brackets: an integer if it consists of digits.
func fieldKey(part string) vm.Value {
	if i, ok := indexOf(part); ok {
		return vm.Int(i)
	}
	return vm.String(part)
}

// first reads the argument that a field begins with.
func (f *formatter) first(name string) (vm.Value, error) {
	var key vm.Value
	if name == "" {
		if f.manual {
			return vm.Null, f.fail("cannot switch from manual field specification to automatic field numbering")
		}
		f.counts = true
		key = vm.Int(int64(f.next))
		f.next++
	} else {
		key = fieldKey(name)
	}
	i, isIndex := key.Int64()
	if isIndex && name != "" {
		if f.counts {
			return vm.Null, f.fail("cannot switch from automatic field numbering to manual field specification")
		}
		f.manual = true
	}
	if isIndex {
		if f.mapOnly && f.env.Dialect.Sandbox == vm.SandboxNone {
			return vm.Null, f.fail("Format string contains positional fields")
		}
		if i >= int64(len(f.args)) {
			return vm.Null, f.env.Errorf("key", "Replacement index %d out of range for positional args tuple", i)
		}
		return f.args[i], nil
	}
	missing := f.env.Errorf("key", "a field of the format names a value that was not given")
	if f.named.IsNull() {
		return vm.Null, missing
	}
	v, found, err := lookup(f.env, f.named, key)
	if err == nil && !found {
		err = missing
	}
	return v, err
}
