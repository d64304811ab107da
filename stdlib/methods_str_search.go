package stdlib

import (
	"slices"

	"github.com/pcc-lang/pcc/internal/size"
	"github.com/pcc-lang/pcc/vm"
)

// strSearchMethods are the methods of str that look for a part; positions
// count characters.
var strSearchMethods = []spec{
	{"count", "self, sub, start=null, end=null", "How often a part occurs.", countMethod, positional},
	{"endswith", "self, suffix, start=null, end=null", "Ends with a text, or one of a tuple of texts.", affixTest("endswith", func(s string, n int) string { return s[len(s)-n:] }), positional},
	{"find", "self, sub, start=null, end=null", "Where a part occurs first, or -1.", findMethod((*vm.Pace).Index, false), positional},
	{"index", "self, sub, start=null, end=null", "Where a part occurs first; an error where it does not.", findMethod((*vm.Pace).Index, true), positional},
	{"rfind", "self, sub, start=null, end=null", "Where a part occurs last, or -1.", findMethod((*vm.Pace).LastIndex, false), positional},
	{"rindex", "self, sub, start=null, end=null", "Where a part occurs last; an error where it does not.", findMethod((*vm.Pace).LastIndex, true), positional},
	{"startswith", "self, prefix, start=null, end=null", "Begins with a text, or one of a tuple of texts.", affixTest("startswith", func(s string, n int) string { return s[:n] }), positional},
}

// window cuts s to the characters from start up to end, as the optional
// arguments of the search methods say. offset is the number of characters
// before it; ok is false where start lies behind the end.
func window(env *vm.Env, s string, start, end vm.Value) (part string, offset int, ok bool, err error) {
	if start.IsNull() && end.IsNull() {
		return s, 0, true, env.Step(1 + len(s)/64)
	}
	if err := env.Step(1 + len(s)/64); err != nil {
		return "", 0, false, err
	}
	n := env.RuneCount(s)
	lo, hi := 0, n
	if !start.IsNull() {
		if lo, err = boundArg(env, start, n); err != nil {
			return "", 0, false, err
		}
	}
	if !end.IsNull() {
		if hi, err = boundArg(env, end, n); err != nil {
			return "", 0, false, err
		}
		hi = min(hi, n)
	}
	if lo > hi {
		return "", 0, false, nil
	}
	_, rest := env.CutRunes(s, lo)
	part, _ = env.CutRunes(rest, hi-lo)
	return part, lo, true, env.StopError()
}

// boundArg reads a position; negative ones count from the end.
func boundArg(env *vm.Env, v vm.Value, n int) (int, error) {
	if big, ok := v.Big(); ok && !big.IsInt64() {
		if big.Sign() < 0 {
			return 0, nil
		}
		return n + 1, nil
	}
	i, err := intArg(env, v, "position")
	if err != nil {
		if env.Dialect.PythonErrors() {
			return 0, env.Errorf("type", "slice indices must be integers or None or have an __index__ method")
		}
		return 0, err
	}
	if i < 0 {
		i = max(i+n, 0)
	}
	return min(i, n+1), nil
}

func subArg(env *vm.Env, v vm.Value) (string, error) {
	s, ok := v.Str()
	if !ok {
		return "", env.Errorf("type", "must be str, not %s", env.TypeName(v))
	}
	return s, nil
}

// searcher is a search of vm.Pace.
type searcher func(p *vm.Pace, env *vm.Env, s, sub string) int

func findMethod(search searcher, mustFind bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, _ := receiver(args)
		sub, err := subArg(env, args[1])
		if err != nil {
			return vm.Null, err
		}
		part, offset, ok, err := window(env, s, args[2], args[3])
		if err != nil {
			return vm.Null, err
		}
		at := -1
		if ok {
			at = search(new(vm.Pace), env, part, sub)
		}
		if at >= 0 {
			return vm.Int(int64(offset + env.RuneCount(part[:at]))), nil
		}
		if mustFind {
			return vm.Null, env.Errorf("value", "substring not found")
		}
		return vm.Int(-1), nil
	}
}

func countMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, _ := receiver(args)
	sub, err := subArg(env, args[1])
	if err != nil {
		return vm.Null, err
	}
	part, _, ok, err := window(env, s, args[2], args[3])
	if err != nil || !ok {
		return vm.Int(0), err
	}
	return vm.Int(int64(countText(env, part, sub))), nil
}

// affixTest makes a question about the beginning or end of a text, of which end
// gives n bytes.
func affixTest(name string, end func(s string, n int) string) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, _ := receiver(args)
		part, _, ok, err := window(env, s, args[2], args[3])
		if err != nil {
			return vm.Null, err
		}
		affixes := []vm.Value{args[1]}
		if t, isTuple := args[1].Tuple(); isTuple {
			affixes = t.Items
		} else if _, isText := args[1].Str(); !isText {
			return vm.Null, env.Errorf("type", "%s first arg must be str or a tuple of str, not %s", name, env.TypeName(args[1]))
		}
		var pace vm.Pace
		for _, a := range affixes {
			if err := env.Step(1); err != nil {
				return vm.Null, err
			}
			affix, isText := a.Str()
			if !isText {
				return vm.Null, env.Errorf("type", "tuple for %s must only contain str, not %s", name, env.TypeName(a))
			}
			if ok && len(affix) <= len(part) {
				if err := env.Step(len(affix) / 64); err != nil {
					return vm.Null, err
				}
				if pace.Equal(env, end(part, len(affix)), affix) {
					return vm.Bool(true), nil
				}
			}
		}
		return vm.Bool(false), nil
	}
}

// strSplitMethods are the methods of str that cut text up or join it.
var strSplitMethods = []spec{
	{"join", "self, iterable", "Texts joined, with this text between them.", joinMethod, positional},
	{"partition", "self, sep", "What stands before a part, the part, what stands after it.", partitionMethod((*vm.Pace).Index, false), positional},
	{"rpartition", "self, sep", "The same with the last occurrence of the part.", partitionMethod((*vm.Pace).LastIndex, true), positional},
	{"rsplit", "self, sep=null, maxsplit=-1", "A list of parts, cut from the right.", splitMethod(true), 0},
	{"split", "self, sep=null, maxsplit=-1", "A list of parts, cut at a separator or at runs of white space.", splitMethod(false), 0},
	{"splitlines", "self, keepends=false", "A list of lines.", splitlinesMethod, 0},
}

func joinMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	sep, safe := receiver(args)
	it, err := env.Iterate(args[1])
	if err != nil {
		if args[1].IsUndefined() {
			return vm.Null, err
		}
		return vm.Null, env.Errorf("type", "can only join an iterable")
	}
	items, err := drain(env, it)
	if err != nil {
		return vm.Null, err
	}
	if err := chargeProduct(env, len(items), 16); err != nil {
		return vm.Null, err
	}
	parts := make([]string, len(items))
	for i, v := range items {
		s, ok := v.Str()
		switch {
		case safe:
			if parts[i], _, err = escapedText(env, v); err != nil {
				return vm.Null, err
			}
		case !ok:
			return vm.Null, env.Errorf("type", "sequence item %d: expected str instance, %s found", i, env.TypeName(v))
		default:
			parts[i] = s
		}
	}
	out, err := joinTexts(env, parts, sep)
	return markedText(out, safe), err
}

func partitionMethod(search searcher, fromRight bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe := receiver(args)
		sep, err := subArg(env, args[1])
		if err != nil {
			return vm.Null, err
		}
		if sep == "" {
			return vm.Null, env.Errorf("value", "empty separator")
		}
		if err := env.Charge(len(s)); err != nil {
			return vm.Null, err
		}
		parts := [3]string{s, "", ""}
		if at := search(new(vm.Pace), env, s, sep); at >= 0 {
			parts = [3]string{s[:at], sep, s[at+len(sep):]}
		} else if fromRight {
			parts = [3]string{"", "", s}
		}
		env.Owe(size.Tuple + 3*size.Value)
		items := make([]vm.Value, 3)
		for i, p := range parts {
			items[i] = markedText(p, safe)
		}
		return vm.TupleOf(items), nil
	}
}

func splitMethod(fromRight bool) vm.Func {
	return func(env *vm.Env, args []vm.Value) (vm.Value, error) {
		s, safe := receiver(args)
		most, err := intArg(env, args[2], "maxsplit")
		if err != nil {
			return vm.Null, err
		}
		if most < 0 {
			most = len(s) + 1
		}
		var parts []string
		if args[1].IsNull() {
			if err := chargeProduct(env, min(most, len(s)/2)+1, size.Value+16); err != nil {
				return vm.Null, err
			}
			parts = splitBlanks(env, s, most, fromRight)
		} else {
			sep, ok := args[1].Str()
			if !ok {
				return vm.Null, env.Errorf("type", "must be str or None, not %s", env.TypeName(args[1]))
			}
			if sep == "" {
				return vm.Null, env.Errorf("value", "empty separator")
			}
			if err := chargeProduct(env, min(most, countText(env, s, sep))+1, size.Value+16); err != nil {
				return vm.Null, err
			}
			parts = splitAt(env, s, sep, most, fromRight)
		}
		if err := env.Step(1 + len(s)/64); err != nil {
			return vm.Null, err
		}
		return textList(env, parts, safe), nil
	}
}

func textList(env *vm.Env, parts []string, safe bool) vm.Value {
	items := make([]vm.Value, len(parts))
	var pace vm.Pace
	for i, p := range parts {
		if pace.Stopped(env, size.Value) {
			break
		}
		items[i] = markedText(p, safe)
	}
	return listOf(env, items)
}

// splitAt cuts at a separator, at most most times.
func splitAt(env *vm.Env, s, sep string, most int, fromRight bool) []string {
	var parts []string
	var pace vm.Pace
	for ; most > 0; most-- {
		var part string
		if fromRight {
			at := pace.LastIndex(env, s, sep)
			if at < 0 {
				break
			}
			part, s = s[at+len(sep):], s[:at]
		} else {
			at := pace.Index(env, s, sep)
			if at < 0 {
				break
			}
			part, s = s[:at], s[at+len(sep):]
		}
		parts = append(parts, part)
		if pace.Stopped(env, len(part)+8) {
			break
		}
	}
	parts = append(parts, s)
	if fromRight {
		return reversed(parts)
	}
	return parts
}

// splitBlanks cuts at runs of white space and drops it at the ends.
func splitBlanks(env *vm.Env, s string, most int, fromRight bool) []string {
	var parts []string
	var pace vm.Pace
	if fromRight {
		for s = trimRight(env, s, isSpace); s != "" && most > 0; most-- {
			word := trimRight(env, s, func(r rune) bool { return !isSpace(r) })
			if word == "" || pace.Stopped(env, len(s)-len(word)+8) {
				break
			}
			parts = append(parts, s[len(word):])
			s = trimRight(env, word, isSpace)
		}
		if s != "" {
			parts = append(parts, s)
		}
		return reversed(parts)
	}
	for s = trimLeft(env, s, isSpace); s != "" && most > 0; most-- {
		at := indexRune(env, s, isSpace)
		if at < 0 || pace.Stopped(env, at+8) {
			break
		}
		parts = append(parts, s[:at])
		s = trimLeft(env, s[at:], isSpace)
	}
	if s != "" {
		parts = append(parts, s)
	}
	return parts
}

func reversed(parts []string) []string {
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

func splitlinesMethod(env *vm.Env, args []vm.Value) (vm.Value, error) {
	s, safe := receiver(args)
	keep, err := env.Truth(args[1])
	if err != nil {
		return vm.Null, err
	}
	if err := env.Step(1 + len(s)/64); err != nil {
		return vm.Null, err
	}
	var items []vm.Value
	for line := range eachLine(env, s, keep) {
		if len(items) == cap(items) {
			grow := max(cap(items), 4)
			if err := chargeItems(env, 2*grow); err != nil {
				return vm.Null, err
			}
			items = slices.Grow(items, grow)
		}
		items = append(items, markedText(line, safe))
	}
	return vm.ListOf(items), nil
}
