package diag

// documentCodes are the codes PCC4xx: documents and data files.
var documentCodes = []Entry{}
