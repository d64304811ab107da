package diag

// renderCodes are the codes PCC3xx: rendering.
var renderCodes = []Entry{}
