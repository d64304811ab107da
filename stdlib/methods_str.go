package stdlib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pcc-lang/pcc/vm"
)

// strMethods are the methods of str that change or judge text.
var strMethods = []spec{
	{"capitalize", "self", "First character upper case, the others lower case.", textMethod(capitalizeText), positional},
	{"casefold", "self", "Text for comparison without regard to case.", textMethod(casefoldText), positional},
	{"center", "self, width, fillchar=' '", "Text in the middle of a field.", padMethod(padCenter), positional},
	{"expandtabs", "self, tabsize=8", "Tabs as spaces up to the next tab stop.", expandtabsMethod, 0},
	{"isalnum", "self", "All characters are letters or numbers.", textPredicate(runesAre(isAlnumRune)), positional},
	{"isalpha", "self", "All characters are letters.", textPredicate(runesAre(unicode.IsLetter)), positional},
	{"isascii", "self", "All characters are ASCII.", textPredicate(func(env *vm.Env, s string) bool {
		return indexRune(env, s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	}), positional},
	{"isdecimal", "self", "All characters are decimal digits.", textPredicate(runesAre(isDecimalRune)), positional},
	{"isdigit", "self", "All characters are digits.", textPredicate(runesAre(isDigitRune)), positional},
	{"isidentifier", "self", "The text is a valid Python identifier.", textPredicate(isIdentifierText), positional},
	{"islower", "self", "All letters are lower case.", textPredicate(isLowerText), positional},
	{"isnumeric", "self", "All characters are numeric.", textPredicate(runesAre(isNumericRune)), positional},
	{"isprintable", "self", "All characters can be printed.", textPredicate(func(env *vm.Env, s string) bool { return s == "" || allRunes(env, s, isPrintableRune) }), positional},
	{"isspace", "self", "All characters are white space.", textPredicate(runesAre(isSpace)), positional},
	{"istitle", "self", "All words begin with an upper-case letter.", textPredicate(isTitleText), positional},
	{"isupper", "self", "All letters are upper case.", textPredicate(isUpperText), positional},
	{"ljust", "self, width, fillchar=' '", "Text on the left of a field.", padMethod(padLeft), positional},
	{"lower", "self", "Text in lower case.", textMethod(lowerText), positional},
	{"lstrip", "self, chars=null", "Text without leading white space or characters.", stripMethod("lstrip", true, false), positional},
	{"maketrans", "self, x, y=null, z=null", "A table for translate.", maketransMethod, positional},
	{"removeprefix", "self, prefix", "Text without a beginning.", affixMethod(func(s, affix string) (head, cut string) { return s[:len(affix)], s[len(affix):] }), positional},
	{"removesuffix", "self, suffix", "Text without an end.", affixMethod(func(s, affix string) (tail, cut string) { return s[len(s)-len(affix):], s[:len(s)-len(affix)] }), positional},
	{"replace", "self, old, new, count=-1", "Text with a part replaced by another.", replaceMethod, positional},
	{"rjust", "self, width, fillchar=' '", "Text on the right of a field.", padMethod(padRight), positional},
	{"rstrip", "self, chars=null", "Text without trailing white space or characters.", stripMethod("rstrip", false, true), positional},
	{"strip", "self, chars=null", "Text without white space or characters at both ends.", stripMethod("strip", true, true), positional},
	{"swapcase", "self", "Upper case as lower case and the reverse.", textMethod(swapcaseText), positional},
	{"title", "self", "Words beginning in upper case.", textMethod(titleText), positional},
	{"translate", "self, table", "Characters replaced as a table says.", translateMethod, positional},
	{"upper", "self", "Text in upper case.", textMethod(upperText), positional},
	{"zfill", "self, width", "A number in text, filled with zeros.", zfillMethod, positional},
}

func padMethod(how padding) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe := receiver(args)
		width, err := intArg(env, args[1], "width")
		if err != nil {
			return vm.Null, err
		}
		fill, ok := args[2].Str()
		if !ok {
			return vm.Null, env.Errorf("type", "The fill character must be a unicode character, not %s", env.TypeName(args[2]))
		}
		if safe {
			if fill, _, err = escapedText(env, args[2]); err != nil {
				return vm.Null, err
			}
		}
		if len(fill) > utf8.UTFMax || runeCount(fill) != 1 {
			return vm.Null, env.Errorf("type", "The fill character must be exactly one character long")
		}
		r, _ := utf8.DecodeRuneInString(fill)
		out, err := pad(env, s, width, r, how)
		return markedText(out, safe), err
	}
}

func stripMethod(name string, left, right bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe := receiver(args)
		out, err := stripText(env, s, args[1], name, left, right)
		return markedText(out, safe), err
	}
}

// affixMethod makes a method that cuts off a text where it stands; split gives the
// part of s that is as long as it, and the rest.
func affixMethod(split func(s, affix string) (part, rest string)) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe := receiver(args)
		affix, ok := args[1].Str()
		if !ok {
			return vm.Null, env.Errorf("type", "removeprefix() and removesuffix() take str, not %s", env.TypeName(args[1]))
		}
		if len(affix) <= len(s) {
			part, rest := split(s, affix)
			equal, err := env.Equal(vm.String(part), vm.String(affix))
			if err != nil {
				return vm.Null, err
			}
			if equal {
				s = rest
			}
		}
		return markedText(s, safe), nil
	}
}

func replaceMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	old, ok := args[1].Str()
	if !ok {
		return vm.Null, env.Errorf("type", "replace() argument 1 must be str, not %s", env.TypeName(args[1]))
	}
	repl, ok := args[2].Str()
	if !ok {
		return vm.Null, env.Errorf("type", "replace() argument 2 must be str, not %s", env.TypeName(args[2]))
	}
	count, err := intArg(env, args[3], "count")
	if err != nil {
		return vm.Null, err
	}
	if safe {
		if repl, _, err = escapedText(env, args[2]); err != nil {
			return vm.Null, err
		}
	}
	out, err := replaceText(env, s, old, repl, count)
	return markedText(out, safe), err
}

func expandtabsMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	size, err := intArg(env, args[1], "tabsize")
	if err != nil {
		return vm.Null, err
	}
	if err := env.Charge(len(s)); err != nil {
		return vm.Null, err
	}
	var b strings.Builder
	column := 0
	for p := env.Parts(s); p.Next(); {
		for _, r := range p.Text {
			switch r {
			case '\t':
				if size <= 0 {
					continue
				}
				n := size - column%size
				if err := env.Charge(n); err != nil {
					return vm.Null, err
				}
				env.Repeat(&b, " ", n)
				column += n
			case '\n', '\r':
				column = 0
				b.WriteRune(r)
			default:
				column++
				b.WriteRune(r)
			}
		}
	}
	return markedText(b.String(), safe), nil
}

func zfillMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	width, err := intArg(env, args[1], "width")
	if err != nil {
		return vm.Null, err
	}
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	out, err := pad(env, s, width-len(sign), '0', padRight)
	return markedText(sign+out, safe), err
}

// codePoint reads a key of a translation table.
func codePoint(env *vm.Env, v vm.Value) (vm.Value, error) {
	s, ok := v.Str()
	if !ok {
		if _, isInt := v.Int64(); isInt {
			return v, nil
		}
		return vm.Null, env.Errorf("type", "keys in translate table must be strings or integers")
	}
	if len(s) > utf8.UTFMax || runeCount(s) != 1 {
		return vm.Null, env.Errorf("value", "string keys in translate table must be of length 1")
	}
	r, _ := utf8.DecodeRuneInString(s)
	return vm.Int(int64(r)), nil
}

func maketransMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	table := newMap(env)
	if args[2].IsNull() {
		if !isMapping(args[1]) {
			return vm.Null, env.Errorf("type", "if you give only one argument to maketrans it must be a dict")
		}
		pairs, err := entries(env, args[1])
		if err != nil {
			return vm.Null, err
		}
		for _, p := range pairs {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
			key, err := codePoint(env, p[0])
			if err != nil {
				return vm.Null, err
			}
			if err := put(env, table, key, p[1]); err != nil {
				return vm.Null, err
			}
		}
		return vm.MapOf(table), nil
	}
	from, ok1 := args[1].Str()
	to, ok2 := args[2].Str()
	if !ok1 || !ok2 {
		return vm.Null, env.Errorf("type", "maketrans() arguments must be str")
	}
	if err := env.Step((len(from) + len(to)) / 64); err != nil {
		return vm.Null, err
	}
	if env.RuneCount(from) != env.RuneCount(to) {
		return vm.Null, env.Errorf("value", "the first two maketrans arguments must have equal length")
	}
	if err := env.Charge(4 * len(to)); err != nil {
		return vm.Null, err
	}
	targets := []rune(to)
	i := 0
	for _, r := range from {
		if err := env.Step(1); err != nil {
			return vm.Null, err
		}
		if err := put(env, table, vm.Int(int64(r)), vm.Int(int64(targets[i]))); err != nil {
			return vm.Null, err
		}
		i++
	}
	if !args[3].IsNull() {
		drop, ok := args[3].Str()
		if !ok {
			return vm.Null, env.Errorf("type", "maketrans() argument 3 must be str, not %s", env.TypeName(args[3]))
		}
		for _, r := range drop {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
			if err := put(env, table, vm.Int(int64(r)), vm.Null); err != nil {
				return vm.Null, err
			}
		}
	}
	return vm.MapOf(table), nil
}

func translateMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	if !isMapping(args[1]) && !args[1].IsSequence() {
		return vm.Null, env.Errorf("type", "'%s' object is not subscriptable", env.TypeName(args[1]))
	}
	var b strings.Builder
	for _, r := range s {
		to, err := env.Item(args[1], vm.Int(int64(r)))
		if err != nil {
			return vm.Null, err
		}
		part := string(r)
		switch code, isInt := to.Int64(); {
		case to.IsUndefined():
		case to.IsNull():
			part = ""
		case isInt:
			if code < 0 || code > utf8.MaxRune {
				return vm.Null, env.Errorf("value", "character mapping must be in range(0x110000)")
			}
			part = string(rune(code))
		default:
			text, ok := to.Str()
			if !ok {
				return vm.Null, env.Errorf("type", "character mapping must return integer, None or str")
			}
			part = text
		}
		if err := env.Charge(len(part)); err != nil {
			return vm.Null, err
		}
		b.WriteString(part)
	}
	return markedText(b.String(), safe), nil
}
