package document

// Populator is how the templates of a prompt-templates document mark variables.
type Populator string

// Populators. The library's names with `_regex`, and "jinja", mean the same.
const (
	PopulatorJinja2           Populator = "jinja2"
	PopulatorDoubleBrace      Populator = "double_brace"
	PopulatorSingleBrace      Populator = "single_brace"
	PopulatorAutodetect       Populator = "autodetect"        // the rule of the library's v0.0.11
	PopulatorAutodetectStrict Populator = "autodetect_strict" // a later rule that fails where no placeholder tells
)

// SecurityLevel is the jinja2_security_level of a prompt-templates document.
type SecurityLevel string

// Security levels.
const (
	SecurityStrict   SecurityLevel = "strict"
	SecurityStandard SecurityLevel = "standard"
	SecurityRelaxed  SecurityLevel = "relaxed"
)
