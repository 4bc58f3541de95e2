package actions

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/permission"
)

var seedFlag = flag.Uint64("seed", 1, "of the random histories")

// grammar makes actions of few files, texts and commands, so that many are about the same thing.
type grammar struct{ *rand.Rand }

func (g grammar) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g grammar) text() string { return g.pick("", "a", "b\n", "a\nb", "ab") }

// request is what an agent asks about: one or more files, with or without changes, or a command.
func (g grammar) request() Action {
	if g.IntN(3) == 0 {
		return g.command()
	}
	a := Action{Kind: g.pick(Read, Edit, Edit)}
	for range 1 + g.IntN(2) {
		if f := g.pick("/f", "/g"); !slices.Contains(a.Files, f) {
			a.Files = append(a.Files, f)
		}
	}
	if a.Kind == Edit {
		for range g.IntN(3) {
			a.Changes = append(a.Changes, Change{Path: g.pick(a.Files...), Old: g.text(), New: g.text(), Fresh: g.IntN(4) == 0})
		}
	}
	return a
}

func (g grammar) command() Action {
	return Action{Kind: Execute, Runs: []Run{{Command: CommandKey(g.pick("ls", "rm x", "a; b"), nil), Dir: g.pick("/", "/d"), Env: g.pick("", "", "A=b")}}}
}

// wish is what an agent has Weft do: read or write one file, or run a command.
func (g grammar) wish() Action {
	if g.IntN(3) == 0 {
		return g.command()
	}
	f := g.pick("/f", "/g")
	a := Action{Kind: g.pick(Read, Edit, Edit), Files: []string{f}}
	if a.Kind == Edit {
		a.Changes = []Change{{Path: f, Old: g.text(), New: g.text()}}
	}
	return a
}

// Whatever is asked, answered and done in a turn: an answer covers only its action, and an approval is used once.
func TestAnswerCoversOnlyItsAction(t *testing.T) {
	t.Parallel()
	covered, settled := 0, 0
	for n := range uint64(20_000) {
		g := grammar{rand.New(rand.NewPCG(*seedFlag, n))}
		var answers Answers
		var trace []string
		failf := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d, history %d: %s\n%s", *seedFlag, n, fmt.Sprintf(format, args...), strings.Join(trace, "\n"))
		}
		writes, uses := map[*Answer]map[string]int{}, map[*Answer]int{}
		for range 2 + g.IntN(12) {
			switch g.IntN(3) {
			case 0:
				a := Answer{Action: g.request(), Allow: g.IntN(3) > 0, Always: g.IntN(5) == 0}
				if a.Own = g.IntN(3) == 0; a.Own {
					a.Action = g.wish()
				}
				trace = append(trace, fmt.Sprintf("answered %+v", a))
				answers.Remember(a)
			case 1:
				w, sensitive := g.wish(), g.IntN(4) == 0
				a := answers.Covers(&w, sensitive, w.OldText)
				trace = append(trace, fmt.Sprintf("wish %+v, sensitive %v: %+v", w, sensitive, a))
				if a == nil {
					continue
				}
				covered++
				if writes[a] == nil {
					writes[a] = map[string]int{}
				}
				switch w.Kind {
				case Execute:
					writes[a][""]++
					if a.Kind != Execute || !slices.Equal(a.Runs, w.Runs) || a.Allow && a.Own {
						failf("another command is covered")
					}
					if a.Allow && !a.Always && writes[a][""] > 1 {
						failf("a command is run twice after one yes")
					}
				case Read:
					if !slices.Contains(a.Files, w.Files[0]) || a.Kind == Execute || a.Kind == Edit && !a.Allow {
						failf("another file is read")
					}
				case Edit:
					writes[a][w.Files[0]]++
					if a.Kind != Edit || !slices.Contains(a.Files, w.Files[0]) || a.Allow && a.Own {
						failf("another file is written")
					}
					if a.Allow && writes[a][w.Files[0]] > 1 {
						failf("a file is written twice after one yes")
					}
					if len(a.Changes) == 0 && sensitive {
						failf("a file that needs an answer of its own is written after a request that showed nothing")
					}
					if len(a.Changes) > 0 && !slices.ContainsFunc(a.Changes, func(c Change) bool {
						return c.Path == w.Files[0] && (results(&c, &w.Changes[0]) || isDone(&c, &w.Changes[0]))
					}) {
						failf("a text is written that was not shown")
					}
				}
			default:
				r := g.request()
				a := answers.Settles(&r)
				trace = append(trace, fmt.Sprintf("asked %+v: %+v", r, a))
				if a == nil {
					continue
				}
				settled++
				uses[a]++
				if !a.Own || a.Kind != r.Kind || !slices.Equal(a.Runs, r.Runs) || !slices.Equal(a.Files, r.Files) || a.Allow && uses[a] > 1 {
					failf("a request is settled by another answer")
				}
				for i := range r.Changes {
					if !results(&r.Changes[i], &a.Changes[0]) {
						failf("a request is settled by an answer about another change")
					}
				}
			}
		}
	}
	if covered < 5000 || settled < 1000 {
		t.Errorf("only %d wishes were covered and %d requests settled", covered, settled)
	}
}

// isDone reports whether a change that was shown is in the file already, and a write leaves the file as it is but for newlines at its end.
func isDone(shown, written *Change) bool {
	trim := func(s string) string { return strings.TrimRight(s, "\n") }
	return trim(written.New) == trim(written.Old) && strings.Contains(trim(written.Old), trim(shown.New))
}

// results reports whether a text that is written to a file can be the result of a change that was shown.
func results(shown, written *Change) bool {
	trim := func(s string) string { return strings.TrimRight(s, "\n") }
	before, old, now, text := trim(written.Old), trim(shown.Old), trim(shown.New), trim(written.New)
	if shown.Fresh || shown.Old == "" || before == old {
		return text == now
	}
	return old != "" && strings.Contains(before, old) && (text == strings.Replace(before, old, now, 1) || text == strings.ReplaceAll(before, old, now))
}

// The answer to exactly this action covers it: an approval of a change or a command once, a rejection each time.
func TestAnswerCoversItsAction(t *testing.T) {
	t.Parallel()
	for n := range uint64(5_000) {
		g := grammar{rand.New(rand.NewPCG(*seedFlag, n))}
		w := g.wish()
		var answers Answers
		for range g.IntN(4) {
			answers.Remember(Answer{Action: Action{Kind: Read, Files: []string{"/other"}}, Allow: g.IntN(2) == 0})
		}
		a := Answer{Action: w, Allow: g.IntN(2) == 0, Always: g.IntN(3) == 0}
		answers.Remember(a)
		first, second := answers.Covers(&w, true, w.OldText), answers.Covers(&w, true, w.OldText)
		lasts := !a.Allow || w.Kind == Read || w.Kind == Execute && a.Always
		if first == nil || first.Allow != a.Allow || (second != nil) != lasts {
			t.Fatalf("seed %d, history %d: %+v covers %+v, then %+v", *seedFlag, n, a, first, second)
		}
		want := permission.Reject
		if a.Allow {
			want = permission.Allow
		}
		if by := first.By(); first.Effect() != want || by.Who != "answered" || by.Effect != string(want) {
			t.Fatalf("%+v is credited to %+v", a, by)
		}
		own := Answers{}
		a.Own = true
		own.Remember(a)
		if first, second = own.Settles(&w), own.Settles(&w); first == nil || (second != nil) == a.Allow {
			t.Fatalf("seed %d, history %d: %+v settles %+v, then %+v", *seedFlag, n, a, first, second)
		}
	}
}

// Only the latest answers are remembered.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	var answers Answers
	for i := range 3 * maxAnswers {
		answers.Remember(Answer{Action: Action{Kind: Read, Files: []string{fmt.Sprint("/", i)}}, Allow: true})
	}
	if len(answers.list) != maxAnswers {
		t.Fatalf("%d are kept", len(answers.list))
	}
	for i, want := range map[int]bool{0: false, 2*maxAnswers - 1: false, 2 * maxAnswers: true, 3*maxAnswers - 1: true} {
		if got := answers.Covers(&Action{Kind: Read, Files: []string{fmt.Sprint("/", i)}}, false, nil) != nil; got != want {
			t.Errorf("answer %d is remembered: %v", i, got)
		}
	}
}
