package unfinished

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/pages"
	"weft/backend/store/permissions"
	"weft/backend/store/spaces"
)

var seedFlag = flag.Uint64("seed", 1, "of the random work")

// parts is a store with unfinished work, which is removed by the events that end it.
type parts struct {
	messages  []pages.Interrupted
	terminals []pages.LiveTerminal
	appended  []events.Append
	fails     int // the append that fails, 0 for none
}

var errFull = errors.New("the disk is full")

func (p *parts) Messages(context.Context, string) ([]pages.Interrupted, error) {
	return p.messages, nil
}

func (p *parts) Terminals(context.Context, string) ([]pages.LiveTerminal, error) {
	return p.terminals, nil
}

func (p *parts) Append(_ context.Context, a events.Append) ([]transcript.Event, error) {
	p.appended = append(p.appended, a)
	if len(p.appended) == p.fails {
		return nil, errFull
	}
	return nil, nil
}

func (p *parts) ToolDetail(_ context.Context, _, messageID string, _, _ int) (pages.ToolDetail, error) {
	if messageID == "gone" {
		return pages.ToolDetail{}, errFull
	}
	return pages.ToolDetail{ToolCall: transcript.ToolCall{Input: jsontext.Value(`{"command":"make all"}`)}}, nil
}

func (p *parts) Get(context.Context, string) (spaces.Space, error) {
	return spaces.Space{Folder: "/work"}, nil
}

func (p *parts) ender() *Ender {
	return &Ender{Work: p, Events: p, Pages: p, Spaces: p, Now: func() int64 { return 7 }}
}

// message makes up an interrupted message, or a run without one.
func message(rnd *rand.Rand, n int) pages.Interrupted {
	in := pages.Interrupted{SpaceID: fmt.Sprint("space", n%3), MessageID: fmt.Sprint("message", n), Role: transcript.RoleAgent, AgentID: "robin", Ended: rnd.IntN(4) == 0}
	switch rnd.IntN(5) {
	case 0:
		in.Role = transcript.RoleUser
	case 1:
		in.RunID, in.MessageID = fmt.Sprint("run", n), ""
		return in
	case 2, 3:
		in.RunID = fmt.Sprint("run", n)
	}
	for c := range rnd.IntN(4) {
		open := pages.OpenCall{At: transcript.At{MessageID: in.MessageID, Segment: c}, Call: transcript.ToolCall{ID: fmt.Sprint(in.MessageID, "call", c), Kind: "execute", Title: "Run it"}}
		for r := range rnd.IntN(3) {
			p := transcript.Permission{RequestID: fmt.Sprint(open.Call.ID, "ask", r)}
			if rnd.IntN(3) == 0 {
				p.Outcome = "selected"
			}
			open.Call.Permissions = append(open.Call.Permissions, p)
		}
		in.OpenCalls = append(in.OpenCalls, open)
	}
	return in
}

// Whatever was interrupted, each open request, call, message and run ends once, in this order, and the history has a
// row for each lost request.
func TestEverythingThatWasInterruptedEnds(t *testing.T) {
	t.Parallel()
	for n := range uint64(500) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		p := &parts{}
		for i := range rnd.IntN(5) {
			p.messages = append(p.messages, message(rnd, i))
		}
		branch := rnd.IntN(2) == 0
		if branch {
			for i := range p.messages {
				p.messages[i].SpaceID, p.messages[i].RunID, p.messages[i].MessageID = "branch", "", fmt.Sprint("message", i)
			}
		}
		failf := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d, case %d: %s", *seedFlag, n, fmt.Sprintf(format, args...))
		}
		end := p.ender().AfterStart
		if branch {
			end = func(ctx context.Context) error { return p.ender().OfBranch(ctx, "branch") }
		}
		if err := end(t.Context()); err != nil {
			failf("%v", err)
		}
		if len(p.appended) != len(p.messages) {
			failf("%d messages are ended in %d commits", len(p.messages), len(p.appended))
		}
		for i, a := range p.appended {
			in, got := p.messages[i], ""
			for _, b := range a.Bodies {
				switch b := b.(type) {
				case *transcript.PermissionResolved:
					got += b.RequestID + " " + b.Outcome + ", "
				case *transcript.ToolCallError:
					got += b.ToolCallID + " " + string(b.Status) + ", "
				case *transcript.MessageEnd:
					got += b.MessageID + " " + b.StopReason + ", "
				case *transcript.RunCompleted:
					got += b.RunID + " " + b.StopReason + ", "
				case *transcript.Error:
					got += b.MessageID + " " + b.Code + ", "
				}
			}
			if want, lost := ends(in, branch); got != want || a.SpaceID != in.SpaceID || a.MessageID != in.MessageID || a.At != 7 {
				failf("%+v is ended with\n%s, want\n%s", in, got, want)
			} else if !branch && len(a.Decisions) != lost || branch && len(a.Decisions) != 0 {
				failf("%d rows of the history for %d requests", len(a.Decisions), lost)
			}
			for _, d := range a.Decisions {
				if d.Outcome != "lost" || d.SpaceID != in.SpaceID || d.AgentID != "robin" || d.About != "make all" {
					failf("the history has %+v", d)
				}
			}
		}
	}
}

// ends returns how a message must end, and how many of its requests are lost.
func ends(in pages.Interrupted, branch bool) (want string, lost int) {
	outcome, reason := "lost", "interrupted"
	if branch {
		outcome, reason = "cancelled", transcript.StopBranched
	}
	for _, open := range in.OpenCalls {
		for _, p := range open.Call.Permissions {
			if p.Outcome == "" {
				want += p.RequestID + " " + outcome + ", "
				lost++
			}
		}
		want += open.Call.ID + " cancelled, "
	}
	switch {
	case in.Ended || in.MessageID == "":
	case branch:
		want += in.MessageID + " " + reason + ", "
	case in.Role == transcript.RoleAgent:
		want += in.MessageID + " interrupted, " + in.MessageID + " interrupted, "
	default:
		want += in.MessageID + " , "
	}
	if in.RunID != "" {
		want += in.RunID + " interrupted, "
	}
	return want, lost
}

// A display can still be answered after a restart, so it stays open. A terminal is lost then, but only ended in a
// branch.
func TestDisplaysStayAndTerminalsAreLost(t *testing.T) {
	t.Parallel()
	display := transcript.ToolCall{ID: "call", Kind: transcript.KindDisplay, Status: transcript.StatusWaiting}
	display.Permissions = []transcript.Permission{{RequestID: "ask", Options: []transcript.PermissionOption{{ID: transcript.DisplayAnswer}}}}
	if !display.AwaitsAnswer() {
		t.Fatal("the display waits for nothing")
	}
	for _, lost := range []bool{true, false} {
		p := &parts{
			messages:  []pages.Interrupted{{SpaceID: "s", MessageID: "m", Ended: true, RunID: "run", OpenCalls: []pages.OpenCall{{Call: display}}}},
			terminals: []pages.LiveTerminal{{SpaceID: "s", TerminalID: "t"}},
		}
		end := p.ender().AfterStart
		if !lost {
			end = func(ctx context.Context) error { return p.ender().OfBranch(ctx, "s") }
		}
		if err := end(t.Context()); err != nil || len(p.appended) != 2 {
			t.Fatalf("%v, %d commits", err, len(p.appended))
		}
		if e, ok := p.appended[0].Bodies[0].(*transcript.TerminalEnd); !ok || e.Lost != lost || e.TerminalID != "t" {
			t.Errorf("the terminal ends with %+v", p.appended[0].Bodies[0])
		}
		if bodies := p.appended[1].Bodies; lost && len(bodies) != 1 || !lost && len(bodies) != 2 {
			t.Errorf("after a start: %t, the display and its run end with %d events", lost, len(bodies))
		}
	}
}

func TestStoreThatFailsEndsNothingMore(t *testing.T) {
	t.Parallel()
	p := &parts{fails: 2, messages: make([]pages.Interrupted, 4)}
	if err := p.ender().AfterStart(t.Context()); !errors.Is(err, errFull) || len(p.appended) != 2 {
		t.Errorf("%v after %d commits", err, len(p.appended))
	}
	var lost permissions.Decision
	if lost = p.ender().lostDecision(t.Context(), pages.Interrupted{MessageID: "gone"}, pages.OpenCall{Call: transcript.ToolCall{Title: "Run it", Kind: "execute"}}); lost.Title != "Run it" || lost.Outcome != "lost" {
		t.Errorf("without its details the request is kept as %+v", lost)
	}
}
