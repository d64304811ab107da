# The same steps as .ci/run, one by one.
.PHONY: all build test race lint tidy fuzz bench golden ci

FUZZTIME ?= 2m

all: lint test

build:
	go build -trimpath -o pcc ./cmd/pcc

test:
	go test ./...

race:
	go test -race ./...

lint:
	test -z "$$(gofmt -l . | tee /dev/stderr)"
	go vet ./...
	staticcheck ./...

tidy:
	go mod tidy
	cd bench && go mod tidy
	for mod in contrib/*/go.mod; do (cd $$(dirname $$mod) && go mod tidy) || exit 1; done

# For long: each fuzz target for FUZZTIME.
fuzz:
	.ci/fuzz $(FUZZTIME)

bench:
	cd bench && go test -run '^$$' -bench . -benchmem ./...

# Rewrites the scripts' expected outputs; read the diff before you commit it.
golden:
	PCC_UPDATE=1 go test ./cmd/pcc

ci:
	.ci/run
