package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// externalRows is where the measurements are that need a browser or a window: programs for
// node, each of which prints one JSON object a line,
//
//	{"name": …, "value": …, "want": …, "ok": true}
//
// for one row each; other lines are ignored. An ok that is missing makes a row for comparison.
// They run in the folder of the repository and get --weft PATH and, for a short run, --quick.
const externalRows = "frontend/bench/*.row.mjs"

// externalLimit is several times what the longest of them takes: one that never ends must not keep the table from being
// printed.
const externalLimit = 15 * time.Minute

type externalRow struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Want  string `json:"want"`
	OK    *bool  `json:"ok"`
}

// external are the rows that need a browser or a window, by the name of their program without its ending.
func external() ([]part, error) {
	programs, err := filepath.Glob(externalRows)
	if len(programs) == 0 {
		return nil, errors.Join(err, errors.New("run this in the folder of the repository: there is no "+externalRows))
	}
	var list []part
	for _, program := range programs {
		name := strings.TrimSuffix(filepath.Base(program), ".row.mjs")
		list = append(list, part{name, func(b *bench) error { return b.external(program) }})
	}
	return list, nil
}

func (b *bench) external(program string) error {
	for _, tool := range []string{"node", "chromium"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.add(row{What: program, Reached: "not measured: there is no " + tool})
			return nil
		}
	}
	args := []string{program, "--weft", b.weft}
	if b.plan == quick {
		args = append(args, "--quick")
	}
	ctx, cancel := context.WithTimeout(b.ctx, externalLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output() // a program may well exit with 1 because a row fails
	found := false
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var r externalRow
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Name == "" {
			continue
		}
		found = true
		b.add(r.row())
	}
	if !found && err == nil {
		err = errors.New("it printed no row")
	}
	if found {
		return nil
	}
	return err
}

func (r externalRow) row() row {
	out := row{What: r.Name, Reached: r.Value, Want: r.Want}
	if r.OK != nil {
		out.OK = verdictOf(*r.OK)
	}
	return out
}
