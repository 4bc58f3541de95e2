package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/permission"
)

type decisionParams struct{ Rules, Times int }

// decisionResult is the processor time of decisions, in µs, by class of request.
type decisionResult struct {
	Decided, Read map[string][]float64 // the decision alone, and with reading the request
}

// decisionClasses are the requests, in the order of the table. No rule answers any of them early.
var decisionClasses = []struct {
	name, command string // without a command: an edit of a file
}{
	{"a plain command", "cd src && git status --short | head -3"},
	{"an edit", ""},
	{"an unknown program", "deploy --to=staging src/a.go docs/x.md one two three four"},
	{"a command within others", "sudo timeout 5 git -C . --no-pager push origin main"},
	{"a command of 16 KB", "git status " + strings.Repeat("word ", 3<<10)},
}

func decisionWork(p decisionParams) (r decisionResult, err error) {
	runtime.LockOSThread() // the clock is that of a thread
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp("", "weft-bench")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"src", "docs"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return r, err
		}
	}
	set := permission.NewSet(decisionRules(p.Rules))
	at := permission.Place{SpaceID: "s", Folder: dir}
	r = decisionResult{Decided: map[string][]float64{}, Read: map[string][]float64{}}
	for _, class := range decisionClasses {
		call := permission.Call{Kind: "edit", Paths: []string{"src/a.go"}, Diffs: []string{"src/a.go"}}
		if class.command != "" {
			input, err := json.Marshal(map[string]string{"command": class.command})
			if err != nil {
				return r, err
			}
			call = permission.Call{Kind: "execute", Input: input}
		}
		for range p.Times {
			began := threadTime()
			sub := permission.Describe(&call, at)
			read := threadTime()
			set.Decide(sub, permission.FollowRules)
			decided := threadTime()
			r.Decided[class.name] = append(r.Decided[class.name], float64(decided-read)/1e3)
			r.Read[class.name] = append(r.Read[class.name], float64(decided-began)/1e3)
		}
	}
	return r, nil
}

// decisionRules are rules of all sorts, as many of each.
func decisionRules(n int) []permission.Rule {
	rules := make([]permission.Rule, n)
	for i := range rules {
		r := permission.Rule{ID: fmt.Sprint(i), Scope: permission.Everywhere, Enabled: true}
		switch i % 4 {
		case 0:
			r.Effect, r.Command = permission.Allow, fmt.Sprintf("git sub%d", i)
		case 1:
			r.Effect, r.Kind, r.Path = permission.Allow, "edit", fmt.Sprintf("src%d/**/*.go", i)
		case 2:
			r.Effect, r.Path = permission.Reject, fmt.Sprintf("**/secret%d/*.pem", i)
		case 3:
			r.Effect, r.Command = permission.Reject, fmt.Sprintf("git never%d --force", i)
		}
		rules[i] = r
	}
	return rules
}

// decision measures what the permission broker decides in, with many rules.
func (b *bench) decision() error {
	p := decisionParams{Rules: 1000, Times: 1000 * b.plan.rounds}
	var r decisionResult
	if err := b.work("decision", p, &r); err != nil {
		return err
	}
	worst := 0.0
	var classes []string
	for _, class := range decisionClasses {
		p99 := percentile(r.Decided[class.name], 99)
		worst = max(worst, p99)
		classes = append(classes, fmt.Sprintf("%s %.0f (%.0f)", class.name, p99, percentile(r.Read[class.name], 99)))
	}
	b.add(row{
		What:    "deciding with 1,000 permission rules, p99 in µs of processor time (with reading the request)",
		Reached: strings.Join(classes, ", "),
		Want:    "≤ 100 µs each",
		OK:      verdictOf(worst <= 100),
	})
	return nil
}
