package message

import (
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/vm"
)

// media is what an image, audio or file part holds: an address or data.
type media struct {
	url       string
	data      string // in base64
	mediaType string // "" where it is not known
	name      string // of a file
	detail    string // of an image in OpenAI's form
	// Places in the message, for errors: of the part's map, and of the media
	// type or what stands for it.
	field, typeField string
}

// readMedia reads v, which stands in p under the key inner: in OpenAI's form
// where typed is set, else in the short form.
func (p *part) readMedia(v vm.Value, i int, inner string, typed bool) error {
	x := &p.media
	x.field = p.field + "." + inner
	x.typeField = x.field + ".media_type"
	if s, ok := v.Str(); ok && p.kind == imagePart {
		x.url, x.typeField = s, x.field
		x.split()
		return nil
	}
	if !v.IsMapping() {
		return fault("PCC360", i, x.field, "this is a map, and not %s", v.Kind().Noun()).WithHelp(mediaHelp)
	}
	fields := map[string]*string{"url": &x.url, "data": &x.data, "media_type": &x.mediaType}
	format := ""
	switch {
	case typed && p.kind == imagePart:
		fields = map[string]*string{"url": &x.url, "detail": &x.detail}
		x.typeField = x.field + ".url"
	case typed && p.kind == audioPart:
		fields = map[string]*string{"data": &x.data, "format": &format}
		x.typeField = x.field + ".format"
	case typed:
		fields = map[string]*string{"file_data": &x.url, "filename": &x.name}
		x.typeField = x.field + ".file_data"
	case p.kind == filePart:
		fields["name"] = &x.name
	}
	e, err := reader().Entries(v)
	if err != nil {
		return err
	}
	for j := range e.Len() {
		k, value := e.At(j)
		key, _ := k.Str()
		if value.IsMissing() {
			continue
		}
		to, ok := fields[key]
		if !ok {
			return fault("PCC360", i, x.field+"."+diag.ClipName(key), "no form has a counterpart of the key `%s` of %s", diag.ClipName(key), p.kind.noun()).WithNames(key).WithHelp(mediaHelp)
		}
		if *to, ok = value.Str(); !ok {
			return fault("PCC360", i, x.field+"."+key, "this is a text, and not %s", value.Kind().Noun()).WithHelp(mediaHelp)
		}
	}
	if (x.url == "") == (x.data == "") {
		return fault("PCC360", i, x.field, "%s has either an address or data", p.kind.noun()).WithHelp(mediaHelp)
	}
	if format != "" {
		x.mediaType = "audio/" + format
		if format == "mp3" {
			x.mediaType = "audio/mpeg"
		}
	}
	x.split()
	if typed && p.kind == filePart && x.data == "" {
		x.data, x.url = x.url, "" // without "data:…", as some servers take it
	}
	if x.data != "" && x.mediaType == "" {
		return fault("PCC360", i, x.typeField, "data needs its media type").WithHelp(mediaHelp)
	}
	return nil
}

const mediaHelp = "write {image: {url: …, media_type: image/png}}, or `data:` with the base64 text in place of `url:`; likewise audio and file"

// split takes an address such as data:image/png;base64,… apart.
func (x *media) split() {
	rest, ok := strings.CutPrefix(x.url, "data:")
	if !ok {
		return
	}
	if mediaType, data, ok := strings.Cut(rest, ";base64,"); ok {
		x.url, x.data, x.mediaType = "", data, mediaType
	}
}

// dataURL is the data as an address.
func (x *media) dataURL() string { return "data:" + x.mediaType + ";base64," + x.data }

// only refuses media types of data other than those that are listed.
func (x *media) only(s *spelling, i int, types ...string) error {
	if x.mediaType == "" || slices.Contains(types, x.mediaType) {
		return nil
	}
	return fault("PCC360", i, x.typeField, "the form %s takes %s here, and not %q", s.form, strings.Join(types, ", "), diag.ClipName(x.mediaType)).
		WithHelp("convert it, or choose another form with --as")
}

// noDetail refuses how closely an image is to be looked at, which is OpenAI's.
func (x *media) noDetail(s *spelling, i int) error {
	if x.detail == "" || x.detail == "auto" {
		return nil
	}
	return fault("PCC360", i, x.field+".detail", "the form %s has no counterpart of the key `detail`", s.form).WithNames("detail")
}
