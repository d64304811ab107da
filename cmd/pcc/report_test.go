package main

import "testing"

func TestJSONNumber(t *testing.T) {
	for text, want := range map[string]bool{
		"3": true, "-3": true, "0": true, "2.5": true, "-0.5e+10": true, "1E5": true,
		"": false, "-": false, "+3": false, "03": false, ".5": false, "5.": false, " 3": false, "3 ": false, "3\n": false, "1 2": false, "1,2": false,
		"0x1": false, "1e": false, "NaN": false, "three": false, "1_000": false, "٣": false, "3a4": false,
	} {
		if got := isJSONNumber(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
