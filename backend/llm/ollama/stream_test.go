package ollama

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weft/backend/llm"
	"weft/backend/llm/llmtest"
	"weft/backend/llm/llmtest/scripted"
)

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	s := scripted.New(t, scripted.Step{Text: "one two", Fragment: 4, Hang: true})
	r, err := newModel(s.URL).Stream(ctx, hello, func(d llm.Delta) {
		if d.Text == "two" {
			cancel(why)
		}
	})
	if !errors.Is(err, why) || r.Message.Text() != "one two" {
		t.Errorf("got %v, %v", err, r.Message)
	}
}

func TestASilentServer(t *testing.T) {
	s := scripted.New(t, scripted.Step{Text: "one", Hang: true})
	m := New(llm.Options{BaseURL: s.URL, Client: llm.NewClient(llmtest.Silence)})
	r, err := m.Stream(t.Context(), hello, func(llm.Delta) {})
	if !errors.Is(err, llm.ErrSilent) || !llm.Retryable(err) || r.Message.Text() != "one" {
		t.Errorf("got %v, %v", err, r.Message)
	}
}

// Each delta is passed on before the next one is sent.
func TestDeltasAreSentAsTheyArrive(t *testing.T) {
	got := make(chan struct{}, 1)
	step := scripted.Step{Thinking: "think", Text: "text", Fragment: 1, Calls: []scripted.Call{{Name: "read", Input: `{"path":"a"}`}, {Name: "read", Input: `{}`}}}
	step.Before = func(delta int) {
		if delta > 0 {
			<-got // the one before has arrived
		}
	}
	n := 0
	_, err := newModel(scripted.New(t, step).URL).Stream(t.Context(), hello, func(d llm.Delta) {
		if d.Kind != llm.DeltaCallStart {
			n++
			got <- struct{}{}
		}
	})
	if want := len("think") + len("text") + 2; err != nil || n != want {
		t.Errorf("%d deltas, want %d, %v", n, want, err)
	}
}

// Thinking of Ollama's models goes back as thinking.
func TestThinkingGoesBack(t *testing.T) {
	s := scripted.New(t, scripted.Step{Thinking: "deep thoughts", Text: "A"}, scripted.Step{Text: "B"})
	m := newModel(s.URL)
	r, err := m.Stream(t.Context(), hello, func(llm.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	next := hello
	next.Messages = append(append([]llm.Message{}, hello.Messages...), r.Message, llm.UserText("Go on."))
	if _, err := m.Stream(t.Context(), next, func(llm.Delta) {}); err != nil {
		t.Fatal(err)
	}
	all := s.Requests()
	if out := string(all[len(all)-1].Body); !strings.Contains(out, `"content":"A","thinking":"deep thoughts"`) {
		t.Errorf("sent %s", out)
	}
}
