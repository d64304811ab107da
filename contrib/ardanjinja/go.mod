module github.com/pcc-lang/pcc/contrib/ardanjinja

go 1.26.5

require github.com/pcc-lang/pcc v0.0.0-00010101000000-000000000000

require (
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/text v0.23.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/pcc-lang/pcc => ../..
