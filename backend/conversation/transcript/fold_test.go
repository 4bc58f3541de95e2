package transcript

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// bench is a session under test: time advances by 10 ms with every update.
type bench struct {
	t     *testing.T
	box   Outbox
	turns *Turns
	conv  Conversation
	now   int64
	seq   int64
	ids   int
	blobs map[string][]byte
	raw   []string
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, now: 1000, blobs: map[string][]byte{}}
	b.turns = NewTurns(&b.box, Author{Kind: "person"}, Author{Kind: "agent", ID: "a"}, func() string {
		b.ids++
		return "m" + strconv.Itoa(b.ids)
	})
	return b
}

func (b *bench) do(updates ...*Update) {
	for _, u := range updates {
		b.now += 10
		b.turns.Update(u, b.now)
	}
}

func (b *bench) flush() {
	b.t.Helper()
	b.apply(b.box.Take())
}

// flushReady is flush but for what waits in the box.
func (b *bench) flushReady() {
	b.t.Helper()
	b.apply(b.box.TakeReady())
}

var hashes = regexp.MustCompile(`"hash":"([0-9a-f]{64})"`)

func (b *bench) apply(out Output) {
	b.t.Helper()
	for _, bl := range out.Blobs {
		b.blobs[bl.Ref.Hash] = bl.Data
	}
	for _, body := range out.Bodies {
		b.seq++
		e := Event{Epoch: 1, Seq: b.seq, At: b.now, Body: body}
		raw, err := e.JSON()
		if err != nil {
			b.t.Fatal(err)
		}
		if len(raw) > MaxEvent {
			b.t.Fatalf("%s event of %d bytes", body.EventType(), len(raw))
		}
		for _, m := range hashes.FindAllSubmatch(raw, -1) {
			if b.blobs[string(m[1])] == nil && bytes.Count(m[1], m[1][:1]) < len(m[1]) { // an attachment of these tests is of one letter
				b.t.Fatalf("an event came before what it refers to: %s", raw)
			}
		}
		b.raw = append(b.raw, string(raw))
		back, err := ParseEvent(raw)
		if err != nil {
			b.t.Fatal(err)
		}
		if err := b.conv.Apply(&back); err != nil {
			b.t.Fatalf("%v\n%s", err, raw)
		}
	}
}

func (b *bench) want(want string) {
	b.t.Helper()
	b.flush()
	got := strings.TrimSpace(dump(&b.conv))
	want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t\t", "\n"))
	if got != want {
		b.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func text(s string) *Update             { return &Update{Kind: UpdateText, Text: s} }
func textID(id, s string) *Update       { return &Update{Kind: UpdateText, Text: s, MessageID: id} }
func under(p string, u *Update) *Update { u.ParentToolCallID = p; return u }
func think(s string) *Update            { return &Update{Kind: UpdateThought, Text: s} }
func user(s string) *Update             { return &Update{Kind: UpdateUser, Text: s} }

func announce(id, title string, status Status) *Update {
	u := change(id, status)
	u.Tool.Announced = true
	if title != "" {
		u.Tool.Title = &title
	}
	return u
}

func change(id string, status Status) *Update {
	p := &ToolPatch{ID: id}
	if status != "" {
		p.Status = &status
	}
	return &Update{Kind: UpdateTool, Tool: p}
}

func with(u *Update, f func(*ToolPatch)) *Update { f(u.Tool); return u }

func TestFoldRules(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(b *bench)
		want string
	}{
		{"chunks join", func(b *bench) { b.do(text("a"), text("b")) }, `
		agent …
		  text "ab"`},
		{"an empty chunk is nothing, white space is text", func(b *bench) {
			b.do(text(""), change("t", StatusCompleted), text(""), change("u", StatusCompleted), text(" \n"))
		}, `
		agent …
		  group
		    t completed 0ms
		    u completed 0ms
		  text " \n"`},
		{"an empty chunk makes no message look started", func(b *bench) { b.do(text(""), think("")) }, `
		agent …`},
		{"text around tools stays apart, also with one message id", func(b *bench) {
			b.do(textID("1", "a"), announce("t", "T", StatusPending), textID("1", "b"))
		}, `
		agent …
		  text "a"
		  group
		    t pending "T"
		  text "b"`},
		{"another message id opens a segment, an empty one does not", func(b *bench) {
			b.do(textID("1", "a"), text("b"), textID("1", "c"), textID("2", "d"), text("e"))
		}, `
		agent …
		  text "abc"
		  text "de"`},
		{"another parent opens a segment", func(b *bench) { b.do(text("a"), under("p", text("b")), text("c")) }, `
		agent …
		  text "a"
		  text under p "b"
		  text "c"`},
		{"neighbouring calls and thoughts form one group", func(b *bench) {
			b.do(think("hm"), think("m"), announce("t", "", StatusPending), think("so"), announce("u", "", StatusPending))
		}, `
		agent …
		  group
		    thought "hmm"
		    t pending
		    thought "so"
		    u pending`},
		{"a thought after text opens a group", func(b *bench) { b.do(text("a"), think("b"), text("c")) }, `
		agent …
		  text "a"
		  group
		    thought "b"
		  text "c"`},
		{"thoughts of another parent are another item", func(b *bench) { b.do(think("a"), under("p", think("b"))) }, `
		agent …
		  group
		    thought "a"
		    thought "b" under p`},
		{"an update finds its call behind text", func(b *bench) {
			b.do(announce("t", "T", StatusPending), text("x"), change("t", StatusRunning), text("y"), change("t", StatusCompleted))
		}, `
		agent …
		  group
		    t completed "T" 20ms
		  text "xy"`},
		{"an update before its tool_call makes the call, tool_call then updates it", func(b *bench) {
			b.do(change("t", StatusRunning), announce("t", "T", StatusPending), change("t", StatusCompleted))
		}, `
		agent …
		  group
		    t completed "T" 20ms`},
		{"tool_call twice is one call, and does not reopen an ended one", func(b *bench) {
			b.do(announce("t", "T", StatusCompleted), announce("t", "T2", StatusPending))
		}, `
		agent …
		  group
		    t completed "T2" 0ms`},
		{"the agent's last word about the end wins", func(b *bench) {
			b.do(announce("t", "T", StatusFailed), change("t", StatusCompleted))
		}, `
		agent …
		  group
		    t completed "T" 10ms`},
		{"a nested call keeps its parent", func(b *bench) {
			b.do(announce("p", "", StatusRunning), with(announce("c", "", StatusPending), func(p *ToolPatch) { s := "p"; p.ParentID = &s }))
		}, `
		agent …
		  group
		    p running
		    c pending under p`},
		{"unknown kinds are kept and split nothing", func(b *bench) {
			b.do(text("a"), &Update{Kind: UpdateOpaque, UnknownKind: "x/y", Value: jsontext.Value(`{"a":1}`)}, text("b"))
		}, `
		agent …
		  text "ab"
		  opaque x/y`},
		{"an echo of the prompt is not quoted, other words of the user are", func(b *bench) {
			b.do(user("pro"), user("mpt"), text("a"), user("prompt"))
		}, `
		agent …
		  text "a"
		  text by user "prompt"`},
		{"an image is a display", func(b *bench) {
			b.do(text("a"), &Update{Kind: UpdateText, Block: &Content{Type: "image", Mime: "image/png", Text: "AAAA"}}, text("b"))
		}, `
		agent …
		  text "a"
		  display image
		  text "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r1", "prompt")
			c.run(b)
			b.want(strings.ReplaceAll(c.want, "\t\t", ""))
		})
	}
}

func TestEndings(t *testing.T) {
	failure := Failure{Code: "agent_exited", Message: "The agent exited with code 1."}
	for _, c := range []struct {
		name string
		end  func(b *bench)
		want string
	}{
		{"a normal end leaves calls without a result, and what waits", func(b *bench) { b.turns.Current().End("end_turn", nil, b.now) }, `
		agent (end_turn)
		  group
		    t cancelled 10ms — No result reported
		    u pending ?q=`},
		{"cancel marks them", func(b *bench) { b.turns.Current().End("cancelled", nil, b.now) }, `
		agent (cancelled)
		  group
		    t cancelled 10ms
		    u cancelled 0ms ?q=cancelled`},
		{"a crash fails them", func(b *bench) { b.turns.Current().Fail(failure, b.now) }, `
		agent (error)
		  group
		    t failed 10ms ✗ Not finished: The agent exited with code 1.
		    u failed 0ms ✗ Not finished: The agent exited with code 1. ?q=cancelled
		  error agent_exited: The agent exited with code 1.`},
		{"a late completion wins over cancelled, and goes to its own turn", func(b *bench) {
			b.turns.Current().End("cancelled", nil, b.now)
			b.turns.Begin("r2", "")
			b.do(text("next"), change("t", StatusCompleted))
		}, `
		agent (cancelled)
		  group
		    t completed 30ms
		    u cancelled 0ms ?q=cancelled
		agent …
		  text "next"`},
		{"late text joins the ended message", func(b *bench) {
			b.turns.Current().End("end_turn", nil, b.now)
			b.do(text("late"))
		}, `
		agent (end_turn)
		  group
		    t cancelled 10ms — No result reported
		    u pending ?q=
		  text "late"`},
		{"an id announced again in the next turn is another call", func(b *bench) {
			b.turns.Current().End("end_turn", nil, b.now)
			b.turns.Begin("r2", "")
			b.do(announce("t", "again", StatusPending))
		}, `
		agent (end_turn)
		  group
		    t cancelled 10ms — No result reported
		    u pending ?q=
		agent …
		  group
		    t pending "again"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r1", "")
			b.do(announce("t", "", StatusRunning))
			b.now += 10
			b.turns.AskPermission(&ToolPatch{ID: "u", Announced: true}, "q", nil, nil, b.now)
			c.end(b)
			want := strings.ReplaceAll(c.want, "\t\t", "")
			want = strings.ReplaceAll(want, "u pending", "u waiting")
			b.want(want)
		})
	}
}

func TestPermission(t *testing.T) {
	options := []PermissionOption{{ID: "yes", Kind: "allow_once"}, {ID: "no", Kind: "reject_once"}}
	ask := func(b *bench, id, request string) {
		b.now += 10
		b.turns.AskPermission(&ToolPatch{ID: id, Announced: true}, request, options, nil, b.now)
	}
	t.Run("waiting outlasts an update that says running", func(t *testing.T) {
		b := newBench(t)
		b.turns.Begin("r", "")
		ask(b, "t", "q")
		b.do(change("t", StatusRunning))
		b.want("agent …\n  group\n    t waiting ?q=")
		b.turns.ResolvePermission("q", Resolution{Outcome: "selected", OptionID: "yes"}, b.now)
		b.want("agent …\n  group\n    t running ?q=selectedyes")
	})
	t.Run("a rejection outlives the failure that it causes", func(t *testing.T) {
		b := newBench(t)
		b.turns.Begin("r", "")
		ask(b, "t", "q")
		b.turns.ResolvePermission("q", Resolution{Outcome: "selected", OptionID: "no"}, b.now)
		b.do(with(change("t", StatusFailed), func(p *ToolPatch) { s := "the person said no"; p.Error = &s }))
		b.want("agent …\n  group\n    t rejected 0ms ?q=selectedno")
	})
	t.Run("several at once", func(t *testing.T) {
		b := newBench(t)
		b.turns.Begin("r", "")
		ask(b, "t", "q1")
		ask(b, "t", "q2")
		ask(b, "u", "q3")
		b.turns.ResolvePermission("q1", Resolution{Outcome: "selected", OptionID: "yes"}, b.now)
		b.want("agent …\n  group\n    t waiting ?q1=selectedyes ?q2=\n    u waiting ?q3=")
		if b.turns.ResolvePermission("q1", Resolution{Outcome: "selected", OptionID: "yes"}, b.now) {
			t.Error("a request was answered twice")
		}
	})
	t.Run("hostile options stay small and can be found again", func(t *testing.T) {
		b := newBench(t)
		b.turns.Begin("r", "")
		many := make([]PermissionOption, 500)
		for i := range many {
			many[i] = PermissionOption{ID: strings.Repeat("x", 900) + strconv.Itoa(i), Name: strings.Repeat("\x01", 4000), Kind: strings.Repeat("k", 900)}
		}
		reading := jsontext.Value(`{"kind":"` + strings.Repeat("x", 4000) + `"}`)
		b.turns.AskPermission(&ToolPatch{ID: strings.Repeat("\x02", 9000)}, "q", many, reading, b.now)
		b.flush()
		call := b.conv.Messages[0].Segments[0].Items[0].Call
		if got := OptionIndex(many, call.Permissions[0].Options[7].ID); got != 7 {
			t.Errorf("option 7 was found as %d", got)
		}
	})
}

func TestReadingOfAPermissionRequestIsKept(t *testing.T) {
	for size, inline := range map[int]bool{100: true, 4096: true, 4097: false, 200_000: false} {
		b := newBench(t)
		b.turns.Begin("r", "")
		reading := jsontext.Value(`{"kind":"` + strings.Repeat("x", size-11) + `"}`)
		b.turns.AskPermission(&ToolPatch{ID: "t", Announced: true}, "q", []PermissionOption{{ID: "y", Kind: "allow_once"}}, reading, b.now)
		b.turns.ResolvePermission("q", Resolution{Outcome: "selected", OptionID: "y"}, b.now)
		out := b.turns.box.out
		b.flush()
		got := b.conv.Messages[0].Segments[0].Items[0].Call.Permissions[0]
		if inline {
			if string(got.Reading) != string(reading) || got.ReadingRef != nil {
				t.Errorf("%d bytes: %.40s, %v", size, got.Reading, got.ReadingRef)
			}
			continue
		}
		if got.Reading != nil || got.ReadingRef == nil || got.ReadingRef.Size != int64(size) || len(out.Blobs) != 1 || string(out.Blobs[0].Data) != string(reading) {
			t.Errorf("%d bytes: %.40s, %+v, %d blobs", size, got.Reading, got.ReadingRef, len(out.Blobs))
		}
	}
}

func TestReplayOfAnEarlierConversation(t *testing.T) {
	b := newBench(t)
	b.turns.Replay()
	b.do(user("hel"), user("lo"), think("hm"), text("hi"), announce("call_1", "", StatusCompleted),
		user("more"), announce("call_1", "", StatusPending), change("call_1", StatusCompleted), text("done"))
	b.turns.Prompt("now")
	b.turns.Begin("r", "now")
	b.want(strings.ReplaceAll(`
		user
		  text "hello"
		agent (end_turn)
		  group
		    thought "hm"
		  text "hi"
		  group
		    call_1 completed 0ms
		user
		  text "more"
		agent (end_turn)
		  group
		    call_1 completed 10ms
		  text "done"
		user
		  text "now"
		agent …`, "\t\t", ""))
}

func TestLargePayloadsLeaveAsBlobs(t *testing.T) {
	b := newBench(t)
	b.turns.Begin("r", "")
	big := strings.Repeat("line\n", 100_000)
	b.do(with(announce("t", strings.Repeat("long title ", 1000), StatusRunning), func(p *ToolPatch) {
		p.Input = jsontext.Value(`{"text":"` + strings.Repeat("x", 50_000) + `"}`)
	}), with(change("t", ""), func(p *ToolPatch) { p.Content = &[]Content{{Type: "text", Text: big}} }),
		with(change("t", StatusCompleted), func(p *ToolPatch) {
			p.Content = &[]Content{{Type: "text", Text: big + "end"}}
			p.Output = jsontext.Value(`{"output":"` + strings.Repeat("y", 50_000) + `"}`)
		}))
	out := b.box.out.Superseded
	b.flush()
	c := b.conv.Messages[0].Segments[0].Items[0].Call
	if got := string(b.blobs[c.Content[0].Ref.Hash]); got != big+"end" {
		t.Errorf("content: %d bytes", len(got))
	}
	if len(b.blobs[c.InputRef.Hash]) < 50_000 || len(b.blobs[c.OutputRef.Hash]) < 50_000 || len(b.blobs[c.TitleRef.Hash]) != 11_000 {
		t.Error("a payload is not whole")
	}
	if len(out) != 1 {
		t.Errorf("%d blobs superseded, want the first content", len(out))
	}
	if c.Summary != "line · 100001 lines in all" {
		t.Errorf("summary %q", c.Summary)
	}
}

func TestLongTextIsSplitIntoEventsAndJoinedAgain(t *testing.T) {
	b := newBench(t)
	b.turns.Begin("r", "")
	s := strings.Repeat("naïve café \"日本語\" 👩‍👩‍👧‍👦\x01\n", 2000)
	b.do(text(s))
	for range 5000 {
		b.do(text("é\t"))
	}
	b.flush()
	if got := b.conv.Messages[0].Content(); got != s+strings.Repeat("é\t", 5000) {
		t.Error("the text differs")
	}
}
