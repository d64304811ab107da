#!/usr/bin/env bash
# Measures everything and puts the tables into BENCHMARKS.md. Arguments go to
# compare and growth, for example -rounds 5.
set -euo pipefail
cd "$(dirname "$0")"
tables=$(mktemp)
trap 'rm -f "$tables" "$tables.new"' EXIT
go test -count=1 . >&2 # equal outputs first
{
	echo "Commit $(git rev-parse --short HEAD), $(date -u +%Y-%m-%d), $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)," \
		"$(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | sed 's/^ *//')."
	echo
	go run ./cmd/compare "$@"
	echo "After renders of mixed sizes:"
	echo
	go run ./cmd/compare -mixed -work render -engines '^(hand-written, map data.*|PCC.*|quicktemplate.*|fasttemplate|text/template)$' "$@" |
		awk '!NF { rest = 1 } !rest' # the ratios alone
	echo
	echo "Growth:"
	echo
	go run ./cmd/growth "$@"
} >"$tables"
awk -v tables="$tables" '
	/^<!-- end of tables -->$/ { inside = 0 }
	!inside { print }
	/^<!-- tables -->$/ { inside = 1; print ""; while ((getline line < tables) > 0) print line }
' BENCHMARKS.md >"$tables.new"
cat "$tables.new" >BENCHMARKS.md
