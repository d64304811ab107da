#!/usr/bin/env bash
# Measures the engines on recorded chat templates and puts the tables into
# BENCHMARKS.md: once with the newest ardanlabs/jinja that builds with the Go of
# go.mod, and once more with the newest that there is, which needs a newer Go.
# Arguments go to exact, such as -sample 10.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PCC_CONFORMANCE=${PCC_CONFORMANCE:?names the folder of the recorded runs}

newest=v1.12.0 newest_go=go1.27.3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commit=$(git rev-parse --short HEAD)
{
	echo "Commit $commit, $(date -u +%Y-%m-%d), $(go env GOOS)/$(go env GOARCH)," \
		"$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | sed 's/^ *//')."
	echo
	echo "With $(go env GOVERSION) and ardanlabs/jinja $(go list -m -f '{{.Version}}' github.com/ardanlabs/jinja):"
	echo
	go run ./cmd/exact "$@"
	cp go.mod "$work/newest.mod"
	cp go.sum "$work/newest.sum"
	sed -i "s#=> ../#=> $(cd .. && pwd)/#" "$work/newest.mod"
	export GOTOOLCHAIN=$newest_go
	if go get -modfile="$work/newest.mod" github.com/ardanlabs/jinja@$newest 2>"$work/err"; then
		echo "With $newest_go and ardanlabs/jinja $newest:"
		echo
		go run -modfile="$work/newest.mod" ./cmd/exact "$@"
	else
		cat "$work/err" >&2
		echo "ardanlabs/jinja $newest could not be fetched."
		echo
	fi
} >"$work/tables"
awk -v tables="$work/tables" '
	/^<!-- end of chat tables -->$/ { inside = 0 }
	!inside { print }
	/^<!-- chat tables -->$/ { inside = 1; print ""; while ((getline line < tables) > 0) print line }
' BENCHMARKS.md >"$work/new"
cat "$work/new" >BENCHMARKS.md
