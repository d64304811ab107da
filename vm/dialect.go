package vm

// A dialect is Python's, for templates that are written for Jinja2, or the native
// language's. The code asks for the rule that it needs by name, not for the
// dialect.

// PythonPrint: values print as Python's str() and repr() have them, JSON as
// json.dumps does. Else lists and maps print as JSON.
func (d *Dialect) PythonPrint() bool { return d.Python }

// PythonErrors: operations fail where Python's do, with Python's texts and names of
// types.
func (d *Dialect) PythonErrors() bool { return d.Python }

// UndefinedObjects: a missing value is one of Jinja's Undefined objects, which has
// rules of its own (Dialect.Undefined). Else it stands for null, and what must not
// do without it is reported.
func (d *Dialect) UndefinedObjects() bool { return d.Python }

// NullIsEmpty: null and missing values hold nothing and iterate as nothing.
func (d *Dialect) NullIsEmpty() bool { return !d.Python }

// UnboundedInts: integers grow beyond 64 bits, floats overflow to infinity, powers
// may be complex. Else an overflow is an error.
func (d *Dialect) UnboundedInts() bool { return d.Python }

// BoolsAreNumbers: true counts as 1, false as 0.
func (d *Dialect) BoolsAreNumbers() bool { return d.Python }

// BytesAreTexts: bytes are the text that they spell.
func (d *Dialect) BytesAreTexts() bool { return !d.Python }

// TextsAreSequences: a text is a sequence of characters that a loop may go over,
// bytes one of numbers.
func (d *Dialect) TextsAreSequences() bool { return d.Python }

// PercentFormats: text % values formats.
func (d *Dialect) PercentFormats() bool { return d.Python }

// AttributesFirst: x.name is an attribute or a method of x before it is a key.
func (d *Dialect) AttributesFirst() bool { return d.Python }

// FunctionsAreVariables: the names of functions are variables, which data may
// replace. Else they mean the functions only where they are called.
func (d *Dialect) FunctionsAreVariables() bool { return d.Python }

// LazyResults: range and filters such as map give objects that are read item by
// item. Else they give lists.
func (d *Dialect) LazyResults() bool { return d.Python }

// NativeTags: the template is written in native tags, which have contracts,
// literal groups, `vars` and `loop.parent`, and which are checked when compiling.
func (d *Dialect) NativeTags() bool { return !d.Python }
