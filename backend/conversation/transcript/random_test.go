package transcript

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/base/raced"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	sequencesDir = flag.String("sequences", "", "write random event sequences and the messages they make to this folder, for the TypeScript fold")
	sequenceSeed = flag.Uint64("seed", 0, "seed of the random sequences; 0 takes the time")
)

// step is one thing that can happen to a session.
type step func(b *bench)

// randomSteps is a session that wanders through everything the fold knows.
func randomSteps(r *rand.Rand, n int) []step {
	pieces := []string{"", " ", "\n", "a", "naïve ", "日本語", "👩‍👩‍👧‍👦", "\"q\"", "\\", "\x01", "# head\n", "```go\n", strings.Repeat("long ", 700), "\xff\xfe"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	id := func() string { return fmt.Sprint("t", r.IntN(6)) }
	parent := func() string { return pick([]string{"", "", "", "t1", "t2"}) }
	statuses := []Status{StatusPending, StatusRunning, StatusCompleted, StatusFailed}
	requests, runs := 0, 0
	terminals := map[string]int64{} // where their outputs end
	inputs := map[string][]string{} // by call: names and texts of an input that grows
	steps := []step{func(b *bench) { b.turns.Begin("r0", "") }}
	for range n {
		s, mid, pid := pick(pieces), pick([]string{"", "m1", "m2"}), parent()
		switch r.IntN(17) {
		case 0, 1, 2, 3:
			notice := r.IntN(6) == 0
			steps = append(steps, func(b *bench) {
				b.do(&Update{Kind: UpdateText, Text: s, MessageID: mid, ParentToolCallID: pid, Notice: notice})
			})
		case 4, 5:
			steps = append(steps, func(b *bench) { b.do(&Update{Kind: UpdateThought, Text: s, MessageID: mid, ParentToolCallID: pid}) })
		case 6, 7, 8, 9:
			p := &ToolPatch{ID: id(), Announced: r.IntN(2) == 0}
			randomPatch(r, p, s, statuses)
			if r.IntN(2) == 0 {
				*p = ToolPatch{ID: p.ID, Input: randomGrowth(r, inputs, p.ID, s)}
			}
			switch r.IntN(6) {
			case 0:
				p.ParentID = &pid
			case 1:
				p.Thread = Thread{ID: pick([]string{"T1", "T2"}), Path: pick([]string{"", "/root/a", "/root/a/b"})}
			}
			steps = append(steps, func(b *bench) { b.do(&Update{Kind: UpdateTool, Tool: p}) })
		case 10:
			requests++
			p, q := &ToolPatch{ID: id(), Announced: true}, fmt.Sprint("q", requests)
			var reading jsontext.Value
			if r.IntN(3) > 0 {
				reading, _ = jsontext.AppendQuote([]byte(`{"kind":`), strings.Repeat(s, r.IntN(4)))
				reading = append(reading, '}')
			}
			steps = append(steps, func(b *bench) {
				b.turns.AskPermission(p, q, []PermissionOption{{ID: "y", Kind: "allow_once"}, {ID: "n", Kind: "reject_once"}}, reading, b.now)
			})
		case 11:
			q := fmt.Sprint("q", 1+r.IntN(requests+1))
			r := []Resolution{
				{Outcome: "selected", OptionID: "y"},
				{Outcome: "selected", OptionID: "n"},
				{Outcome: "selected", OptionID: "y", By: &By{Who: "rule", Effect: "allow", RuleID: "r1", Command: "git status"}},
				{Outcome: "selected", OptionID: "n", By: &By{Who: "mode", Effect: "reject", Mode: "read-only"}},
				{Outcome: "cancelled", By: &By{Who: "rule", Effect: "reject", RuleID: "r2", Kind: "edit", Path: "src/**"}},
				{Outcome: "lost", By: &By{Who: "weft"}},
			}[r.IntN(6)]
			steps = append(steps, func(b *bench) { b.turns.ResolvePermission(q, r, b.now) })
		case 12:
			runs++
			run, stop := fmt.Sprint("r", runs), pick([]string{"end_turn", "cancelled", "refusal", "crash"})
			steps = append(steps, func(b *bench) {
				if stop == "crash" {
					b.turns.Current().Fail(Failure{Code: "x", Message: s, Detail: s, RetryAt: b.now}, b.now)
				} else {
					b.turns.Current().End(stop, []byte(`{"n":1}`), b.now)
				}
				b.turns.Prompt("prompt "+s, along[:runs%(len(along)+1)]...)
				b.turns.Begin(run, "")
			})
		case 14:
			id := fmt.Sprint("x", r.IntN(5))
			steps = append(steps, func(b *bench) { b.turns.Terminals.Started(id, "run "+s, "", b.now) })
			terminals[id] = 0
		case 15:
			id, text := fmt.Sprint("x", r.IntN(5)), strings.ToValidUTF8(s, "\uFFFD")
			if r.IntN(4) == 0 {
				terminals[id] += int64(r.IntN(100))
			}
			offset := terminals[id]
			terminals[id] += int64(len(text))
			steps = append(steps, func(b *bench) { b.turns.Terminals.Output(id, text, offset) })
		case 16:
			id, code, shown := fmt.Sprint("x", r.IntN(5)), r.IntN(3), r.IntN(2) == 0
			steps = append(steps, func(b *bench) {
				if shown {
					b.turns.ShowTerminal(id, false, b.now)
				} else {
					b.turns.Terminals.Ended(id, TerminalResult{TerminalExit: TerminalExit{Code: &code}, At: b.now, Size: 100, Kept: s})
				}
			})
		case 13:
			u := []*Update{
				{Kind: UpdateOpaque, UnknownKind: "odd", Value: jsontext.Value(`{"x":12345678901234567890}`)},
				{Kind: UpdateState, Key: StatePlan, Value: jsontext.Value(`[{"content":"a"}]`)},
				{Kind: UpdateText, Block: &Content{Type: "image", Mime: "image/png", Text: strings.Repeat("A", 3000)}},
				{Kind: UpdateUser, Text: s},
			}[r.IntN(4)]
			steps = append(steps, func(b *bench) { b.do(u) })
		}
	}
	return steps
}

// along is what may go along with a prompt.
var along = []Content{
	{Type: "resource_link", Path: "src/a b.go"},
	{Type: "image", Name: "a.png", Mime: "image/png", Ref: &Ref{Hash: strings.Repeat("0", 64), Size: 3, Mime: "image/png"}},
}

// randomGrowth is the input of a call that its agent sends again, whole, with more in it.
func randomGrowth(r *rand.Rand, inputs map[string][]string, id, s string) jsontext.Value {
	fields := inputs[id]
	switch {
	case r.IntN(12) == 0:
		fields = nil
	case len(fields) == 0 || len(fields) < 8 && r.IntN(4) == 0:
		at := 2 * r.IntN(len(fields)/2+1)
		fields = slices.Insert(slices.Clone(fields), at, fmt.Sprint("f", r.IntN(100)), s)
	default:
		fields = slices.Clone(fields)
		fields[1+2*r.IntN(len(fields)/2)] += s
	}
	inputs[id] = fields
	var b bytes.Buffer
	for i := 0; i < len(fields); i += 2 {
		name, _ := json.Marshal(fields[i], wire)
		text, _ := json.Marshal(fields[i+1], wire)
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", name, text)
	}
	return jsontext.Value("{" + b.String() + "}")
}

func randomPatch(r *rand.Rand, p *ToolPatch, s string, statuses []Status) {
	if r.IntN(2) == 0 {
		p.Title = &s
	}
	if r.IntN(2) == 0 {
		p.Status = &statuses[r.IntN(len(statuses))]
	}
	if r.IntN(4) == 0 {
		kind := []string{"read", "edit", "execute", "search", "other"}[r.IntN(5)]
		p.Kind = &kind
	}
	if r.IntN(4) == 0 {
		p.Input = jsontext.Value(fmt.Sprintf(`{"a":%d}`, r.IntN(100)))
	}
	if r.IntN(3) == 0 {
		list := []Content{{Type: "text", Text: s}, {Type: "diff", Path: "a/b.go", OldText: "x\n", NewText: s}}[:r.IntN(3)]
		if r.IntN(2) == 0 {
			list = append(list, Content{Type: "terminal", Terminal: fmt.Sprint("x", r.IntN(5))})
		}
		p.Content = &list
	}
	if r.IntN(4) == 0 {
		p.Again = r.IntN(4) == 0
		p.Visibility = []string{VisibilityFull, VisibilityMinimal, VisibilityHidden}[r.IntN(3)]
	}
	if r.IntN(6) == 0 {
		p.Drawn = jsontext.Value(fmt.Sprintf(`{"render":{"as":"card"},"n":%d}`, r.IntN(3)))
	}
	if r.IntN(20) == 0 {
		p.Exit = &TerminalExit{Signal: "SIGTERM"}
	}
	if r.IntN(6) == 0 {
		p.Output = jsontext.Value(`{"output":"ok","exit":0}`)
	}
	if r.IntN(8) == 0 {
		p.InputDelta = s
	}
	if r.IntN(8) == 0 {
		p.OutputDelta = s
	}
	if r.IntN(8) == 0 {
		p.Locations = &[]Location{{Path: "/x/y"}}
	}
	if r.IntN(8) == 0 {
		parent := "t0"
		p.ParentID = &parent
	}
}

// play runs the steps, taking the events out where cut says so.
func play(t *testing.T, steps []step, cut func() bool) *bench {
	b := newBench(t)
	for _, s := range steps {
		s(b)
		if cut() {
			b.flush()
		}
	}
	b.flush()
	return b
}

// TestBatchingChangesNothing: however the events are cut into batches, the messages are the
// same but for the times that come with the batches; and joining deltas loses no byte.
func TestBatchingChangesNothing(t *testing.T) {
	seed := testSeed(t)
	for i := range uint64(raced.Of(300)) {
		r := rand.New(rand.NewPCG(seed, i))
		steps := randomSteps(r, 80)
		each := play(t, steps, func() bool { return true })
		some := play(t, steps, func() bool { return r.IntN(5) == 0 })
		for _, b := range []*bench{each, some} {
			for _, m := range b.conv.Messages {
				clearTimes(m)
			}
		}
		if !reflect.DeepEqual(each.conv.Messages, some.conv.Messages) {
			a, _ := json.Marshal(each.conv.Messages, wire, jsontext.Multiline(true))
			b, _ := json.Marshal(some.conv.Messages, wire, jsontext.Multiline(true))
			t.Fatalf("seed %d, case %d:\n%s", seed, i, udiff.Unified("each", "some", string(a), string(b)))
		}
	}
}

func clearTimes(m *Message) {
	m.CreatedAt, m.EndedAt = 0, 0
	for i := range m.Opaque {
		m.Opaque[i].At = 0
	}
	for _, s := range m.Segments {
		for _, it := range s.Items {
			it.StartedAt, it.EndedAt = 0, 0
			if it.Call != nil {
				it.Call.StartedAt = 0
				for i := range it.Call.Permissions {
					it.Call.Permissions[i].RequestedAt, it.Call.Permissions[i].ResolvedAt = 0, 0
				}
				for i := range it.Call.Terminals {
					it.Call.Terminals[i].StartedAt = 0
				}
			}
		}
	}
}

func testSeed(t *testing.T) uint64 {
	seed := *sequenceSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % (1 << 53)
	}
	t.Logf("seed %d", seed)
	return seed
}

// TestWriteSequences writes what the TypeScript fold is compared with.
func TestWriteSequences(t *testing.T) {
	if *sequencesDir == "" {
		t.Skip("only with -sequences DIR")
	}
	seed := testSeed(t)
	for i := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1000+i))
		b := play(t, randomSteps(r, 120), func() bool { return r.IntN(4) == 0 })
		want, err := json.Marshal(b.conv.Messages, wire)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		fmt.Fprintf(&out, `{"seed":%d,"case":%d,"events":[%s],"messages":%s}`, seed, i, strings.Join(b.raw, ","), want)
		if err := os.WriteFile(filepath.Join(*sequencesDir, fmt.Sprintf("%03d.json", i)), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
