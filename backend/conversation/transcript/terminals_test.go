package transcript

import (
	"strings"
	"testing"
)

func exited(code int, at int64, kept string) TerminalResult {
	return TerminalResult{TerminalExit: TerminalExit{Code: &code}, At: at, Size: 1000, Kept: kept}
}

func naming(id string, terminals ...string) *Update {
	list := make([]Content, 0, len(terminals))
	for _, t := range terminals {
		list = append(list, Content{Type: "terminal", Terminal: t})
	}
	kind, title := "execute", "Run "+id
	return &Update{Kind: UpdateTool, Tool: &ToolPatch{ID: id, Title: &title, Kind: &kind, Content: &list}}
}

func ends(id string, s Status) *Update {
	return &Update{Kind: UpdateTool, Tool: &ToolPatch{ID: id, Status: &s}}
}

func TestTerminals(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*bench)
		want string
	}{
		{"named, then output, then the end", func(b *bench) {
			b.turns.Terminals.Started("x", "make", "", b.now)
			b.do(naming("t1", "x"))
			b.turns.Terminals.Output("x", "one\n", 0)
			b.turns.Terminals.Output("x", "two\n", 4)
			b.turns.Terminals.Ended("x", exited(2, b.now, ""))
			b.do(ends("t1", StatusCompleted))
		}, `agent …
		  group
		    t1 failed "Run t1" 10ms ✗ Exit code 2: one two [x "make" 0+"one\ntwo\n" = 2]`},
		{"all of it before it is named", func(b *bench) {
			b.turns.Terminals.Started("x", "make", "", b.now)
			b.turns.Terminals.Output("x", "one\n", 0)
			b.turns.Terminals.Ended("x", exited(0, b.now, ""))
			b.do(text("Done."), naming("t1", "x"), ends("t1", StatusCompleted))
		}, `agent …
		  text "Done."
		  group
		    t1 completed "Run t1" 10ms — exit code 0: one [x "make" 0+"one\n" = 0]`},
		{"never named: a call of its own", func(b *bench) {
			b.turns.Terminals.Started("x", "make", "", b.now)
			b.turns.Terminals.Output("x", "one\n", 0)
			b.turns.ShowTerminal("x", false, b.now)
			b.turns.ShowTerminal("x", false, b.now)
			b.do(text("meanwhile"))
			b.turns.Terminals.Output("x", "two\n", 4)
			b.turns.Terminals.Ended("x", exited(0, b.now, ""))
		}, `agent …
		  group
		    x completed "make" 10ms — exit code 0: one · 2 lines in all [x "make" 0+"one\ntwo\n" = 0]
		  text "meanwhile"`},
		{"named late: it stays where it is", func(b *bench) {
			b.turns.Terminals.Started("x", "make", "", b.now)
			b.turns.ShowTerminal("x", false, b.now)
			b.do(naming("t1", "x"))
			b.turns.Terminals.Output("x", "one\n", 0)
		}, `agent …
		  group
		    x running "make" [x "make" 0+"one\n" …]
		    t1 pending "Run t1"`},
		{"two terminals of one call, and one that two calls name", func(b *bench) {
			b.turns.Terminals.Started("x", "a", "", b.now)
			b.turns.Terminals.Started("y", "b", "", b.now)
			b.do(naming("t1", "x", "y"), naming("t2", "x"))
			b.turns.Terminals.Output("y", "Y", 0)
			b.turns.Terminals.Output("x", "X", 0)
		}, `agent …
		  group
		    t1 pending "Run t1" [x "a" 0+"X" …] [y "b" 0+"Y" …]
		    t2 pending "Run t2"`},
		{"a flood: what does not continue replaces", func(b *bench) {
			b.turns.Terminals.Started("x", "yes", "", b.now)
			b.do(naming("t1", "x"))
			b.turns.Terminals.Output("x", "yyyy", 0)
			b.turns.Terminals.Output("x", "tail", 500)
			b.turns.Terminals.Output("x", "more", 504)
			b.turns.Terminals.Output("x", "end", 997)
			b.turns.Terminals.Ended("x", exited(0, b.now, "what is held"))
		}, `agent …
		  group
		    t1 pending "Run t1" [x "yes" 997+"end" = 0 last 12 of 1000]`},
		{"a flood before it is named", func(b *bench) {
			b.turns.Terminals.Started("x", "yes", "", b.now)
			b.turns.Terminals.Output("x", "yyyy", 0)
			b.turns.Terminals.Output("x", "tail", 500)
			b.do(naming("t1", "x"))
		}, `agent …
		  group
		    t1 pending "Run t1" [x "yes" 500+"tail" …]`},
		{"the end after the turn", func(b *bench) {
			b.turns.Terminals.Started("x", "serve", "", b.now)
			b.do(naming("t1", "x"), ends("t1", StatusCompleted))
			b.turns.Current().End("end_turn", nil, b.now)
			b.turns.Terminals.Output("x", "late\n", 0)
			b.turns.Terminals.Ended("x", exited(1, b.now, ""))
		}, `agent (end_turn)
		  group
		    t1 failed "Run t1" 10ms ✗ Exit code 1: late [x "serve" 0+"late\n" = 1]`},
		{"killed by the user", func(b *bench) {
			b.turns.Terminals.Started("x", "sleep", "", b.now)
			b.turns.ShowTerminal("x", false, b.now)
			b.turns.Terminals.Ended("x", TerminalResult{TerminalExit: TerminalExit{Signal: "SIGTERM", Killed: true}, At: b.now})
		}, `agent …
		  group
		    x cancelled "sleep" 0ms [x "sleep" 0+"" = SIGTERM]`},
		{"unknown ones", func(b *bench) {
			b.do(naming("t1", "x"))
			b.turns.Terminals.Output("x", "lost", 0)
			b.turns.Terminals.Ended("x", exited(0, b.now, ""))
			b.turns.ShowTerminal("x", false, b.now)
		}, `agent …
		  group
		    t1 pending "Run t1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r1", "")
			c.do(b)
			b.want(c.want)
			if len(b.turns.Terminals.known) > 2 {
				t.Errorf("%d terminals are remembered", len(b.turns.Terminals.known))
			}
		})
	}
}

// However the output is cut, no event is too large and no byte is lost.
func TestTerminalOutputFitsEvents(t *testing.T) {
	b := newBench(t)
	b.turns.Begin("r1", "")
	b.turns.Terminals.Started("x", strings.Repeat("\x1b", 4000), "", b.now)
	b.do(naming("t1", "x"))
	text := strings.Repeat("\x1b[31m日本\n", 5000)
	b.turns.Terminals.Output("x", text, 0)
	b.turns.Terminals.Ended("x", exited(0, b.now, text))
	b.flush() // checks the sizes
	got := b.conv.Messages[0].Segments[0].Items[0].Call.Terminals[0]
	if got.Text != text || string(b.blobs[got.Ref.Hash]) != text {
		t.Errorf("%d bytes came of %d", len(got.Text), len(text))
	}
}
