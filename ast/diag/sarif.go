package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pcc-lang/pcc/ast/source"
)

// The types below are the part of SARIF 2.1.0 (OASIS standard) that is
// written here; the names are the standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string        `json:"id"`
		ShortDescription *sarifMessage `json:"shortDescription,omitempty"`
		FullDescription  *sarifMessage `json:"fullDescription,omitempty"`
		Help             *sarifMessage `json:"help,omitempty"`
		Default          *sarifConfig  `json:"defaultConfiguration,omitempty"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
		ByteOffset  int `json:"byteOffset"`
		ByteLength  int `json:"byteLength"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent,omitempty"`
	}
)

// SARIFOptions names the tool in a SARIF log.
type SARIFOptions struct {
	Version string // of the tool, may be empty
}

// SARIF writes the list as one SARIF 2.1.0 log, an empty list as a log
// without results. Columns count characters (columnKind unicodeCodePoints).
func SARIF(w io.Writer, l List, o SARIFOptions) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "pcc", Version: o.Version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	rules := map[Code]int{}
	for _, d := range l {
		r := sarifResult{RuleID: string(d.Code), Level: d.Severity.String(), Message: sarifMessage{Shorten(d.Message, maxMessage)}}
		if d.Note != "" {
			r.Message.Text += "\n" + Shorten(d.Note, maxNote)
		}
		if d.Help != "" {
			r.Message.Text += "\n" + Shorten(d.Help, maxHelp)
		}
		if d.Code != "" {
			i, ok := rules[d.Code]
			if !ok {
				i = len(run.Tool.Driver.Rules)
				rules[d.Code] = i
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(d.Code))
			}
			r.RuleIndex = &i
		}
		if loc, ok := sarifLocationOf(d.File, d.Span); ok {
			if d.SpanLabel != "" {
				loc.Message = &sarifMessage{Shorten(d.SpanLabel, maxLabelText)}
			}
			r.Locations = []sarifLocation{loc}
		}
		for i, lb := range d.Labels {
			f := lb.File
			if f == nil {
				f = d.File
			}
			if loc, ok := sarifLocationOf(f, lb.Span); ok {
				loc.ID, loc.Message = i+1, &sarifMessage{Shorten(lb.Message, maxLabelText)}
				r.Related = append(r.Related, loc)
			}
		}
		if d.Fix != nil {
			if loc, ok := sarifLocationOf(d.File, d.Fix.Span); ok {
				text := d.Help
				if text == "" {
					text = "write " + d.Fix.Replacement
				}
				r.Fixes = []sarifFix{{sarifMessage{text}, []sarifChange{{
					loc.Physical.Artifact,
					[]sarifReplacement{{loc.Physical.Region, &sarifMessage{d.Fix.Replacement}}},
				}}}}
			}
		}
		run.Results = append(run.Results, r)
	}
	out, err := encodeJSON(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	}, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

func sarifRuleOf(code Code) sarifRule {
	r := sarifRule{ID: string(code)}
	if e, ok := Lookup(code); ok {
		r.ShortDescription = &sarifMessage{e.Title}
		r.FullDescription = &sarifMessage{e.Explain}
		r.Default = &sarifConfig{e.Severity.String()}
		if e.Help != "" {
			r.Help = &sarifMessage{e.Help}
		}
	}
	return r
}

func sarifLocationOf(f *source.File, s source.Span) (sarifLocation, bool) {
	p, ok := placeOf(f, s)
	if !ok {
		return sarifLocation{}, false
	}
	return sarifLocation{Physical: sarifPhysical{
		sarifArtifact{fileURI(p.file.Name)},
		sarifRegion{p.start.Line, p.start.Column, p.end.Line, p.end.Column, p.start.Offset, p.span.Len()},
	}}, true
}

// fileURI turns a file's name into a URI reference (RFC 3986): relative names
// stay relative, absolute ones get the file scheme.
func fileURI(name string) string {
	slashed := filepath.ToSlash(name)
	u := url.URL{Path: slashed}
	if strings.HasPrefix(slashed, "/") {
		u.Scheme = "file"
	}
	s := u.String()
	// url.URL guards a first segment with a colon as "./a:b"; keep that.
	return s
}

// Codes returns the codes that occur in the list, sorted, each once.
func (l List) Codes() []Code {
	var codes []Code
	for _, d := range l {
		if d.Code != "" {
			codes = append(codes, d.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
