package diag

// lexerCodes are the codes PCC0xx: the scanner.
var lexerCodes = []Entry{}
