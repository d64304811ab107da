package diag

// kind is the error that errors.Is finds in the findings of a kind. Kinds are
// what callers tell apart: whose fault it is, and what to answer.
type kind struct{ text string }

func (k *kind) Error() string { return k.text }

// The kinds of errors. errors.Is(err, ErrMissing) holds where any finding in err
// is of that kind.
var (
	// ErrTemplate: the template, the document or an option is wrong. No data can
	// mend it.
	ErrTemplate error = &kind{"the template, document or option is wrong"}
	// ErrMissing: the data lack a value that the template needs.
	ErrMissing error = &kind{"a value is missing"}
	// ErrData: the data, or the chat request, are not what the template takes:
	// of another type, out of range, refused by the template, or no JSON.
	ErrData error = &kind{"the data are wrong"}
	// ErrLimit: a limit of size, depth, steps or memory was reached.
	ErrLimit error = &kind{"a limit was reached"}
)

// kind returns the kind of c, nil where it has none: a panic of a host's
// function, an operation of the sandbox, a render that was cancelled.
func (c Code) kind() error {
	switch c {
	case "PCC301", "PCC304", "PCC328":
		return ErrMissing
	case "PCC305", "PCC306", "PCC309", "PCC310", "PCC311", "PCC312", "PCC320", "PCC321", "PCC322", "PCC323", "PCC327",
		"PCC330", "PCC331", "PCC332", "PCC333", "PCC350", "PCC351", "PCC352", "PCC354", "PCC360", "PCC361", "PCC362", "PCC371":
		return ErrData
	case "PCC307", "PCC308", "PCC326":
		return ErrTemplate
	case "PCC910":
		return nil // errors.Is finds the context's error
	}
	switch c.Stage() {
	case LexerStage, SyntaxStage, CheckStage, DocumentStage:
		return ErrTemplate
	case LimitStage:
		return ErrLimit
	}
	return nil
}
