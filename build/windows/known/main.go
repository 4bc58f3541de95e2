// Command known reads what `go test -json` says from its input and compares it with a list of tests that are known to
// fail: a failure that isn't on the list is an error, and an entry of the list that has passed is told. It exits with 1
// if there was an error.
//
// The list has a reason in a line that begins with "# ", and below it the tests that it is about, a line each: the
// package and the name of the test, which is about its subtests, too.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json … | known LIST")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "known:", err)
		os.Exit(2)
	}
	list, err := parse(file)
	_ = file.Close()
	if err == nil {
		var ok bool
		if ok, err = compare(list, os.Stdin, os.Stdout); err == nil && ok {
			return
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "known:", err)
	}
	os.Exit(1)
}

// module is the beginning of the names of packages, which the list and the report leave out.
const module = "weft/"

// parse reads a list: the reason for each test, by "package test".
func parse(r io.Reader) (map[string]string, error) {
	list := map[string]string{}
	reason := ""
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
			continue
		}
		words := strings.Fields(line)
		switch {
		case len(words) != 2:
			return nil, fmt.Errorf("line %d isn't a package and a test: %q", n, line)
		case reason == "":
			return nil, fmt.Errorf("line %d has no reason above it", n)
		case list[line] != "":
			return nil, fmt.Errorf("line %d is there twice: %s", n, line)
		}
		list[words[0]+" "+words[1]] = reason
	}
	return list, lines.Err()
}

// event is a line of `go test -json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// report collects what became of the tests of each package.
type report struct {
	list           map[string]string
	out            io.Writer
	said           map[string][]string // output, by package and test
	open           map[string]bool     // tests that have begun and not ended
	failed, listed map[string]int      // by package
	used           map[string]bool     // entries of the list that have failed
	passed, left   int
	bad            bool
}

// compare reads events and writes what failed or passed against the list. It is not ok if anything failed that isn't on
// the list.
func compare(list map[string]string, r io.Reader, out io.Writer) (ok bool, err error) {
	p := &report{
		list: list, out: out, said: map[string][]string{}, open: map[string]bool{},
		failed: map[string]int{}, listed: map[string]int{}, used: map[string]bool{},
	}
	seen := map[string]bool{}
	d := json.NewDecoder(r)
	for {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return false, fmt.Errorf("read the output of go test: %w", err)
		}
		if e.Package = strings.TrimPrefix(e.Package, module); e.Package+"/" == module {
			e.Package = "."
		}
		seen[e.Package+" "+e.Test] = true
		p.take(e)
	}
	if p.passed == 0 {
		return false, errors.New("no test was run")
	}
	fmt.Fprintf(out, "%d tests passed, %d known failures, %d skipped\n", p.passed, len(p.used), p.left)
	var idle []string
	for name := range list {
		if !p.used[name] && seen[name] {
			idle = append(idle, name)
		}
	}
	slices.Sort(idle)
	for _, name := range idle {
		fmt.Fprintf(out, "Passes now, or is skipped: remove it from the list: %s\n", name)
	}
	return !p.bad, nil
}

func (p *report) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "run":
		p.open[key] = true
	case "output", "build-output":
		p.said[key+e.ImportPath] = append(p.said[key+e.ImportPath], e.Output)
	case "build-fail":
		p.bad = true
		fmt.Fprintf(p.out, "FAIL  %s couldn't be built\n%s", e.ImportPath, strings.Join(p.said[key+e.ImportPath], ""))
	case "skip":
		delete(p.open, key)
		p.left++
	case "pass":
		delete(p.open, key)
		if e.Test != "" {
			p.passed++
		}
	case "fail":
		delete(p.open, key)
		if e.Test == "" {
			p.ended(e.Package)
			return
		}
		if entry, ok := p.entry(e.Package, e.Test); ok {
			p.used[entry] = true
			p.listed[e.Package]++
			return
		}
		p.failed[e.Package]++
		p.bad = true
		fmt.Fprintf(p.out, "FAIL  %s\n%s", key, strings.Join(p.said[key], ""))
	}
}

// ended is called for a package that has failed.
func (p *report) ended(pkg string) {
	unfinished := 0
	for key := range p.open {
		if strings.HasPrefix(key, pkg+" ") {
			unfinished++
		}
	}
	// A program that ended in the middle has not run what comes after.
	if unfinished > 0 || p.failed[pkg]+p.listed[pkg] == 0 {
		p.bad = true
		fmt.Fprintf(p.out, "FAIL  %s didn't finish\n%s", pkg, strings.Join(p.said[pkg+" "], ""))
	}
}

// entry returns the entry of the list that a test is on: its own, or that of a test that it is part of. A test that
// only failed because a listed part of it did is known, too.
func (p *report) entry(pkg, test string) (string, bool) {
	for name := test; ; {
		if key := pkg + " " + name; p.list[key] != "" {
			return key, true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			break
		}
		name = name[:i]
	}
	own := false
	for _, line := range p.said[pkg+" "+test] {
		line = strings.TrimSpace(line)
		own = own || line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ")
	}
	if own {
		return "", false
	}
	for key := range p.used {
		if strings.HasPrefix(key, pkg+" "+test+"/") {
			return key, true
		}
	}
	return "", false
}
