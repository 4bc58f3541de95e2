// Package loop is the built-in agent's loop: it sends a prompt to the model, makes the model's calls and sends the
// results back, until the model makes no more calls. It keeps the conversation clean (see package llm) and depends
// neither on a provider nor on the agent's protocol.
//
// A run returns all of its own messages, whatever happens: the prompt, the model's messages with their calls, the
// results, and the last message. It begins with the user and ends with the model, so that runs can be concatenated to a
// history. If a run was interrupted, the open calls have results that say so, and the last message says in brackets
// why.
package loop

import (
	"context"
	"time"

	"weft/backend/llm"
)

// Host observes a run and makes its calls. The run's goroutine calls its methods, except Do, and is blocked by them.
type Host interface {
	// Delta handles a piece of the answer as it arrives.
	Delta(d llm.Delta)
	// Keep stores a complete message before the run acts on it. An error ends the run.
	Keep(m llm.Message) error
	// Asked handles the response of a request: its usage, and the calls that will be made now.
	Asked(r llm.Response)
	// Do makes the n-th call of the last message and returns its result, even if it failed. It may be called
	// concurrently.
	Do(ctx context.Context, n int, call llm.ToolCall) llm.ToolResult
	// Alone reports whether a call must not run concurrently with others.
	Alone(call llm.ToolCall) bool
	// Skip reports that a call won't be made, and why.
	Skip(n int, call llm.ToolCall, why string)
	// Waiting reports that a request failed with a transient error and will be retried after wait.
	Waiting(err error, attempt int, wait time.Duration)
	// Shortened stores that from now on the model gets a summary instead of its oldest messages. An error ends the run.
	Shortened(s Summary) error
}

// Runner answers prompts of one conversation. Its fields may be changed between runs, but not during one.
type Runner struct {
	Model llm.Model
	Host  Host
	// Name, System, Tools, MaxTokens, Effort and Output are as in [llm.Request].
	Name      string
	System    string
	Tools     []llm.Tool
	MaxTokens int
	Effort    string
	Output    *llm.Output
	// Context is the size of the model's context in tokens, or 0 if unknown.
	Context int64
	// MaxRequests bounds the requests of one run; 0 means 200.
	MaxRequests int
	Log         func(string)
}

// End is how a run ended.
type End string

// The ends of a run, as the protocol's stop reasons.
const (
	EndTurn     End = "end_turn"
	EndLength   End = "max_tokens"
	EndRefused  End = "refusal"
	EndRequests End = "max_turn_requests"
	EndStopped  End = "cancelled"
)

// Outcome is the result of a run.
type Outcome struct {
	New   []llm.Message // the run's own messages, from the prompt to the model's last one
	End   End
	Usage llm.Usage // of all requests, including compaction
}

const maxRequests = 200

// Run runs a turn for a prompt. It blocks until the turn has ended. If ctx is canceled, the outcome's end is EndStopped
// and the error is nil. An error of the model is an [*Error]; the outcome then holds the messages so far.
func (r *Runner) Run(ctx context.Context, view *View, prompt []llm.Part) (Outcome, error) {
	t := &run{Runner: r, ctx: ctx, view: view, ids: view.callIDs(), again: map[string]int{}}
	view.begin()
	err := t.all(prompt)
	if t.out.End == EndRefused {
		view.forget() // per the protocol, neither the prompt nor what followed is sent again
	}
	return t.out, err
}

// run is one run in progress.
type run struct {
	*Runner
	ctx  context.Context //nolint:containedctx // a run is one call
	view *View
	out  Outcome
	ids  map[string]bool // of all calls of the conversation
	// again counts repeated uses of an id, by the id.
	again map[string]int
}

func (t *run) all(prompt []llm.Part) error {
	if len(prompt) == 0 {
		prompt = []llm.Part{llm.Text{Text: "(an empty prompt)"}}
	}
	if err := t.keep(llm.Message{Role: llm.RoleUser, Parts: prompt}); err != nil {
		return err
	}
	limit := t.MaxRequests
	if limit == 0 {
		limit = maxRequests
	}
	corrected := false
	for n := 0; ; n++ {
		if n == limit {
			return t.close(EndRequests, "Stopped: this turn reached the limit of requests.")
		}
		res, err := t.ask()
		msg := t.clean(res.Message)
		if err != nil {
			return t.brokenOff(msg, err)
		}
		if len(msg.Parts) == 0 {
			return t.empty(res)
		}
		if err := t.keep(msg); err != nil {
			return err
		}
		t.Host.Asked(res)
		calls := msg.Calls()
		if len(calls) == 0 {
			complaint := t.unfit(msg)
			if complaint != "" && !corrected && res.Stop == llm.StopEnd {
				corrected = true
				if err := t.keep(llm.UserText(complaint)); err != nil {
					return err
				}
				continue
			}
			t.out.End = endOf(res.Stop)
			return nil
		}
		if err := t.keep(llm.Message{Role: llm.RoleUser, Parts: t.do(calls)}); err != nil {
			return err
		}
		if t.ctx.Err() != nil {
			return t.close(EndStopped, "Stopped by the user.")
		}
	}
}

func endOf(s llm.Stop) End {
	switch s {
	case llm.StopLength:
		return EndLength
	case llm.StopRefusal:
		return EndRefused
	default:
		return EndTurn
	}
}

// keep stores a complete message and adds it to the conversation.
func (t *run) keep(m llm.Message) error {
	if err := t.Host.Keep(m); err != nil {
		return err
	}
	t.out.New = append(t.out.New, m)
	t.view.add(m)
	return nil
}

// close ends a run whose last message is the user's.
func (t *run) close(end End, why string) error {
	t.out.End = end
	return t.keep(note(why))
}

func note(why string) llm.Message { return llm.ModelText("[" + why + "]") }

// empty ends a run whose last answer was empty.
func (t *run) empty(res llm.Response) error {
	t.Host.Asked(res)
	switch res.Stop {
	case llm.StopRefusal:
		return t.close(EndRefused, "The model declined to answer.")
	case llm.StopLength:
		return t.close(EndLength, "The answer reached the length limit.")
	default:
		const why = "The model sent an empty answer."
		t.Host.Delta(llm.Delta{Kind: llm.DeltaText, Text: why})
		return t.close(EndTurn, why)
	}
}

// brokenOff ends a run whose last answer is incomplete. It keeps what was received, and doesn't make the calls in it.
func (t *run) brokenOff(msg llm.Message, cause error) error {
	why := "The answer was interrupted: " + cause.Error()
	end := End("")
	if t.ctx.Err() != nil {
		why, end, cause = "Stopped by the user.", EndStopped, nil
	}
	calls := msg.Calls()
	if len(msg.Parts) > 0 && len(calls) == 0 {
		msg.Parts = append(msg.Parts, llm.Text{Text: "\n\n[" + why + "]"})
		t.out.End = end
		if err := t.keep(msg); err != nil {
			return err
		}
		return cause
	}
	if len(calls) > 0 {
		if err := t.keep(msg); err != nil {
			return err
		}
		results := make([]llm.Part, len(calls))
		for i, c := range calls {
			said := "Not done: the answer was interrupted before it was complete."
			if cause == nil {
				said = "Not done: the user stopped here."
			}
			t.Host.Skip(i, c, said)
			results[i] = failed(c, said)
		}
		if err := t.keep(llm.Message{Role: llm.RoleUser, Parts: results}); err != nil {
			return err
		}
	}
	t.out.End = end
	if err := t.keep(note(why)); err != nil {
		return err
	}
	return cause
}

func failed(c llm.ToolCall, said string) llm.ToolResult {
	return llm.ToolResult{CallID: c.ID, Name: c.Name, Failed: true, Parts: []llm.Part{llm.Text{Text: said}}}
}
