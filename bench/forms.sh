#!/usr/bin/env bash
# Measures the same data in each form that Go has for it and puts the tables into
# BENCHMARKS.md. Arguments go to forms, for example -rounds 5.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -count=1 ./cmd/forms >&2 # equal outputs first
{
	echo "Commit $(git rev-parse --short HEAD), $(date -u +%Y-%m-%d), $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)," \
		"$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | sed 's/^ *//')."
	echo
	go run ./cmd/forms "$@"
} >"$work/tables"
awk -v tables="$work/tables" '
	/^<!-- end of forms tables -->$/ { inside = 0 }
	!inside { print }
	/^<!-- forms tables -->$/ { inside = 1; print ""; while ((getline line < tables) > 0) print line }
' BENCHMARKS.md >"$work/new"
cat "$work/new" >BENCHMARKS.md
