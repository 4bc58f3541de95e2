package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"weft/backend/llm"
)

// script is a model that answers with scripted steps.
type script struct {
	mu    sync.Mutex
	steps []step
	got   []llm.Request
}

type step struct {
	parts []llm.Part
	stop  llm.Stop
	err   error
	usage llm.Usage
	hook  func()
}

func (s *script) Models(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func (s *script) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Messages = append([]llm.Message(nil), req.Messages...)
	s.got = append(s.got, req)
	if len(s.steps) == 0 {
		return llm.Response{}, &llm.Error{Code: llm.CodeRequest, Message: "the script has ended"}
	}
	st := s.steps[0]
	s.steps = s.steps[1:]
	calls := 0
	for _, p := range st.parts {
		switch p := p.(type) {
		case llm.Text:
			emit(llm.Delta{Kind: llm.DeltaText, Text: p.Text})
		case llm.ToolCall:
			emit(llm.Delta{Kind: llm.DeltaCallStart, Call: calls, ID: p.ID, Name: p.Name})
			calls++
		}
	}
	if st.hook != nil {
		st.hook()
	}
	if ctx.Err() != nil {
		return llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: st.parts}}, ctx.Err()
	}
	stop := st.stop
	if stop == "" {
		stop = llm.StopEnd
	}
	return llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: st.parts}, Stop: stop, Usage: st.usage}, st.err
}

// watcher is a host that logs its calls.
type watcher struct {
	mu   sync.Mutex
	log  []string
	kept []llm.Message
	do   func(ctx context.Context, c llm.ToolCall) llm.ToolResult
}

func (w *watcher) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

func (w *watcher) Delta(d llm.Delta) {
	if d.Kind == llm.DeltaText {
		w.say("text %q", d.Text)
	}
}
func (w *watcher) Keep(m llm.Message) error { w.kept = append(w.kept, m); return nil }
func (w *watcher) Asked(llm.Response)       {}
func (w *watcher) Do(ctx context.Context, n int, c llm.ToolCall) llm.ToolResult {
	w.say("do %d %s %s", n, c.Name, c.ID)
	if w.do != nil {
		return w.do(ctx, c)
	}
	return llm.ToolResult{CallID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text{Text: "result of " + c.ID}}}
}
func (w *watcher) Alone(c llm.ToolCall) bool { return c.Name == "write" }
func (w *watcher) Skip(n int, c llm.ToolCall, why string) {
	w.say("skip %d %s: %s", n, c.ID, why)
}

func (w *watcher) Waiting(err error, attempt int, wait time.Duration) {
	w.say("waiting %d for %v: %v", attempt, wait > 0, err)
}

func (w *watcher) Shortened(s Summary) error {
	w.say("shortened %d, %d stay", s.Dropped, s.Keep)
	return nil
}

func text(s string) llm.Part { return llm.Text{Text: s} }
func use(id, name string) llm.Part {
	return llm.ToolCall{ID: id, Name: name, Input: json.RawMessage(`{}`)}
}

// dump returns a conversation as readable text.
func dump(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				fmt.Fprintf(&b, " %q", p.Text)
			case llm.Thinking:
				fmt.Fprintf(&b, " think %q", p.Text)
			case llm.ToolCall:
				fmt.Fprintf(&b, " call %s %s", p.ID, p.Name)
			case llm.ToolResult:
				said := p.Parts[0].(llm.Text).Text
				if p.Failed {
					said = "failed, " + said
				}
				fmt.Fprintf(&b, " result %s (%s)", p.CallID, said)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestRuns(t *testing.T) {
	passing := &llm.Error{Code: llm.CodeServer, Message: "Overloaded.", Retryable: true}
	final := &llm.Error{Code: llm.CodeRequest, Message: "Not like this."}
	for _, c := range []struct {
		name  string
		steps []step
		want  string
		end   End
		err   string
	}{
		{"an answer", []step{{parts: []llm.Part{text("Hi.")}}}, "user: \"Do it.\"\nmodel: \"Hi.\"\n", EndTurn, ""},
		{
			"two rounds of tools",
			[]step{
				{parts: []llm.Part{text("Look:"), use("a", "read"), use("b", "read")}},
				{parts: []llm.Part{use("c", "write")}},
				{parts: []llm.Part{text("Done.")}},
			},
			"user: \"Do it.\"\nmodel: \"Look:\" call a read call b read\nuser: result a (result of a) result b (result of b)\n" +
				"model: call c write\nuser: result c (result of c)\nmodel: \"Done.\"\n", EndTurn, "",
		},
		{
			"one id twice, and none",
			[]step{{parts: []llm.Part{use("a", "read"), use("a", "read"), use("", "read")}}, {parts: []llm.Part{use("a", "read")}}, {parts: []llm.Part{text("Done.")}}},
			"user: \"Do it.\"\nmodel: call a read call a-2 read call call-2 read\nuser: result a (result of a) result a-2 (result of a-2) result call-2 (result of call-2)\n" +
				"model: call a-3 read\nuser: result a-3 (result of a-3)\nmodel: \"Done.\"\n", EndTurn, "",
		},
		{"an empty answer", []step{{}}, "user: \"Do it.\"\nmodel: \"[The model sent an empty answer.]\"\n", EndTurn, ""},
		{"a refusal with words", []step{{parts: []llm.Part{text("No.")}, stop: llm.StopRefusal}}, "user: \"Do it.\"\nmodel: \"No.\"\n", EndRefused, ""},
		{"a refusal without", []step{{stop: llm.StopRefusal}}, "user: \"Do it.\"\nmodel: \"[The model declined to answer.]\"\n", EndRefused, ""},
		{"out of tokens", []step{{parts: []llm.Part{text("And th")}, stop: llm.StopLength}}, "user: \"Do it.\"\nmodel: \"And th\"\n", EndLength, ""},
		{"a failure at once", []step{{err: final}}, "user: \"Do it.\"\nmodel: \"[The answer was interrupted: Not like this.]\"\n", "", "Not like this."},
		{"broken off in a text", []step{{parts: []llm.Part{text("Half")}, err: passing}}, "user: \"Do it.\"\nmodel: \"Half\" \"\\n\\n[The answer was interrupted: Overloaded.]\"\n", "", "Overloaded."},
		{
			"broken off in a call",
			[]step{{parts: []llm.Part{text("Look:"), use("a", "read")}, err: passing}},
			"user: \"Do it.\"\nmodel: \"Look:\" call a read\nuser: result a (failed, Not done: the answer was interrupted before it was complete.)\nmodel: \"[The answer was interrupted: Overloaded.]\"\n", "", "Overloaded.",
		},
		{"broken off behind tools", []step{{parts: []llm.Part{use("a", "read")}}, {err: final}}, "user: \"Do it.\"\nmodel: call a read\nuser: result a (result of a)\nmodel: \"[The answer was interrupted: Not like this.]\"\n", "", "Not like this."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &watcher{}
			var view View
			r := &Runner{Model: &script{steps: c.steps}, Host: w}
			out, err := r.Run(t.Context(), &view, []llm.Part{text("Do it.")})
			if got := dump(out.New); got != c.want || dump(w.kept) != c.want {
				t.Errorf("got\n%s\nwant\n%s\nkept\n%s", got, c.want, dump(w.kept))
			}
			if out.End != c.end || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("end %q, error %v", out.End, err)
			}
			sent := c.want
			if c.end == EndRefused {
				sent = ""
			}
			if got := dump(view.Messages()); got != sent {
				t.Errorf("the next request begins with\n%s", got)
			}
		})
	}
}

func TestTransientFailuresAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		overloaded := &llm.Error{Code: llm.CodeServer, Message: "Overloaded.", Retryable: true}
		limit := &llm.Error{Code: llm.CodeLimit, Message: "Slow down.", Retryable: true, After: 42 * time.Second}
		w := &watcher{}
		r := &Runner{Model: &script{steps: []step{{err: overloaded}, {err: limit}, {parts: []llm.Part{text("Recovered.")}}}}, Host: w}
		began := time.Now()
		out, err := r.Run(t.Context(), &View{}, []llm.Part{text("Go.")})
		if err != nil || out.New[len(out.New)-1].Text() != "Recovered." || len(w.log) != 3 {
			t.Fatalf("%v, %v", err, w.log)
		}
		if took := time.Since(began); took < 42*time.Second+750*time.Millisecond || took > 42*time.Second+1250*time.Millisecond {
			t.Errorf("waited %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var steps []step
		for range 10 {
			steps = append(steps, step{err: &llm.Error{Code: llm.CodeServer, Message: "Overloaded.", Retryable: true}})
		}
		s := &script{steps: steps}
		_, err := (&Runner{Model: s, Host: &watcher{}}).Run(t.Context(), &View{}, []llm.Part{text("Go.")})
		var e *Error
		if !errors.As(err, &e) || !e.WasRetried || !e.Retryable() || len(s.got) != 1+retries {
			t.Fatalf("%v after %d requests", err, len(s.got))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		s := &script{steps: []step{{err: &llm.Error{Code: llm.CodeServer, Retryable: true, After: time.Hour}}}}
		out, err := (&Runner{Model: s, Host: &watcher{}}).Run(ctx, &View{}, []llm.Part{text("Go.")})
		if err != nil || out.End != EndStopped || len(out.New) != 2 {
			t.Fatalf("%v %q %s", err, out.End, dump(out.New))
		}
	})
}

// Calls that read run concurrently; the others run alone. Results are in call order.
func TestReadingCallsRunConcurrently(t *testing.T) {
	together := make(chan struct{}, 2)
	w := &watcher{}
	w.do = func(ctx context.Context, c llm.ToolCall) llm.ToolResult {
		if c.Name == "read" { // each waits for the other
			together <- struct{}{}
			for len(together) < 2 {
				if ctx.Err() != nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
		return llm.ToolResult{CallID: c.ID, Parts: []llm.Part{text(c.ID)}}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s := &script{steps: []step{{parts: []llm.Part{use("a", "read"), use("b", "read"), use("c", "write"), use("d", "write")}}, {parts: []llm.Part{text("Done.")}}}}
	out, err := (&Runner{Model: s, Host: w}).Run(ctx, &View{}, []llm.Part{text("Go.")})
	if err != nil || dump(out.New[2:3]) != "user: result a (a) result b (b) result c (c) result d (d)\n" {
		t.Fatalf("%v\n%s", err, dump(out.New))
	}
	if got := strings.Join(w.log[2:4], ", "); got != "do 2 write c, do 3 write d" {
		t.Errorf("%s", got)
	}
}

func TestCancelledInATool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{do: func(_ context.Context, c llm.ToolCall) llm.ToolResult {
		cancel()
		return llm.ToolResult{CallID: c.ID, Failed: true, Parts: []llm.Part{text("stopped")}}
	}}
	s := &script{steps: []step{{parts: []llm.Part{use("a", "write"), use("b", "write")}}}}
	var view View
	out, err := (&Runner{Model: s, Host: w}).Run(ctx, &view, []llm.Part{text("Go.")})
	want := "user: \"Go.\"\nmodel: call a write call b write\nuser: result a (failed, stopped) result b (failed, Not done: the user stopped here.)\nmodel: \"[Stopped by the user.]\"\n"
	if err != nil || out.End != EndStopped || dump(out.New) != want {
		t.Fatalf("%v %q\n%s", err, out.End, dump(out.New))
	}
	s.steps = []step{{parts: []llm.Part{text("On we go.")}}}
	if _, err := (&Runner{Model: s, Host: w}).Run(t.Context(), &view, []llm.Part{text("Go on.")}); err != nil {
		t.Fatal(err)
	}
	valid(t, s.got[len(s.got)-1].Messages)
}

// valid checks that a conversation is clean and that it is the model's turn.
func valid(t interface{ Fatalf(string, ...any) }, messages []llm.Message) {
	var pending []llm.ToolCall
	for i, m := range messages {
		if want := []llm.Role{llm.RoleUser, llm.RoleModel}[i%2]; m.Role != want || len(m.Parts) == 0 {
			t.Fatalf("message %d is %s's with %d parts:\n%s", i, m.Role, len(m.Parts), dump(messages))
		}
		if m.Role == llm.RoleModel {
			pending = m.Calls()
			continue
		}
		for j, p := range m.Parts {
			r, is := p.(llm.ToolResult)
			if is != (j < len(pending)) || is && r.CallID != pending[j].ID {
				t.Fatalf("message %d doesn't begin with the results of its calls, in order:\n%s", i, dump(messages))
			}
		}
		if len(m.Parts) < len(pending) {
			t.Fatalf("message %d lacks results", i)
		}
	}
	if len(messages)%2 != 1 {
		t.Fatalf("the last message isn't the user's")
	}
}

// Whatever a model does, the conversation stays clean, a run returns exactly the kept messages, and the history is the
// concatenation of the runs.
func TestConversationsStayClean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var view View
		var history []llm.Message
		n := 0
		for range rapid.IntRange(1, 5).Draw(rt, "runs") {
			ctx, cancel := context.WithCancel(context.Background())
			s := &script{}
			for range rapid.IntRange(1, 4).Draw(rt, "steps") {
				st := step{stop: rapid.SampledFrom([]llm.Stop{llm.StopEnd, llm.StopTools, llm.StopLength, llm.StopRefusal}).Draw(rt, "stop")}
				for range rapid.IntRange(0, 4).Draw(rt, "parts") {
					n++
					switch rapid.IntRange(0, 3).Draw(rt, "kind") {
					case 0:
						st.parts = append(st.parts, text(fmt.Sprint("text ", n)))
					case 1:
						st.parts = append(st.parts, llm.Thinking{Text: fmt.Sprint("thought ", n)})
					default:
						st.parts = append(st.parts, use(rapid.SampledFrom([]string{"", "x", "y"}).Draw(rt, "id"), rapid.SampledFrom([]string{"read", "write", "nothing"}).Draw(rt, "tool")))
					}
				}
				switch rapid.IntRange(0, 9).Draw(rt, "fate") {
				case 0:
					st.err = &llm.Error{Code: llm.CodeBroken, Message: "Broken."}
				case 1:
					st.hook = cancel
				}
				s.steps = append(s.steps, st)
			}
			w := &watcher{}
			before := len(view.Messages())
			out, _ := (&Runner{Model: s, Host: w}).Run(ctx, &view, []llm.Part{text("prompt")})
			cancel()
			if dump(out.New) != dump(w.kept) {
				rt.Fatalf("returned\n%s\nkept\n%s", dump(out.New), dump(w.kept))
			}
			if out.End == EndRefused {
				if len(view.Messages()) != before {
					rt.Fatalf("a refused run is sent again")
				}
				continue
			}
			history = append(history, out.New...)
			for _, req := range s.got {
				valid(rt, req.Messages)
			}
		}
		if dump(view.Messages()) != dump(history) {
			rt.Fatalf("the history isn't the runs one behind the other")
		}
		valid(rt, append(append([]llm.Message(nil), history...), llm.UserText("next")))
	})
}

func TestLongConversationsAreSummarised(t *testing.T) {
	long := strings.Repeat("x", 4000)
	var view View
	for i := range 6 {
		view.Begin()
		view.Add(llm.UserText(fmt.Sprint("prompt ", i, long)))
		view.Add(llm.Message{Role: llm.RoleModel, Parts: []llm.Part{use(fmt.Sprint("c", i), "read")}})
		view.Add(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{CallID: fmt.Sprint("c", i), Parts: []llm.Part{text("r")}}}})
		view.Add(llm.ModelText("answer"))
	}
	tooLong := &llm.Error{Code: llm.CodeContext, Message: "Too long."}
	s := &script{steps: []step{{err: tooLong}, {parts: []llm.Part{text("what happened")}}, {parts: []llm.Part{text("Here.")}}}}
	w := &watcher{}
	out, err := (&Runner{Model: s, Host: w}).Run(t.Context(), &view, []llm.Part{text("Go on.")})
	if err != nil || dump(out.New) != "user: \"Go on.\"\nmodel: \"Here.\"\n" || len(s.got) != 3 {
		t.Fatalf("%v after %d requests\n%s", err, len(s.got), dump(out.New))
	}
	for _, req := range s.got {
		valid(t, req.Messages)
	}
	last := s.got[2].Messages
	if first := last[0].Text(); !strings.Contains(first, "what happened") || len(last) >= 25 || last[len(last)-1].Text() == "" {
		t.Errorf("%d messages, the first: %.80s", len(last), first)
	}
	if len(w.log) < 1 || !strings.HasPrefix(w.log[0], "shortened") {
		t.Errorf("%v", w.log)
	}
	// A run that is too long by itself keeps its prompt unchanged.
	var own View
	s = &script{}
	for i := range 9 {
		s.steps = append(s.steps, step{parts: []llm.Part{text(long), use(fmt.Sprint("r", i), "read")}, usage: llm.Usage{Input: int64(100 * i), Output: 1}})
	}
	s.steps = append(s.steps, step{parts: []llm.Part{text("the summary")}}, step{parts: []llm.Part{text("Done.")}})
	if _, err := (&Runner{Model: s, Host: &watcher{}, Context: 800}).Run(t.Context(), &own, []llm.Part{text("The exact wish.")}); err != nil {
		t.Fatal(err)
	}
	for _, req := range s.got {
		valid(t, req.Messages)
	}
	if got := dump(own.Messages()[:1]); !strings.Contains(got, "The exact wish.") || !strings.Contains(got, "Summary of the conversation") {
		t.Errorf("%.300s", got)
	}
}

func TestStructuredAnswersAreCheckedOnce(t *testing.T) {
	output := &llm.Output{Name: "n", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	s := &script{steps: []step{{parts: []llm.Part{text(`{"n":"many"}`)}}, {parts: []llm.Part{text(`{"n":3}`)}}}}
	out, err := (&Runner{Model: s, Host: &watcher{}, Output: output}).Run(t.Context(), &View{}, []llm.Part{text("Count.")})
	if err != nil || len(out.New) != 4 || out.New[3].Text() != `{"n":3}` {
		t.Fatalf("%v\n%s", err, dump(out.New))
	}
	valid(t, append(out.New, llm.UserText("next")))
}

func TestARunIsBounded(t *testing.T) {
	s := &script{}
	for i := range 10 {
		s.steps = append(s.steps, step{parts: []llm.Part{use(fmt.Sprint("c", i), "read")}})
	}
	out, err := (&Runner{Model: s, Host: &watcher{}, MaxRequests: 3}).Run(t.Context(), &View{}, []llm.Part{text("Go.")})
	if err != nil || out.End != EndRequests || len(s.got) != 3 || out.New[len(out.New)-1].Role != llm.RoleModel {
		t.Fatalf("%v %q %d", err, out.End, len(s.got))
	}
}
