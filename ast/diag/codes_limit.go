package diag

// limitCodes are the codes PCC9xx: limits.
var limitCodes = []Entry{
	{
		Code:    "PCC920",
		Title:   "a document is too large",
		Explain: "The size of YAML and JSON documents is limited, 1 MiB by default, so that a hostile file cannot keep the reader busy.",
		Help:    "split the document",
		Form:    "limit",
		Bad:     "a YAML file of more than 1 MiB",
	},
	{
		Code:    "PCC921",
		Title:   "a document is nested too deep",
		Explain: "Lists and maps in documents may be nested 64 deep by default.",
		Help:    "flatten the document",
		Form:    "limit",
		Bad:     "a list in a list in a list, 100 deep",
	},
	{
		Code:    "PCC922",
		Title:   "a document holds too many values",
		Explain: "A document may hold 50,000 texts, numbers, lists and maps by default. Aliases count as often as they are used, so that a small file cannot grow without bound.",
		Help:    "split the document",
		Form:    "limit",
		Bad:     "a list of 100,000 items",
	},
	{
		Code:    "PCC923",
		Title:   "a document uses too many aliases",
		Explain: "A document may use 100 aliases by default.",
		Help:    "write the values out",
		Form:    "limit",
		Bad:     "a file with 101 uses of *name",
	},
}
