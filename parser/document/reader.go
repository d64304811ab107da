package document

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/ast/diag"
	"github.com/pcc-lang/pcc/ast/source"
	"github.com/pcc-lang/pcc/lexer"
	"github.com/pcc-lang/pcc/parser"
)

// withBudget makes all texts of one document share the memory that reading them
// may take.
func (o Options) withBudget() Options {
	if o.Parser.Budget == nil {
		b := lexer.NewBudget(cmp.Or(o.Parser.Memory, parser.MaxMemory))
		o.Parser.Budget = &b
	}
	return o
}

// Options tell how documents are read.
type Options struct {
	// Parser holds what every text is parsed with: known filters, the nesting
	// limit, and a syntax that replaces the document's own choice.
	Parser parser.Options
	Limits Limits
	// BlankSystem leaves a system message of an AgentForge document out that is
	// blank after rendering; else it is an error.
	BlankSystem bool
	// Form is the form to read the document by where its keys leave a choice;
	// FormTemplate is none.
	Form ast.Form
	// Version selects AgentForge's rules of a version: "" or "head", "v0.5.0",
	// "v0.4.0", "v0.2.11", "4425be8", "f5760dd".
	Version string
	// Populator replaces that of a prompt-templates document, Security its
	// jinja2_security_level; "" keeps them.
	Populator, Security string
	// Unchecked drops prompt-templates' rule that the given variables are just
	// the required ones.
	Unchecked bool
	// Tests also reads the tests in the folder `tests` beside a document; those
	// of an agent are part of it anyway.
	Tests bool
	// Tree says that the file is one of a tree, and nobody has named it: what is most
	// likely data is no prompt then.
	Tree bool
	// Data reads the text as YAML whatever the ending of its name.
	Data bool
}

// reader reads one document and the files that it names.
type reader struct {
	*reporter
	fsys fs.FS
	dir  string // of the document, "." for the root
	o    Options
	doc  *ast.Document
	head *ast.Meta
	// headVars are the `vars` of a native document's head as they stand there.
	headVars *ast.Structure
	// request are the keys of requests that were read, by their places; copied is how
	// many values the prompts have that they cannot share.
	request map[source.Span]requestEntry
	copied  int
	// shots are the files of examples, by the names that the document has for them.
	shots map[string]*ast.Structure
	// files are those that the document has named, by path, and taken is how many
	// bytes of text it has from them, those of a file again for each mention.
	files map[string]*source.File
	taken int
	// attached are the files that are parts of messages, in base64, by path.
	attached map[string]string
}

// maxTaken is how many bytes of text a document may take from files.
const maxTaken = 64 << 20

// readFile reads a regular file of at most limit bytes.
func readFile(fsys fs.FS, name string, limit int) (string, error) {
	if !fs.ValidPath(name) {
		return "", errOutside
	}
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNotRegular
	}
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return "", err
	}
	if len(b) > limit {
		return "", errTooLarge
	}
	return string(b), nil
}

var (
	errOutside    = errors.New("the name leads outside the root")
	errNotRegular = errors.New("this is no regular file")
	errTooLarge   = errors.New("the file is too large")
)

// openFault makes a diagnostic of a file that could not be read. The texts of
// system errors hold paths of the machine, and are not shown.
func (r *reporter) openFault(span source.Span, name string, err error) {
	if errors.Is(err, errTooLarge) {
		r.report("PCC920", span, "`%s` is larger than its limit", diag.Shorten(name, 120)).WithNames(name)
		return
	}
	reason := "it cannot be read"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = "there is no such file"
	case errors.Is(err, errOutside), errors.Is(err, errNotRegular):
		reason = err.Error()
	case errors.Is(err, fs.ErrPermission):
		reason = "reading it is not permitted"
	}
	r.report("PCC418", span, "cannot read `%s`: %s", diag.Shorten(name, 120), reason).WithNames(name).WithCause(err)
}

// open reads a file that the document names, relative to base, once.
func (r *reader) open(base, name string, span source.Span, limit int) (*source.File, bool) {
	full := r.inRoot(base, name)
	f := r.files[full]
	if f == nil {
		text, err := readFile(r.fsys, full, limit)
		if err != nil {
			r.openFault(span, name, err)
			return nil, false
		}
		r.doc.Files = append(r.doc.Files, full)
		if r.files == nil {
			r.files = map[string]*source.File{}
		}
		f = source.New(full, text)
		r.files[full] = f
	}
	if !r.take(name, len(f.Text), span) {
		return nil, false
	}
	return f, true
}

// inRoot is the path of a file that the document names, relative to base. What
// leads out of the root, or is no plain relative path, is no name that a file
// system takes.
func (r *reader) inRoot(base, name string) string {
	if name == "" || path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") {
		return "../" + name
	}
	return path.Join(base, name)
}

// take counts n bytes that the document has from the file name, and reports
// that they are too many.
func (r *reader) take(name string, n int, span source.Span) bool {
	if r.taken += n; r.taken <= maxTaken {
		return true
	}
	if r.taken-n <= maxTaken { // once
		r.report("PCC920", span, "with `%s` this document takes more than %d MiB from files", diag.Shorten(name, 120), maxTaken>>20).WithNames(name)
	}
	return false
}

// parserOptions are the options for a text, syntax being the document's
// choice ("" is automatic).
func (r *reader) parserOptions(syntax string) parser.Options {
	o := r.o.Parser
	if o.Syntax == nil && syntax != "" {
		o.Syntax, _ = lexer.ByName(syntax)
	}
	return o
}

// maxSource is the greatest size of a template in bytes.
func (r *reader) maxSource() int {
	if n := r.o.Parser.Source; n > 0 {
		return int(n)
	}
	return parser.MaxSource
}

// text parses the text of a scalar. Numbers and other plain scalars count as
// they are written.
func (r *reader) template(s *ast.Structure, o parser.Options) *ast.Embedded {
	f := r.textFile(s)
	t, diags := parser.Parse(f, o) // which chooses the syntax by the text where nothing else does
	r.diags = append(r.diags, diags...)
	if t.Chat {
		r.report("PCC420", s.Span(), "`message` blocks cannot stand inside a message").
			WithHelp("list the messages under `messages:`")
	}
	return &ast.Embedded{Range: s.Range, File: f, Syntax: t.Syntax, Chosen: t.Chosen, Body: t.Body, Near: t.Near}
}

func (r *reader) textFile(s *ast.Structure) *source.File {
	if s.Kind == ast.SString {
		return TextFile(r.file, s)
	}
	plain := *s
	plain.Str = s.Source
	return TextFile(r.file, &plain)
}

// file reads the template file that {file: name} names.
func (r *reader) templateFile(s *ast.Structure, base string, o parser.Options) *ast.Embedded {
	name := r.text("file", s)
	f, ok := r.open(base, name, s.Span(), r.maxSource())
	if !ok {
		return nil
	}
	t, diags := ReadTemplate(f, o)
	r.diags = append(r.diags, diags...)
	if t.Chat {
		r.report("PCC420", s.Span(), "the file `%s` holds messages of its own, and stands inside a message", diag.Shorten(name, 120)).
			WithHelp("use the file's text without `message` blocks and role markers")
		return nil
	}
	return &ast.Embedded{Range: s.Range, File: f, Syntax: t.Syntax, Chosen: t.Chosen, Body: t.Body, Near: t.Near}
}

// structure makes a copy of s whose strings with tags are templates; strings
// without stay strings. Keys are never templates.
func (r *reader) structure(s *ast.Structure, o parser.Options) ast.Structure {
	out := *s
	switch s.Kind {
	case ast.SString:
		e := r.template(s, o)
		if text, ok := plainText(e.Body); ok {
			out.Str = text
			return out
		}
		out.Kind, out.Body = ast.STemplate, []ast.Node{e}
	case ast.SList:
		out.Items = make([]ast.Structure, len(s.Items))
		for i := range s.Items {
			out.Items[i] = r.structure(&s.Items[i], o)
		}
	case ast.SMap:
		out.Map = make([]ast.Entry, len(s.Map))
		for i, e := range s.Map {
			e.Value = r.structure(&s.Map[i].Value, o)
			out.Map[i] = e
		}
	}
	return out
}

// plainText is the text of a body that holds nothing else.
func plainText(body []ast.Node) (string, bool) {
	text := ""
	for _, n := range body {
		t, ok := n.(*ast.Text)
		if !ok {
			return "", false
		}
		text += t.Value
	}
	return text, true
}

// expr parses the expression of a `when:` or `switch:`.
func (r *reader) expr(key string, s *ast.Structure) ast.Expr {
	if s.Kind == ast.SList || s.Kind == ast.SMap || s.Kind == ast.SNull {
		r.want("an expression", key, s)
		return &ast.BadExpr{Range: s.Range}
	}
	f := r.textFile(s)
	if r.bracedExpr(key, f.Text, s) {
		return &ast.BadExpr{Range: s.Range}
	}
	e, diags := parser.ParseExpr(f, source.Span{End: source.Pos(len(f.Text))}, r.parserOptions(r.head.Syntax))
	r.diags = append(r.diags, diags...)
	ast.RebaseExpr(e, f.Map)
	return e
}

// bracedExpr reports an expression that was written as a placeholder.
func (r *reader) bracedExpr(key, text string, s *ast.Structure) bool {
	inner := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(inner, "{{") && strings.HasSuffix(inner, "}}"):
		inner = inner[2 : len(inner)-2]
	case len(inner) > 2 && inner[0] == '{' && inner[len(inner)-1] == '}' && !strings.Contains(inner, ":"), // a map has colons
		len(inner) > 2 && inner[0] == '<' && inner[len(inner)-1] == '>':
		inner = inner[1 : len(inner)-1]
	default:
		return false
	}
	d := r.report("PCC420", s.Span(), "`%s` takes an expression without braces", key)
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		d.Message = "`" + key + "` takes an expression without angle brackets"
	}
	d.Help = "write " + key + ": " + diag.Shorten(strings.TrimSpace(inner), 60)
	return true
}

// bracedName reports a name in single braces or angle brackets, where a name of
// the data is wanted: `messages: "{history}"`.
func (r *reader) bracedName(key string, s *ast.Structure) bool {
	t := strings.TrimSpace(s.Str)
	if len(t) < 3 || t[0] != '{' && t[0] != '<' || t[1] == '{' || t[len(t)-1] != map[byte]byte{'{': '}', '<': '>'}[t[0]] {
		return false
	}
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(t[1:len(t)-1]), "messages "))
	d := r.report("PCC420", s.Span(), "`%s` takes a name of the data without braces", key)
	d.Help = "write " + key + ": " + diag.Shorten(name, 60)
	return true
}

// loopHead parses "history as turn".
func (r *reader) loopHead(s *ast.Structure) *ast.Loop {
	if s.Kind != ast.SString {
		r.want("a text such as `items as item`", "loop", s)
		return nil
	}
	f := r.textFile(s)
	if r.bracedExpr("loop", f.Text, s) {
		return nil
	}
	l, diags := parser.ParseLoopHead(f, source.Span{End: source.Pos(len(f.Text))}, r.parserOptions(r.head.Syntax))
	r.diags = append(r.diags, diags...)
	if l == nil {
		return nil
	}
	if c, ok := l.Iter.(*ast.Compare); ok && l.Mode == ast.LoopBare && len(c.Rest) == 1 && c.Rest[0].Op == ast.In {
		r.report("PCC420", s.Span(), "this loops over the truth of `in`").
			WithHelp("write loop: %s as %s", f.Slice(c.Rest[0].Y.Span()), f.Slice(c.X.Span()))
	}
	l.Range, l.Head = s.Range, s.Span()
	ast.RebaseTarget(&l.Target, f.Map)
	ast.RebaseExpr(l.Iter, f.Map)
	return l
}

// literal makes the role expression of a fixed role.
func literal(text string, span source.Span) *ast.Literal {
	return &ast.Literal{Range: ast.At(span), Kind: ast.StringLit, Str: text}
}

// entry adds a prompt to the document.
func (r *reader) entry(name string, span source.Span, body []ast.Node, chat bool, meta *ast.Meta, rules ast.Rules, data *ast.Structure) *ast.DocumentEntry {
	t := &ast.Template{File: r.file, Syntax: r.syntaxOf(body, rules), Body: body, Chat: chat,
		Front: &ast.FrontMatter{Meta: meta}}
	e := &ast.DocumentEntry{Name: name, Span: span, Template: t, Rules: rules, Data: data}
	r.doc.Entries = append(r.doc.Entries, e)
	return e
}

// syntaxOf is the syntax of a document's own constructs: Jinja only if it says
// so, or has the form of a Jinja system; else that of its first native text.
func (r *reader) syntaxOf(body []ast.Node, rules ast.Rules) string {
	switch {
	case rules.Syntax != "":
		return rules.Syntax
	case rules.Form == ast.FormAgent, rules.Populator == "jinja2":
		return "jinja"
	}
	syntax := ""
	ast.Walk(body, func(n ast.Node) bool {
		if e, ok := n.(*ast.Embedded); ok && syntax == "" && e.Syntax != "jinja" {
			syntax = e.Syntax
		}
		return syntax == ""
	})
	if syntax == "" {
		return "brace"
	}
	return syntax
}

// diagnostics are those found so far, in order of their places.
func (r *reader) diagnostics() diag.List {
	r.diags.Sort()
	return r.diags
}
