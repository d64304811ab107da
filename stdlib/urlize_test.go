package stdlib

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// The patterns of Jinja's urlize, with which URLs and mail addresses are told by
// the rules of isURL and isMail too.
var (
	wantURL = regexp.MustCompile(`(?i)^(?:` +
		`(?:https?://|www\.)(?:(?:[\pL\pN_%-]+\.)+)?(?:[a-z]{2,63}|xn--[\pL\pN_%]{2,59})` +
		`|(?:[\pL\pN_%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)` +
		`|https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\])` +
		`)(?::\d{1,5})?(?:[/?#]\S*)?$`)
	wantMail = regexp.MustCompile(`^\S+@[\pL\pN_][\pL\pN_.-]*\.[\pL\pN_]+$`)
)

// URLs and mail addresses are told as by Jinja's patterns: random texts of the
// parts that they consist of.
func TestLinksAreToldAsByPatterns(t *testing.T) {
	parts := []string{"http://", "HTTPS://", "httpſ://", "www.", "WWW.", ".", ".", "a", "ab", "É", "é1", "_", "%", "-", "com", "Info", "org", "orgs",
		"xn--", "XN--", "xn--é9", "K", "ſ", ":", ":80", ":123456", "/", "/a?b#c", "?", "#", "@", "[", "]", "[::1]", "[1:2:3:4:5:6:7:8]", "::", "1.2.3.4", "255.", "1234",
		strings.Repeat("a", 63), strings.Repeat("b", 64), strings.Repeat("é", 59), "½", "٣", "\xff", ";", "~"}
	r := rand.New(rand.NewPCG(9, 10))
	urls, mails := 0, 0
	for range 300_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		s := b.String()
		if got, want := isURL(nil, s), wantURL.MatchString(s); got != want {
			t.Fatalf("%q is a URL: %v, want %v", s, got, want)
		} else if want {
			urls++
		}
		if got, want := isMail(nil, s), wantMail.MatchString(s); got != want {
			t.Fatalf("%q is a mail address: %v, want %v", s, got, want)
		} else if want {
			mails++
		}
	}
	if urls < 1000 || mails < 300 {
		t.Errorf("%d URLs and %d mail addresses: the parts do not make enough of them", urls, mails)
	}
}
