package export

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/conversation/archive"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	now := int64(1_700_000_000_000)
	s, _, err := store.Open(t.Context(), dir, store.Options{Log: zerolog.Nop(), Now: func() time.Time { now += 1000; return time.UnixMilli(now) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// talk is a conversation that is written to a store as a running Weft does.
type talk struct {
	t     testing.TB
	st    *store.Store
	id    string
	box   transcript.Outbox
	turns *transcript.Turns
	now   int64
	ids   int
	runs  int
}

func begin(t testing.TB, st *store.Store, sp spaces.Space) *talk {
	t.Helper()
	sp, err := st.Spaces.Create(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, st: st, id: sp.ID, now: 1_700_000_000_000}
	k.resume()
	return k
}

func (k *talk) resume() {
	k.turns = transcript.NewTurns(&k.box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent", ID: "guide", Name: "Guide"}, func() string {
		k.ids++
		return fmt.Sprint("m", k.ids)
	})
}

// flush stores the output of the fold.
func (k *talk) flush() {
	k.t.Helper()
	out := k.box.Take()
	if len(out.Bodies) == 0 {
		return
	}
	id := ""
	if f := k.turns.Current(); f != nil {
		id = f.ID
	}
	k.now += 10
	if _, err := k.st.Events.Append(k.t.Context(), events.Append{SpaceID: k.id, At: k.now, Bodies: out.Bodies, Blobs: out.Blobs, Superseded: out.Superseded, MessageID: id}); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talk) do(u *transcript.Update) {
	k.now += 10
	k.turns.Update(u, k.now)
}

func (k *talk) tool(p *transcript.ToolPatch) {
	k.do(&transcript.Update{Kind: transcript.UpdateTool, Tool: p})
}

func (k *talk) say(text string) { k.do(&transcript.Update{Kind: transcript.UpdateText, Text: text}) }

func (k *talk) think(text string) {
	k.do(&transcript.Update{Kind: transcript.UpdateThought, Text: text})
}

// ask begins a turn.
func (k *talk) ask(prompt string, along ...transcript.Content) {
	k.runs++
	run := fmt.Sprint("r", k.runs)
	id := k.turns.Prompt(prompt, along...)
	k.box.Add(&transcript.RunCreated{RunID: run, AgentID: "guide", AgentName: "Guide", Model: "small", PromptID: id})
	k.turns.Begin(run, "")
}

// done ends the turn.
func (k *talk) done(stop string) {
	run := fmt.Sprint("r", k.runs)
	if stop == "crash" {
		failure := transcript.Failure{Code: "crash", Message: "The agent has ended.", Detail: "exit 1"}
		k.turns.Current().Fail(failure, k.now)
		k.box.Add(&transcript.RunCompleted{RunID: run, StopReason: "error", Error: &failure})
	} else {
		k.turns.Current().End(stop, []byte(`{"inputTokens":12,"outputTokens":3}`), k.now)
		k.box.Add(&transcript.RunCompleted{RunID: run, StopReason: stop, Usage: jsontext.Value(`{"inputTokens":12,"outputTokens":3}`)})
	}
	k.flush()
}

// wander adds n random parts of a turn, of all kinds.
func (k *talk) wander(r *rand.Rand, n int) {
	pieces := []string{" ", "\n", "a", "naïve ", "日本語", "👩‍👩‍👧‍👦", "\"q\"", "\\", "\x01", "# head\n", "```go\n", "<script>", strings.Repeat("long ", 700), "\xff\xfe"}
	pick := func() string { return pieces[r.IntN(len(pieces))] }
	open := map[string]bool{}
	for range n {
		s, id := pick(), fmt.Sprint("t", r.IntN(8))
		p := &transcript.ToolPatch{ID: id, Announced: !open[id]}
		parent := ""
		if r.IntN(4) == 0 {
			parent = fmt.Sprint("t", r.IntN(3))
		}
		switch r.IntN(12) {
		case 0, 1, 2:
			k.do(&transcript.Update{Kind: transcript.UpdateText, Text: s, ParentToolCallID: parent})
		case 3:
			k.do(&transcript.Update{Kind: transcript.UpdateThought, Text: s, ParentToolCallID: parent})
		case 4, 5, 6:
			kind, status := []string{"read", "edit", "execute", "search"}[r.IntN(4)], []transcript.Status{"running", "completed", "failed"}[r.IntN(3)]
			p.Title, p.Kind, p.Status = &s, &kind, &status
			p.Input = jsontext.Value(fmt.Sprintf(`{"path":"a%d.go"}`, r.IntN(9)))
			switch r.IntN(5) {
			case 0:
				p.Content = &[]transcript.Content{{Type: "text", Text: s}, {Type: "diff", Path: "a/b.go", OldText: "x\n", NewText: s}}
			case 1:
				p.Output = jsontext.Value(`{"output":"` + strings.Repeat("o", r.IntN(3000)) + `"}`)
			case 2:
				p.OutputDelta = s
			case 3:
				many := []transcript.Content{}
				for range 20 {
					many = append(many, transcript.Content{Type: "text", Text: strings.Repeat("many ", 10+r.IntN(400))})
				}
				p.Content = &many
			}
			k.tool(p)
			open[id] = true
		case 7:
			kind := transcript.KindDisplay
			p.Kind, p.Input, p.Drawn = &kind, jsontext.Value(`{"question":"Which?"}`), jsontext.Value(`{"by":"a"}`)
			k.tool(p)
			open[id] = true
		case 8:
			q := fmt.Sprint("q", r.IntN(1000))
			k.turns.AskPermission(p, q, []transcript.PermissionOption{{ID: "y", Kind: "allow_once"}}, jsontext.Value(`{"kind":"`+strings.Repeat("r", r.IntN(2000))+`"}`), k.now)
			open[id] = true
			if r.IntN(2) == 0 {
				k.turns.ResolvePermission(q, transcript.Resolution{Outcome: "selected", OptionID: "y", By: &transcript.By{Who: "rule", Effect: "allow"}}, k.now)
			}
		case 9:
			k.do(&transcript.Update{Kind: transcript.UpdateOpaque, UnknownKind: "odd", Value: jsontext.Value(`{"x":"` + strings.Repeat("y", r.IntN(2000)) + `"}`)})
		case 10:
			k.do(&transcript.Update{Kind: transcript.UpdateText, Block: &transcript.Content{Type: "image", Mime: "image/png", Text: strings.Repeat("QUJD", 1+r.IntN(900))}})
		case 11:
			k.do(&transcript.Update{Kind: transcript.UpdateState, Key: transcript.StatePlan, Value: jsontext.Value(`[{"content":"` + strings.Repeat("p", r.IntN(6000)) + `"}]`)})
		}
		if r.IntN(3) == 0 {
			k.flush()
		}
	}
}

// fill writes some turns.
func (k *talk) fill(r *rand.Rand, turns int) {
	for range turns {
		along := []transcript.Content{{Type: "resource_link", Path: "src/a b.go"}}
		if r.IntN(3) == 0 { // one whose payload is missing
			along = append(along, transcript.Content{Type: "image", Name: "gone.png", Mime: "image/png", Ref: &transcript.Ref{Hash: strings.Repeat("0", 64), Size: 3, Mime: "image/png"}})
		}
		k.ask("prompt "+strings.Repeat("é", r.IntN(3000)), along...)
		k.wander(r, r.IntN(40))
		k.done([]string{"end_turn", "cancelled", "crash"}[r.IntN(3)])
	}
}

// exported returns a file.
func exported(t testing.TB, st *store.Store, opt Options, req Request) ([]byte, Result) {
	t.Helper()
	opt.Store, opt.Flush = st, st.Events.Flush
	e, err := Prepare(t.Context(), opt, req)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	result, err := e.Write(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), result
}

// imported imports a document.
func imported(t testing.TB, st *store.Store, doc []byte) store.Restored {
	t.Helper()
	c, err := archive.Check(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	out, err := st.Restore(t.Context(), store.Restore{
		Key: fmt.Sprint(len(doc), time.Now().UnixNano()), Head: c.Head, Spaces: c.Spaces,
		Read:  func(sink archive.Sink) error { return archive.Read(bytes.NewReader(doc), sink) },
		Place: func(_ *archive.Space, id string) (string, map[string]string, error) { return "/here/" + id, nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
