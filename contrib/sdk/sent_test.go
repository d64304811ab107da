package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"

	"github.com/pcc-lang/pcc/contrib/sdk/anthropicparams"
	"github.com/pcc-lang/pcc/contrib/sdk/genaiparams"
	"github.com/pcc-lang/pcc/contrib/sdk/openaiparams"
	"github.com/pcc-lang/pcc/prompt"
)

// wire is the transport of a client: it keeps the body that the SDK sends, and
// answers without a network.
type wire struct{ body []byte }

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if w.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	kind, answer := "application/json", "{}"
	if bytes.Contains(w.body, []byte(`"stream":true`)) {
		kind, answer = "text/event-stream", ""
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

// sender decodes a request into the parameters of an SDK and sends them with its
// client. It lists what the parameters hold beside the fields of their types.
type sender func(r *prompt.Request, client *http.Client) (unknown []string, err error)

// senders are the SDKs' ways, each with the form of its bodies.
var senders = map[string]struct {
	form string
	send sender
}{
	"openai":         {"openai", sendChat},
	"responses":      {"responses", sendResponses},
	"anthropic":      {"anthropic", sendMessages},
	"anthropic beta": {"anthropic", sendBeta},
	"gemini":         {"gemini", sendGemini(genai.BackendGeminiAPI)},
	"gemini vertex":  {"gemini", sendGemini(genai.BackendVertexAI)},
}

func sendChat(r *prompt.Request, client *http.Client) ([]string, error) {
	p, err := openaiparams.Chat(r, prompt.FormatOptions{})
	if err != nil {
		return nil, err
	}
	c := openai.NewClient(openaioption.WithAPIKey("none"), openaioption.WithHTTPClient(client), openaioption.WithMaxRetries(0))
	_, err = c.Chat.Completions.New(context.Background(), p)
	return unknown(p), err
}

func sendResponses(r *prompt.Request, client *http.Client) ([]string, error) {
	p, err := openaiparams.Responses(r, prompt.FormatOptions{})
	if err != nil {
		return nil, err
	}
	c := openai.NewClient(openaioption.WithAPIKey("none"), openaioption.WithHTTPClient(client), openaioption.WithMaxRetries(0))
	_, err = c.Responses.New(context.Background(), p)
	return unknown(p), err
}

func sendMessages(r *prompt.Request, client *http.Client) ([]string, error) {
	p, err := anthropicparams.Messages(r, prompt.FormatOptions{})
	if err != nil {
		return nil, err
	}
	c := anthropic.NewClient(anthropicoption.WithAPIKey("none"), anthropicoption.WithHTTPClient(client), anthropicoption.WithMaxRetries(0))
	_, err = c.Messages.New(context.Background(), p)
	return unknown(p), err
}

func sendBeta(r *prompt.Request, client *http.Client) ([]string, error) {
	p, err := anthropicparams.Beta(r, prompt.FormatOptions{})
	if err != nil {
		return nil, err
	}
	c := anthropic.NewClient(anthropicoption.WithAPIKey("none"), anthropicoption.WithHTTPClient(client), anthropicoption.WithMaxRetries(0))
	_, err = c.Beta.Messages.New(context.Background(), p)
	return unknown(p), err
}

// sendGemini needs no list of unknown fields: a field that the types lack is an error
// of the decoder.
func sendGemini(backend genai.Backend) sender {
	return func(r *prompt.Request, client *http.Client) ([]string, error) {
		contents, config, err := genaiparams.Content(r, prompt.FormatOptions{})
		if err != nil {
			return nil, err
		}
		cc := &genai.ClientConfig{Backend: backend, APIKey: "none", HTTPClient: client}
		c, err := genai.NewClient(context.Background(), cc)
		if err != nil {
			return nil, err
		}
		_, err = c.Models.GenerateContent(context.Background(), r.Model, contents, config)
		return nil, err
	}
}

// unknown lists the places where parameters hold what their types have no field for:
// the SDKs of OpenAI and Anthropic keep such keys, and whole values of an unknown
// kind, and send them.
func unknown(params any) []string {
	var out []string
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				walk(v.MapIndex(k), path+"."+fmt.Sprint(k))
			}
		case reflect.Struct:
			if x, ok := v.Interface().(interface{ ExtraFields() map[string]any }); ok {
				for key := range x.ExtraFields() {
					out = append(out, path+"."+key)
				}
			}
			if x, ok := v.Interface().(interface{ Overrides() (any, bool) }); ok {
				// A null that the request has is kept in the same place.
				if raw, has := x.Overrides(); has && !strings.HasSuffix(fmt.Sprintf("%T", raw), ".metadataNull") {
					out = append(out, path)
				}
			}
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(v.Field(i), path+"."+f.Name)
				}
			}
		}
	}
	walk(reflect.ValueOf(params), "")
	slices.Sort(out)
	return out
}

// holds sends a request and compares what was sent with the body.
func holds(t *testing.T, name, sdk string, r *prompt.Request) {
	t.Helper()
	s := senders[sdk]
	if r.Model == "" { // the SDKs want one
		with := *r
		with.Model = "m-1"
		r = &with
	}
	body, err := r.Body(s.form, prompt.FormatOptions{})
	if err != nil {
		t.Fatalf("%s: %+v", name, err)
	}
	w := &wire{}
	more, err := s.send(r, clientOf(w))
	if err != nil && strings.HasPrefix(err.Error(), "illegal base64") {
		return // the request's data is none, and the SDK alone looks
	}
	if err != nil {
		t.Errorf("%s, %s: the SDK does not take the body: %v", name, sdk, err)
		return
	}
	for _, place := range more {
		t.Errorf("%s, %s: the SDK has no field for %s", name, sdk, place)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences(s.form, tree(t, text), tree(t, w.body), "") {
		t.Errorf("%s, %s: %s\nbody %s\nsent %s", name, sdk, d, text, w.body)
	}
}

// tree reads JSON with its numbers as they are written.
func tree(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// habits are what an SDK always does to a body, by the form of the body: `added` are
// keys and the values that it gives them, `left` the values that it leaves out.
var habits = []struct {
	form, key   string
	added, left any
	why         string
}{
	{"gemini", "role", "user", nil, "tContent of the SDK gives the system instruction this role, which the API ignores"},
	{"gemini", "args", nil, map[string]any{}, "the field has omitempty; a call without arguments is one with none"},
	{"gemini", "text", nil, "", "the field has omitempty; the API refuses an empty text"},
	{"gemini", "generationConfig", map[string]any{}, nil, "the SDK sends it empty where there is none"},
	{"openai", "content", nil, nil, "null content stands beside calls or a refusal, where it may be absent"},
	{"responses", "type", "message", nil, "the SDK's decoder needs the type of a message, which the API does not"},
}

func habit(form, key string, added, left any) bool {
	for _, h := range habits {
		if h.form == form && h.key == key && reflect.DeepEqual(h.added, added) && reflect.DeepEqual(h.left, left) {
			return true
		}
	}
	return false
}

// differences lists the places where what was sent is not the body; keys have no order.
func differences(form string, body, sent any, path string) []string {
	if form == "anthropic" {
		body = blocks(body, sent)
	}
	switch b := body.(type) {
	case map[string]any:
		s, ok := sent.(map[string]any)
		if !ok {
			return []string{path + " is of another type"}
		}
		var out []string
		for key, x := range b {
			y, ok := s[key]
			if !ok && habit(form, key, nil, x) {
				continue
			}
			if !ok {
				out = append(out, path+"."+key+" is lost")
				continue
			}
			out = append(out, differences(form, x, y, path+"."+key)...)
		}
		for key := range s {
			if _, ok := b[key]; !ok && !habit(form, key, s[key], nil) {
				out = append(out, path+"."+key+" is added")
			}
		}
		return out
	case []any:
		s, ok := sent.([]any)
		if !ok || len(s) != len(b) {
			return []string{path + " is another list"}
		}
		var out []string
		for i := range b {
			out = append(out, differences(form, b[i], s[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return out
	case json.Number:
		s, ok := sent.(json.Number)
		if x, y := new(big.Rat), new(big.Rat); ok {
			if _, ok1 := x.SetString(string(b)); ok1 {
				if _, ok2 := y.SetString(string(s)); ok2 && sameNumber(x, y) {
					return nil
				}
			}
		}
	default:
		if body == sent {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %v, and was %v", path, sent, body)}
}

// sameNumber takes numbers for the same that are one float64: the SDKs hold those in
// arguments and schemas so, and a whole number of more than 15 digits loses its last.
func sameNumber(x, y *big.Rat) bool {
	a, _ := x.Float64()
	b, _ := y.Float64()
	return a == b
}

// blocks is a text as the list of one text block that Anthropic's SDK sends for it,
// where a list was sent. The API takes both for the same.
func blocks(body, sent any) any {
	text, isText := body.(string)
	list, isList := sent.([]any)
	if !isText || !isList {
		return body
	}
	if text == "" && len(list) == 0 {
		return list
	}
	return []any{map[string]any{"type": "text", "text": text}}
}

func clientOf(w *wire) *http.Client { return &http.Client{Transport: w} }
