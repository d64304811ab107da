package chat

import (
	"context"
	"strconv"
	"strings"

	"github.com/pcc-lang/pcc/vm"
)

// Media is an image, a sound or a video of a request, and where the prompt marks it.
type Media struct {
	// Kind is the type of the part, as the request writes it: image, image_url,
	// audio, input_audio, audio_url, video or video_url.
	Kind string `json:"kind"`
	// Path is where in the request the part stands, such as messages[0].content[1].
	Path string `json:"path"`
	// Source is what the part gives, if that is a text: an address, a path, or the
	// data itself.
	Source string `json:"source,omitempty"`
	// Start and End are the byte offsets of the template's marker for the part in the
	// prompt. They are -1 where the template writes none, where it is not one text
	// (see Capabilities), where the prompt has more markers or fewer of that kind than
	// the request has parts, and where continue_final_message cut it off. Markers in
	// data do not count.
	Start int `json:"start"`
	End   int `json:"end"`
}

// mediaKeys are the keys that may hold the source of a part, by the type.
var mediaKeys = map[string][]string{
	"image": {"image", "url", "path", "base64"}, "image_url": {"image_url"},
	"audio": {"audio", "url", "path", "base64"}, "input_audio": {"input_audio"}, "audio_url": {"audio_url"},
	"video": {"video", "url", "path"}, "video_url": {"video_url"},
}

// media finds the parts of the request's messages and their markers in the
// template's own pieces of the prompt, both in order.
func (n *named) media(ctx context.Context, messages *vm.List, segments []Segment, prompt string) ([]Media, error) {
	var all []Media
	for i, m := range messages.Items {
		content, _ := vm.Lookup(m, "content")
		parts, ok := content.List()
		if !ok {
			continue
		}
		for j, p := range parts.Items {
			t, _ := vm.Lookup(p, "type")
			kind, _ := t.Str()
			keys, ok := mediaKeys[kind]
			if !ok {
				continue
			}
			all = append(all, Media{Kind: kind, Path: "messages[" + strconv.Itoa(i) + "].content[" + strconv.Itoa(j) + "]",
				Source: mediaSource(p, keys), Start: -1, End: -1})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	c := n.capabilities(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	byMarker := map[string][]*Media{}
	for i := range all {
		if marker := c.marker(all[i].Kind); marker != "" {
			byMarker[marker] = append(byMarker[marker], &all[i])
		}
	}
	for marker, parts := range byMarker {
		found := 0
		for _, s := range segments {
			if s.FromData {
				continue
			}
			for at := s.Start; ; {
				i := strings.Index(prompt[at:s.End], marker)
				if i < 0 {
					break
				}
				at += i + len(marker)
				if found < len(parts) {
					parts[found].Start, parts[found].End = at-len(marker), at
				}
				found++
			}
		}
		if found != len(parts) {
			for _, p := range parts {
				p.Start, p.End = -1, -1
			}
		}
	}
	return all, nil
}

// mediaSource is the text under one of the keys, or under url or data in the map
// there.
func mediaSource(part vm.Value, keys []string) string {
	for _, key := range keys {
		v, _ := vm.Lookup(part, key)
		for _, inner := range []string{"url", "data"} {
			if v.IsMapping() {
				if x, ok := vm.Lookup(v, inner); ok {
					v = x
				}
			}
		}
		if s, ok := v.Str(); ok {
			return s
		}
	}
	return ""
}

// marker is the text that the template writes for a part, without space around
// it, "" where it is none.
func (c *Capabilities) marker(kind string) string {
	var m *string
	switch kind {
	case "image":
		m = c.ImageMarker
	case "image_url":
		m = c.ImageURLMarker
	case "audio", "input_audio", "audio_url":
		m = c.AudioMarker
	case "video", "video_url":
		m = c.VideoMarker
	}
	if m == nil {
		return ""
	}
	return strings.TrimSpace(*m)
}
