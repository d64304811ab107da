package vm

// fewCases is the number of cases that a switch compares one by one, for the one
// step of its instruction.
const fewCases = 8

// plan lists the string cases of a switch, and indexes many.
func (s *Switch) plan() {
	s.texts = make([]textCase, 0, len(s.Values))
	for i := range s.Values {
		if str, ok := s.Values[i].Str(); ok {
			s.texts = append(s.texts, textCase{str, s.Targets[i]})
		}
	}
	if len(s.Values) <= fewCases {
		return
	}
	s.strings, s.integers, s.others = make(map[string]int32, len(s.texts)), map[int64]int32{}, nil
	for i := range s.Values {
		if str, ok := s.Values[i].Str(); ok {
			if _, found := s.strings[str]; !found { // the first of equal cases wins
				s.strings[str] = s.Targets[i]
			}
		} else if n, ok := wholeNumber(s.Values[i]); ok {
			if _, found := s.integers[n]; !found {
				s.integers[n] = int32(i)
			}
		} else {
			s.others = append(s.others, int32(i))
		}
	}
}

// wholeNumber returns the integer that v is or, as a float, equals.
func wholeNumber(v Value) (int64, bool) {
	n, ok := numberOf(v, false)
	if !ok {
		return 0, false
	}
	switch n.kind {
	case numInt:
		return n.i, true
	case numFloat:
		if k := hashFloat(n.f); k.class == 'i' {
			return int64(k.num), true
		}
	}
	return 0, false
}

// text returns the target of a string, of less than touchStep bytes unless it was
// paid for.
func (s *Switch) text(str string) int {
	if s.strings != nil {
		if t, ok := s.strings[str]; ok {
			return int(t)
		}
		return int(s.Default)
	}
	for i := range s.texts {
		if s.texts[i].text == str {
			return int(s.texts[i].target)
		}
	}
	return int(s.Default)
}

// choose returns the target of v in a switch table. Where there are many cases, a
// string or a whole number is looked up; all others take a step for each case
// that they are compared with.
func (m *machine) choose(s *Switch, v Value) (int, error) {
	if v = m.env.resolved(v); m.env.stopped {
		return 0, m.env.ended
	}
	if text, ok := m.env.hostTextValue(v); ok {
		str, _ := text.Str()
		if target := s.text(str); target != int(s.Default) {
			return target, nil
		}
	}
	if str, ok := v.Str(); ok {
		if len(str) >= touchStep { // it is hashed, or compared a few times
			if err := m.env.Step(len(str) / 64); err != nil {
				return 0, err
			}
		}
		return s.text(str), nil
	}
	if v.IsMissing() && !m.env.Dialect.UndefinedObjects() {
		m.asNull(v)
		v = Null
	}
	n, isNumber := wholeNumber(v)
	if s.strings == nil || !isNumber {
		for i := range s.Values {
			if is, err := m.isCase(s, i, v); err != nil || is {
				return int(s.Targets[i]), err
			}
		}
		return int(s.Default), nil
	}
	last := int32(len(s.Values))
	target := int(s.Default)
	if i, ok := s.integers[n]; ok {
		last, target = i, int(s.Targets[i])
	}
	for _, i := range s.others {
		if i > last {
			break
		}
		if is, err := m.isCase(s, int(i), v); err != nil || is {
			return int(s.Targets[i]), err
		}
	}
	return target, nil
}

// isCase reports whether v equals value i of a switch.
func (m *machine) isCase(s *Switch, i int, v Value) (bool, error) {
	if i >= fewCases {
		if err := m.env.Step(1); err != nil {
			return false, err
		}
	}
	return m.env.Equal(v, s.Values[i])
}
