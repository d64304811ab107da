package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pcc-lang/pcc/internal/conformance"
)

// attack is a row of attacks/attacks.jsonl: hostile input, and what must come
// of it.
type attack struct {
	ID, Kind, Dialect, Note, Where string
	Template, Gen                  string
	File                           *string
	Files                          json.RawMessage
	Data                           json.RawMessage
	DataGen                        string `json:"data_gen"`
	DataFile                       string `json:"data_file"`
	Fixture                        string
	Must, Or                       string
	Assert                         assertion
	ExpectWarning                  bool  `json:"expect_warning"`
	MaxMS                          int64 `json:"max_ms"`
	MaxRSS                         int64 `json:"max_rss_mb"`
	MaxOut                         int   `json:"max_out"`
}

type assertion struct {
	Equals      *string
	Absent      []string
	ErrorAbsent []string `json:"error_absent"`
	Verbatim    []string
	Stable      int
	Messages    int
	Roles       []string
	Segments    [][2]any
	ValidJSON   bool `json:"valid_json"`
	NoToken     bool `json:"no_control_token_from_data"`
	FlagUnset   bool `json:"flag_unset"`
}

// verdict is what a child reports of its row.
type verdict struct {
	Outcome string // render, error or limit; none where the row has no counterpart
	Or      string // another outcome that is right
	Detail  string
	Faults  []string
	MS      int64 // of processor time, or of the clock where that cannot be told
}

// noCounterpart are rows that speak of what PCC does not have.
var noCounterpart = map[string]string{
	"bc-001": "programs have no serialised form: no file can be loaded as one", "bc-002": "", "bc-003": "", "bc-006": "", "bc-007": "",
	"bc-020": "", "bc-021": "", "bc-022": "", "bc-025": "", "bc-028": "", "bc-029": "", "bc-039": "",
}

// deviations are rows where the outcome differs and why it is right.
var attackDeviations = map[string]string{
	"enc-009": "a Jinja template's line breaks become \n, as Jinja's newline_sequence has it",
	"enc-015": "names are compared in NFC, so both spellings are one variable",
	"enc-019": "Jinja's truncate refuses a length below that of its ellipsis",
	"mem-016": "`**` is left-associative as in Jinja, so 9**9**9**9 has 696 digits and is far inside the limits",
	"mem-117": "the search for lent lists visits each map once, so it is linear in the data and the render succeeds far inside the limits",
}

const attackRow = "PCC_ATTACK_ROW"

// TestAttacks runs each hostile row in a process of its own, whose processor
// time and memory are measured. PCC_ATTACKS, a regular expression, selects rows
// by their ids: PCC_ATTACKS='^(mem|cpu)-1' go test ./cmd/pcc -run TestAttacks
func TestAttacks(t *testing.T) {
	dir := conformance.Folder(t)
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	path := filepath.Join(dir, "attacks", "attacks.jsonl")
	selected, err := regexp.Compile(os.Getenv("PCC_ATTACKS"))
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(readAttacks(t, path), func(r attack) bool { return !selected.MatchString(r.ID) })
	made := t.TempDir()
	python := generate(path, made, selected.String())
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type count struct{ held, deviating, none, skipped int }
	counts := map[string]*count{}
	for _, row := range rows {
		if raceEnabled && row.Kind != "conc" {
			continue // the detector's overhead is what would be measured
		}
		c := counts[row.ID[:strings.IndexByte(row.ID, '-')]]
		if c == nil {
			c = &count{}
			counts[row.ID[:strings.IndexByte(row.ID, '-')]] = c
		}
		if python != nil && (row.Gen != "" || row.DataGen != "" || bytes.HasPrefix(row.Files, []byte(`"py:`))) {
			c.skipped++
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			if _, none := noCounterpart[row.ID]; none {
				c.none++
				return
			}
			v := runAttack(t, exe, made, row)
			if v.Outcome == "none" {
				c.none++
				return
			}
			if v.Outcome != row.Must && (row.Or == "" || v.Outcome != row.Or) && v.Outcome != v.Or {
				v.Faults = append(v.Faults, fmt.Sprintf("outcome %s, want %s or %q", v.Outcome, row.Must, row.Or))
			}
			why, deviates := attackDeviations[row.ID]
			switch {
			case len(v.Faults) == 0 && deviates:
				t.Errorf("holds, but is listed as deviating: %s", why)
			case len(v.Faults) > 0 && deviates:
				c.deviating++
			case len(v.Faults) > 0:
				t.Errorf("%s\n%s\n%s", row.Note, strings.Join(v.Faults, "\n"), v.Detail)
			default:
				c.held++
			}
		})
	}
	if python != nil {
		t.Logf("rows that a Python expression makes are skipped: %v", python)
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c := counts[kind]
		t.Logf("%-7s %3d hold, %d deviate, %d have no counterpart, %d skipped", kind, c.held, c.deviating, c.none, c.skipped)
	}
}

func readAttacks(t *testing.T, path string) (rows []attack) {
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the conformance folder lacks the attacks: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r attack
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows
}

// makeInputs evaluates the rows' Python expressions into files.
const makeInputs = `
import json, sys, os, re
wanted = re.compile(sys.argv[3])
sys.setrecursionlimit(1000000)
def plain(x):
    if isinstance(x, bytes): return {"$bytes": x.hex()}
    if isinstance(x, dict): return {k: plain(v) for k, v in x.items()}
    if isinstance(x, list) and len(x) < 1000: return [plain(v) for v in x]
    return x
for line in open(sys.argv[1], encoding="utf-8"):
    r = json.loads(line)
    if not wanted.search(r["id"]): continue
    at = os.path.join(sys.argv[2], r["id"])
    if "gen" in r:
        x = eval(r["gen"])
        with open(at + ".src", "wb") as f: f.write(x if isinstance(x, bytes) else x.encode("utf-8", "surrogatepass"))
    if "data_gen" in r:
        with open(at + ".data", "w") as f: json.dump(plain(eval(r["data_gen"])), f)
    files = r.get("files")
    if isinstance(files, str):
        with open(at + ".files", "w") as f: json.dump(eval(files[3:]), f)
`

func generate(rows, dir, selected string) error {
	cmd := exec.Command("python3", "-c", makeInputs, rows, dir, selected)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}
