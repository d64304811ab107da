// Package qtpl holds the workloads as quicktemplate templates: the .qtpl files
// are the sources, the .qtpl.go files are what qtc makes of them. The data
// enters as maps or structs, the text leaves through a quicktemplate writer.
package qtpl

//go:generate go run github.com/valyala/quicktemplate/qtc@v1.8.0 -dir=.
