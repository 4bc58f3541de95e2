package transcript

import "testing"

func parent(id string) func(*ToolPatch) { return func(p *ToolPatch) { p.ParentID = &id } }

func thread(id, path string) func(*ToolPatch) {
	return func(p *ToolPatch) { p.Thread = Thread{ID: id, Path: path} }
}

// TestParents is what belongs under which call, as agents tell it.
func TestParents(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(b *bench)
		want string
	}{
		{"two sub-agents at once: arrival order, each under its own call", func(b *bench) {
			b.do(announce("A", "", StatusRunning), announce("B", "", StatusRunning),
				under("A", text("a1 ")), under("B", text("b1 ")), under("A", text("a2")),
				with(announce("x", "", StatusRunning), parent("A")), with(announce("y", "", StatusRunning), parent("B")),
				under("B", think("hm")), change("x", StatusCompleted))
		}, `
		agent …
		  group
		    A running
		    B running
		  text under A "a1 "
		  text under B "b1 "
		  text under A "a2"
		  group
		    x completed under A 30ms
		    y running under B
		    thought "hm" under B`},
		{"a parent that is told later, and changes", func(b *bench) {
			b.do(announce("x", "", StatusRunning), announce("A", "", StatusRunning),
				with(change("x", ""), parent("A")), with(change("x", ""), parent("B")))
		}, `
		agent …
		  group
		    x running under B
		    A running`},
		{"a child after its parent has ended", func(b *bench) {
			b.do(announce("A", "", StatusCompleted), with(announce("x", "", StatusCompleted), parent("A")))
		}, `
		agent …
		  group
		    A completed 0ms
		    x completed under A 0ms`},
		{"a sub-agent that goes on in the background belongs to its turn", func(b *bench) {
			b.do(announce("A", "", StatusCompleted))
			b.turns.Current().End("end_turn", nil, b.now)
			b.turns.Prompt("next")
			b.turns.Begin("r2", "")
			b.do(text("I "), under("A", text("still here")), with(announce("x", "", StatusCompleted), parent("A")),
				text("am"), with(announce("y", "", StatusCompleted), parent("nobody")))
		}, `
		agent (end_turn)
		  group
		    A completed 0ms
		  text under A "still here"
		  group
		    x completed under A 0ms
		user
		  text "next"
		agent …
		  text "I am"
		  group
		    y completed under nobody 0ms`},
		{"a call of this turn stands before one of an earlier turn with the same id", func(b *bench) {
			b.do(announce("A", "", StatusCompleted))
			b.turns.Current().End("end_turn", nil, b.now)
			b.turns.Begin("r2", "")
			b.do(announce("A", "", StatusRunning), with(announce("x", "", StatusCompleted), parent("A")))
		}, `
		agent (end_turn)
		  group
		    A completed 0ms
		agent …
		  group
		    A running
		    x completed under A 0ms`},
		{"codex names threads: the first call of one stands for it", func(b *bench) {
			b.do(with(announce("s1", "Start subagent Review", StatusCompleted), thread("t1", "/root/review")),
				with(announce("s2", "Start subagent Tests", StatusCompleted), thread("t2", "/root/review/tests")),
				with(announce("c1", "ls", StatusCompleted), thread("t1", "")),
				with(announce("e2", "Complete subagent Tests", StatusCompleted), thread("t2", "/root/review/tests")),
				with(change("s1", ""), thread("t1", "/root/review")),
				announce("own", "", StatusCompleted))
		}, `
		agent …
		  group
		    s1 completed "Start subagent Review" 0ms
		    s2 completed "Start subagent Tests" under s1 0ms
		    c1 completed "ls" under s1 0ms
		    e2 completed "Complete subagent Tests" under s2 0ms
		    own completed 0ms`},
		{"a thread of an earlier turn starts anew", func(b *bench) {
			b.do(with(announce("s1", "", StatusCompleted), thread("t1", "")))
			b.turns.Current().End("end_turn", nil, b.now)
			b.turns.Begin("r2", "")
			b.do(with(announce("s2", "", StatusCompleted), thread("t1", "")), &Update{Kind: UpdateText, Text: "hi", Thread: Thread{ID: "t1"}})
		}, `
		agent (end_turn)
		  group
		    s1 completed 0ms
		agent …
		  group
		    s2 completed 0ms
		  text under s2 "hi"`},
		{"a call under itself, and two under each other", func(b *bench) {
			b.do(with(announce("a", "", StatusCompleted), parent("a")), with(announce("b", "", StatusCompleted), parent("c")),
				with(announce("c", "", StatusCompleted), parent("b")))
		}, `
		agent …
		  group
		    a completed under a 0ms
		    b completed under c 0ms
		    c completed under b 0ms`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r1", "")
			c.run(b)
			b.want(c.want)
		})
	}
}
