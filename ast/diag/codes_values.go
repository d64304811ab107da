package diag

// valueCodes are the codes PCC320 to PCC349: operations on values.
var valueCodes = []Entry{}
