package diag

// reportCodes are the codes PCC38x: what a render that succeeded has to say.
var reportCodes = []Entry{
	{Code: "PCC380", Severity: Warning, Title: "a placeholder is kept",
		Explain: "A placeholder in single delimiters such as {name} is printed as it is written where the data has no value for it, so that braces in prose need no escaping. If it was meant as text, ignore the warning; if it was meant as a variable, its value is missing.",
		Help:    "give the value, or write it as a literal: /{name/}",
		Bad:     "Dear {nmae}", Good: "Dear {name}", Data: `{"name": "Ada"}`, Syntax: "brace"},
	{Code: "PCC381", Severity: Note, Title: "a section is left out",
		Explain: "A section of an AgentForge prompt is left out if one of its variables is missing, null, or an empty text, list or map. The rest of the prompt is rendered without it.",
		Help:    "give the values if the section should be rendered", Form: "limit", Bad: "a section that reads a variable without a value"},
	{Code: "PCC382", Severity: Warning, Title: "a value that the template does not read",
		Explain: "The data, or the command line, gives a name that the template never reads. Most often it is misspelt: of names in the data only those are told that are like a variable which the data lacks.",
		Help:    "mend the name",
		Bad:     "Dear {name|default(\"friend\")}", Good: "Dear {nmae|default(\"friend\")}", Data: `{"nmae": "Ada"}`, Syntax: "brace"},
	{Code: "PCC383", Severity: Warning, Title: "a block reads a name that the data lacks",
		Explain: "In the head of a block a missing value counts as null, so that the section is left out without a word where the name is misspelt. The data has no such name but one like it, and nothing declares the name as optional. With `undefined: error` every such name is an error.",
		Help:    "mend the name, declare it under `variables:` with `required: false`, or ask for it: {when name is defined}",
		Bad:     "{when premuim}VIP{/when}", Good: "{when premium}VIP{/when}", Data: `{"premium": true}`, Syntax: "brace"},
	{Code: "PCC384", Severity: Warning, Title: "a Go value is printed without its own text",
		Explain: "The type of a value in the data has a method that gives its text: Error, String or MarshalText. Methods of the data are called only where WithHostMethods allows it, so that a template cannot run the host's code. Without it the value prints by what it is made of: a time.Duration as a number, an error as an empty map, and a string that its method would hide as it is. Each type is told once.",
		Help:    "compile with WithHostMethods, or give the text itself as the data", Form: "limit", Bad: "{{ timeout }} with a time.Duration"},
	{Code: "PCC385", Severity: Warning, Title: "a list that is nearly one of parts is written as text",
		Explain: "A placeholder that is all of a message, or an item of its content, inserts a list of parts such as {text: …} or {image: {url: …}}. A list that holds anything else is written as text. This one holds parts and something else, or an item whose key is like that of a part.",
		Help:    "give a list of parts only: {text: …}, {image: …}, {audio: …}, {file: …}, or those of a provider with their type", Form: "report",
		Bad: "- user: \"{photos}\" with photos: [{\"imag\": {\"url\": \"…\"}}]"},
}
