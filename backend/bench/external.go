package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// externalRows is where the measurements are that need a browser or a window: programs for
// node, each of which prints one JSON object a line,
//
//	{"name": …, "value": …, "unit": …, "want": …, "ok": true}
//
// for one row each; other lines are ignored. An ok that is missing makes a row for comparison.
// They run in the folder of the repository and get --weft PATH and, for a short run, --quick.
const externalRows = "frontend/bench/*.row.mjs"

// externalLimit is several times what the longest of them takes: one that never ends must not keep the table from being printed.
const externalLimit = 15 * time.Minute

type externalRow struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unit"`
	Want  any    `json:"want"`
	OK    *bool  `json:"ok"`
}

func (b *bench) external() error {
	programs, err := filepath.Glob(externalRows)
	if err != nil || len(programs) == 0 {
		return err
	}
	for _, tool := range []string{"node", "chromium"} {
		if path, _ := exec.LookPath(tool); path == "" {
			b.add(row{What: externalRows, Reached: "not measured: there is no " + tool})
			return nil
		}
	}
	for _, program := range programs {
		if err := b.externalOne(program); err != nil {
			b.add(row{What: program, Reached: "failed: " + err.Error(), OK: no})
		}
	}
	return nil
}

func (b *bench) externalOne(program string) error {
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
	out := row{What: r.Name, Reached: withUnit(r.Value, r.Unit), Want: withUnit(r.Want, "")}
	if r.OK != nil {
		out.OK = verdictOf(*r.OK)
	}
	return out
}

func withUnit(v any, unit string) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strings.TrimSpace(fmt.Sprintf("%.4g %s", v, unit))
	}
	return strings.TrimSpace(fmt.Sprint(v, " ", unit))
}
