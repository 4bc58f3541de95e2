// Package loop is the built-in agent's loop: a prompt goes to the model, what the model calls is done and goes
// back to it, until it has nothing more to call. It keeps the conversation clean (see package llm) and knows
// neither a provider nor the protocol that the agent speaks.
//
// A run returns only its own new messages, and always all of them: the prompt, the model's messages with their
// calls, the results, and the last message, whatever happened in between. It begins with the user and ends with
// the model, so that a history is runs one behind the other. Where a run was cut off, the open calls have results
// that say so, and the last message says in brackets why it ends.
package loop

import (
	"context"
	"time"

	"weft/backend/llm"
)

// Host is what a run is watched and helped by. Its methods are called from the goroutine of the run, but for Do, and
// block it.
type Host interface {
	// Delta passes on a piece of the answer as it comes.
	Delta(d llm.Delta)
	// Keep stores a message that is whole, before anything follows from it. Its error ends the run.
	Keep(m llm.Message) error
	// Asked tells what a request brought: its usage, and the calls that will be done now.
	Asked(r llm.Response)
	// Do does the n-th call of the message that came last and returns its result, also if it failed. Calls of a
	// group run at the same time.
	Do(ctx context.Context, n int, call llm.ToolCall) llm.ToolResult
	// Alone reports whether a call must not run beside others.
	Alone(call llm.ToolCall) bool
	// Skip tells that a call will not be done, and why.
	Skip(n int, call llm.ToolCall, why string)
	// Waiting tells that a request failed for a passing reason and is made again after a while.
	Waiting(err error, attempt int, wait time.Duration)
	// Shortened tells that the model is sent a summary instead of its oldest messages from now on; keep is how many
	// messages stay. It stores that. Its error ends the run.
	Shortened(s Summary) error
}

// Runner answers prompts of one conversation. It may be changed between runs, not during one.
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
	// Context is how many tokens the model reads, 0 if unknown.
	Context int64
	// MaxRequests bounds the requests of one run; 0 is 200.
	MaxRequests int
	Log         func(string)
}

// End says how a run ended.
type End string

// The ends of a run, as the protocol's stop reasons.
const (
	EndTurn     End = "end_turn"
	EndLength   End = "max_tokens"
	EndRefused  End = "refusal"
	EndRequests End = "max_turn_requests"
	EndStopped  End = "cancelled"
)

// Outcome is what a run brought.
type Outcome struct {
	New   []llm.Message // the run's own messages, from the prompt to the last of the model
	End   End
	Usage llm.Usage // of all requests, compaction too
}

const maxRequests = 200

// Run answers a prompt. It blocks until the answer is complete. A cancelled ctx is no error: the outcome's end
// is EndStopped. An error of the model is an [*Error]; the outcome holds what came until then.
func (r *Runner) Run(ctx context.Context, view *View, prompt []llm.Part) (Outcome, error) {
	t := &run{Runner: r, ctx: ctx, view: view, ids: view.callIDs(), again: map[string]int{}}
	view.begin()
	err := t.all(prompt)
	if t.out.End == EndRefused {
		view.forget() // the protocol: neither the prompt nor what followed is sent again
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
	// again is how often an id was given once more, by the id.
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

// keep adds a whole message to the conversation.
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

// empty ends a run whose last answer held nothing.
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

// brokenOff ends a run whose last answer did not come whole. What came is kept; calls in it are not done.
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
