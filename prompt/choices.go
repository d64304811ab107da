package prompt

import (
	"github.com/pcc-lang/pcc/compiler"
	"github.com/pcc-lang/pcc/parser/document"
)

// The closed sets that options choose from.
type (
	// Syntax is the way tags are written.
	Syntax = compiler.Syntax
	// Undefined is what placeholders without a value do.
	Undefined = compiler.Undefined
	// Profile is the Jinja environment of a known program.
	Profile = compiler.Profile
	// Form is the system whose rules a text or document follows.
	Form = compiler.Form
	// Populator is how a prompt-templates document marks its variables.
	Populator = document.Populator
	// SecurityLevel is the jinja2_security_level of a prompt-templates document.
	SecurityLevel = document.SecurityLevel
)

// The values of these sets.
const (
	SyntaxAuto        = compiler.SyntaxAuto
	SyntaxBrace       = compiler.SyntaxBrace
	SyntaxAngle       = compiler.SyntaxAngle
	SyntaxSingleBrace = compiler.SyntaxSingleBrace
	SyntaxDoubleBrace = compiler.SyntaxDoubleBrace
	SyntaxSingleAngle = compiler.SyntaxSingleAngle
	SyntaxDoubleAngle = compiler.SyntaxDoubleAngle
	SyntaxJinja       = compiler.SyntaxJinja

	UndefinedKeep  = compiler.UndefinedKeep
	UndefinedError = compiler.UndefinedError
	UndefinedEmpty = compiler.UndefinedEmpty

	ProfileJinja                  = compiler.ProfileJinja
	ProfileHF                     = compiler.ProfileHF
	ProfilePromptTemplates        = compiler.ProfilePromptTemplates
	ProfilePromptTemplatesStrict  = compiler.ProfilePromptTemplatesStrict
	ProfilePromptTemplatesRelaxed = compiler.ProfilePromptTemplatesRelaxed
	ProfilePDX                    = compiler.ProfilePDX

	FormNative          = compiler.FormNative
	FormAgentForge      = compiler.FormAgentForge
	FormPromptTemplates = compiler.FormPromptTemplates
	FormPair            = compiler.FormPair
	FormAgent           = compiler.FormAgent

	PopulatorJinja2           = document.PopulatorJinja2
	PopulatorDoubleBrace      = document.PopulatorDoubleBrace
	PopulatorSingleBrace      = document.PopulatorSingleBrace
	PopulatorAutodetect       = document.PopulatorAutodetect
	PopulatorAutodetectStrict = document.PopulatorAutodetectStrict

	SecurityStrict   = document.SecurityStrict
	SecurityStandard = document.SecurityStandard
	SecurityRelaxed  = document.SecurityRelaxed
)

// Forms that Set.Form tells and WithForm does not take.
const (
	FormChatTemplate Form = "chat-template" // a tokenizer's configuration
	FormTemplate     Form = "template"      // a text without a document
)
