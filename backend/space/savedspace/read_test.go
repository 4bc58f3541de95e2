package savedspace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/agentnotes"
	"weft/backend/space/promptqueue"
	"weft/backend/space/savedspace"
	"weft/backend/space/sessionoptions"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// saved is a database with one space.
type saved struct {
	t       *testing.T
	store   *store.Store
	notes   *agentnotes.Notes
	reader  savedspace.Reader
	spaceID string
	log     *strings.Builder
}

func open(t *testing.T) *saved {
	t.Helper()
	s := &saved{t: t, log: &strings.Builder{}}
	var err error
	if s.store, _, err = store.Open(t.Context(), t.TempDir(), store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.store.Close(context.Background()) })
	space, err := s.store.Spaces.Create(t.Context(), spaces.Space{Title: "Bees", Folder: t.TempDir(), AgentID: "keeper"})
	if err != nil {
		t.Fatal(err)
	}
	s.spaceID = space.ID
	s.notes = agentnotes.New(agentnotes.Options{Meta: s.store.Meta, Go: func(do func()) { do() }, Changed: func() {}, Log: zerolog.Nop()})
	s.reader = savedspace.New(s.store, s.notes, zerolog.New(s.log))
	return s
}

// put stores a part of the space's state as a step of the space does.
func (s *saved) put(key transcript.StateKey, memberID, value string) {
	s.t.Helper()
	var box transcript.Outbox
	box.SetState(key, memberID, jsontext.Value(value))
	s.append(box.Take())
}

// append stores the output of a step of the space.
func (s *saved) append(c transcript.Output) {
	s.t.Helper()
	if _, err := s.store.Events.Append(s.t.Context(), events.Append{SpaceID: s.spaceID, At: 1, Bodies: c.Bodies, Blobs: c.Blobs, Superseded: c.Superseded}); err != nil {
		s.t.Fatal(err)
	}
	if err := s.store.Events.Flush(s.t.Context(), s.spaceID); err != nil {
		s.t.Fatal(err)
	}
}

func (s *saved) state() savedspace.State {
	s.t.Helper()
	was, err := s.reader.State(s.t.Context(), s.spaceID)
	if err != nil {
		s.t.Fatal(err)
	}
	return was
}

func TestQueueIsReadAsItWasStored(t *testing.T) {
	s := open(t)
	if q, err := s.state().Queue(t.Context()); err != nil || len(q.All()) != 0 {
		t.Fatalf("the queue of a new space: %v, %v", q.All(), err)
	}
	for name, text := range map[string]string{"short": "go on", "long enough for a blob": strings.Repeat("honey ", 20_000)} {
		var q promptqueue.Queue
		q.Add(promptqueue.Prompt{ID: "queued_1", Text: text, At: 7, MemberID: "main"})
		raw, err := q.Encode()
		if err != nil {
			t.Fatal(err)
		}
		s.put(transcript.StateQueue, "", string(raw))
		got, err := s.state().Queue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := got.Find("queued_1"); !ok || p.Text != text || p.MemberID != "main" {
			t.Errorf("%s: read %+v", name, got.All())
		}
	}
	s.put(transcript.StateQueue, "", `{"no":"queue"}`)
	if q, err := s.state().Queue(t.Context()); err != nil || len(q.All()) != 0 {
		t.Errorf("a queue that can't be read: %v, %v", q.All(), err)
	}
	if !strings.Contains(s.log.String(), s.spaceID) {
		t.Errorf("nothing is logged about it: %q", s.log)
	}
}

func TestOptionsAreThoseOfTheMembersAgent(t *testing.T) {
	s := open(t)
	if err := s.notes.Choose(t.Context(), "keeper", "model", jsontext.Value(`"bee"`)); err != nil {
		t.Fatal(err)
	}
	s.put(transcript.StateSession, "second", `{"agentId":"keeper","options":[{"id":"mode","name":"Mode","type":"select","current":"plan","via":"config","choices":[{"value":"plan","name":"Plan"}]}],"can":{"fork":true}}`)
	was := s.state()

	can, err := was.Offered(t.Context(), "second", "keeper")
	if err != nil || !can.Fork {
		t.Errorf("what the agent can: %+v, %v", can, err)
	}
	for _, other := range [][2]string{{"main", "keeper"}, {"second", "drone"}} {
		if can, err := was.Offered(t.Context(), other[0], other[1]); err != nil || can.Fork {
			t.Errorf("%v: what it can do is that of another: %+v, %v", other, can, err)
		}
	}
	stored, err := was.Options(t.Context(), "second", "keeper")
	if err != nil {
		t.Fatal(err)
	}
	anew, err := was.Options(t.Context(), "main", "keeper")
	if err != nil {
		t.Fatal(err)
	}
	if got := restored(stored); got != `mode="plan"` {
		t.Errorf("a session that has run gets back %s", got)
	}
	if got := restored(anew); got != `model="bee"` {
		t.Errorf("one that has not gets %s", got)
	}
}

// restored returns what Weft would restore in a session whose agent starts with another mode and model.
func restored(o sessionoptions.Options) string {
	o.Opened(acp.SessionResult{ConfigOptions: jsontext.Value(`[
		{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"plan","name":"Plan"}]},
		{"id":"model","name":"Model","type":"select","currentValue":"wasp","options":[{"value":"wasp","name":"Wasp"},{"value":"bee","name":"Bee"}]}]`)})
	var list []string
	for tried := map[string]bool{}; ; {
		next := o.Next(tried)
		if next == nil {
			return strings.Join(list, " ")
		}
		list = append(list, next.Option.ID+"="+string(next.Value))
		o.Took(next, nil)
	}
}

func TestCostAndTitle(t *testing.T) {
	s := open(t)
	s.put(transcript.StateUsage, "second", `{"cost":{"amount":0.25,"currency":"EUR"}}`)
	was := s.state()
	if c, err := was.Cost(t.Context(), "second"); err != nil || c.Amount != 0.25 || c.Currency != "EUR" {
		t.Errorf("cost of the member: %+v, %v", c, err)
	}
	if c, err := was.Cost(t.Context(), "main"); err != nil || c.Amount != 0 {
		t.Errorf("cost of another: %+v, %v", c, err)
	}
	if got := s.reader.Title(s.spaceID); got != "Bees" {
		t.Errorf("title %q", got)
	}
	if got := s.reader.Title("nowhere"); got != "" {
		t.Errorf("title of no space: %q", got)
	}
}

func TestDisplaysThatWait(t *testing.T) {
	s := open(t)
	waits, err := s.reader.Displays(t.Context(), s.spaceID)
	if err != nil || waits == nil || len(waits) != 0 {
		t.Fatalf("of a new space: %v, %v", waits, err)
	}
	var box transcript.Outbox
	turns := transcript.NewTurns(&box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent", ID: "keeper"}, func() string { return "msg_1" })
	f := turns.Begin("run_1", "")
	for _, call := range []string{"asks", "tells"} {
		d := displays.New(displays.Display{Request: call, Tool: "showChoice", Title: call, Input: jsontext.Value(`{}`), At: 1, RunID: "run_1", SpaceID: s.spaceID, Fold: f, Call: call})
		var list displays.Waiting
		list.Draw(d, call == "asks", nil, func() string { return call }, 1)
	}
	s.append(box.Take())
	waits, err = s.reader.Displays(t.Context(), s.spaceID)
	if err != nil || len(waits) != 1 || waits[0].RequestID != "asks" {
		t.Errorf("waiting: %+v, %v", waits, err)
	}
}
