package diag

// checkCodes are the codes PCC2xx: names and static checks.
var checkCodes = []Entry{}
