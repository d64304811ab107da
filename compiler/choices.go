package compiler

import "github.com/pcc-lang/pcc/parser/document"

// The closed sets that options choose from. They are texts, so that a value of a
// configuration file converts to one; an option that is given another text is a
// fault of compiling, with a code.
type (
	// Syntax is the way tags are written.
	Syntax string
	// Undefined is what placeholders without a value do.
	Undefined string
	// Profile is the Jinja environment of a known program.
	Profile string
	// Form is the system whose rules a text or document follows.
	Form string
	// Populator is how a prompt-templates document marks its variables.
	Populator = document.Populator
	// SecurityLevel is the jinja2_security_level of a prompt-templates document.
	SecurityLevel = document.SecurityLevel
)

// Syntaxes.
const (
	SyntaxAuto        Syntax = "auto"         // the text decides; the default
	SyntaxBrace       Syntax = "brace"        // {var} and {{var}}
	SyntaxAngle       Syntax = "angle"        // <var> and <<var>>
	SyntaxSingleBrace Syntax = "single-brace" // {var} alone
	SyntaxDoubleBrace Syntax = "double-brace" // {{var}} alone
	SyntaxSingleAngle Syntax = "single-angle" // <var> alone
	SyntaxDoubleAngle Syntax = "double-angle" // <<var>> alone
	SyntaxJinja       Syntax = "jinja"        // Jinja2
)

// What placeholders without a value do.
const (
	UndefinedKeep  Undefined = "keep"  // they stay as they are written
	UndefinedError Undefined = "error" // they are errors
	UndefinedEmpty Undefined = "empty" // they print nothing
)

// Jinja environments of known programs.
const (
	ProfileJinja                  Profile = "jinja" // jinja2.Environment() of Python
	ProfileHF                     Profile = "hf"    // chat templates of transformers
	ProfilePromptTemplates        Profile = "prompt-templates"
	ProfilePromptTemplatesStrict  Profile = "prompt-templates-strict"
	ProfilePromptTemplatesRelaxed Profile = "prompt-templates-relaxed"
	ProfilePDX                    Profile = "pdx" // values are texts before they are rendered
)

// Forms of documents.
const (
	FormNative          Form = "native"
	FormAgentForge      Form = "agentforge"       // {path} placeholders, Markdown values
	FormPromptTemplates Form = "prompt-templates" // the library of Hugging Face's hub
	FormPair            Form = "pair"             // Phronomy's {{name}}
	FormAgent           Form = "agent"            // PDX's folders, Jinja
)

// Options are the options of the Jinja environment that WithProfile selects, to
// be changed and given to WithJinja after it. ok is false where there is no such
// profile.
func (p Profile) Options() (o JinjaOptions, ok bool) {
	set, ok := profiles[p]
	if !ok {
		return o, false
	}
	var c jinjaConfig
	set(&c)
	return c.opts, true
}
