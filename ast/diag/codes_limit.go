package diag

// limitCodes are the codes PCC9xx: limits.
var limitCodes = []Entry{}
