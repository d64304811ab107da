// Package sdk holds no code: its tests send the bodies that PCC makes through the
// official Go SDKs of the providers, and hold what the SDKs send against them. The
// packages beside it, openaiparams, anthropicparams and genaiparams, give a rendered
// request as the parameters that an SDK's client takes.
package sdk
