package diag

// syntaxCodes are the codes PCC1xx: the parser.
var syntaxCodes = []Entry{}
