// Package displays handles displays, the tool calls that draw something in a space: how they are drawn ([Drawn]), their
// output ([Output]), which of them the user can answer ([Waiting]), and how an answer ends them ([Answer], [Late]).
//
// It never blocks and has no locks: [Waiting] belongs to the step of a space.
package displays

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/conversation/transcript/results"
)

// Output is the output of a display's tool call.
type Output struct {
	Answer jsontext.Value `json:"answer,omitzero"` // of the user
	Result jsontext.Value `json:"result,omitzero"` // of a tool that was run, in MCP's format
	State  string         `json:"state"`           // shown, answered, cancelled, failed
	By     string         `json:"by,omitzero"`
	At     int64          `json:"at,omitzero"`   // unix ms
	Late   bool           `json:"late,omitzero"` // the agent had stopped waiting and gets the answer with its next prompt
	// Unsent means that the agent is gone or couldn't be prompted.
	Unsent bool `json:"unsent,omitzero"`
	// Wait is "none" for a display that no agent waits for. The user can answer it while it is shown, and the answer is
	// the agent's next prompt.
	Wait string `json:"wait,omitzero"`
}

// WaitNone is the [Output.Wait] of a display that no agent waits for.
const WaitNone = "none"

// Encode returns the output as JSON. If the answer or the result isn't valid JSON, only the state is encoded.
func (o Output) Encode() jsontext.Value {
	b, err := json.Marshal(o)
	if err != nil {
		return jsontext.Value(`{"state":"` + o.State + `"}`) // never: answers and results were validated
	}
	return b
}

// Open returns the output of a display that the user can still answer although no agent waits for it. ok is false for
// other calls. raw is the output of the call.
func Open(call *transcript.ToolCall, raw []byte) (out Output, ok bool) {
	if call.Kind != transcript.KindDisplay || call.Status != transcript.StatusCompleted || json.Unmarshal(raw, &out) != nil {
		return Output{}, false
	}
	return out, out.State == "shown" && out.Wait == WaitNone
}

// Filled returns the patch that ends the call of a display that needs no answer, with an MCP result or an error. If
// open is set, the user can still answer it. now is in unix ms.
func Filled(id string, result jsontext.Value, err error, open bool, now int64) *transcript.ToolPatch {
	status, out := transcript.StatusCompleted, Output{Result: result, State: "shown", At: now}
	words, n := results.Summarize("other", result)
	p := &transcript.ToolPatch{ID: id, Status: &status, Summary: &words}
	var again interface{ WasRetried() bool }
	retried := errors.As(err, &again) && again.WasRetried()
	switch {
	case err != nil:
		status, words, out.State = transcript.StatusFailed, err.Error(), "failed"
		p.Error = &words
	default:
		p.ResultCount = n
		var meta struct {
			Meta struct {
				Retried bool `json:"weft/wasRetried"`
			} `json:"_meta"`
		}
		_ = json.Unmarshal(result, &meta) // a result without _meta
		retried = meta.Meta.Retried
		if open {
			out.Wait = WaitNone
		}
	}
	if err == nil || len(result) > 0 {
		p.Output = out.Encode()
	}
	if retried {
		p.WasRetried = &retried
	}
	return p
}
