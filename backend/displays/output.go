// Package displays has what becomes of displays, the tool calls that draw something in a space: how they are drawn ([Drawn]), what their
// calls keep as output ([Output]), which of them the user can answer ([Waiting]), and how an answer ends them ([Answer], [Late]).
//
// It waits for nothing and has no lock: [Waiting] belongs to the step of a space.
package displays

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
	"weft/backend/transcript/results"
)

// Output is the output of a display's call.
type Output struct {
	Answer jsontext.Value `json:"answer,omitzero"` // of the user
	Result jsontext.Value `json:"result,omitzero"` // of a tool that was run, as MCP has it
	State  string         `json:"state"`           // shown, answered, cancelled, failed
	By     string         `json:"by,omitzero"`
	At     int64          `json:"at,omitzero"`   // unix ms
	Late   bool           `json:"late,omitzero"` // the agent had stopped waiting and is told with its next prompt
	// Unsent: the agent is gone, or could not be told.
	Unsent bool `json:"unsent,omitzero"`
	// Wait is "none" for a display that no one waits for: while it is shown, it can be answered; its answer is the agent's next prompt.
	Wait string `json:"wait,omitzero"`
}

// WaitNone is [Output.Wait] of a display that no one waits for.
const WaitNone = "none"

// Encode returns the output as JSON. What is no JSON in it is left out.
func (o Output) Encode() jsontext.Value {
	b, err := json.Marshal(o)
	if err != nil {
		return jsontext.Value(`{"state":"` + o.State + `"}`) // never: the gateway and the commands check answers and results
	}
	return b
}

// Open returns the output of a call that is a display which was shown, which no one waits for, and which the user can still
// answer; ok is false for others. raw is the output of the call.
func Open(call *transcript.ToolCall, raw []byte) (out Output, ok bool) {
	if call.Kind != transcript.KindDisplay || call.Status != transcript.StatusCompleted || json.Unmarshal(raw, &out) != nil {
		return Output{}, false
	}
	return out, out.State == "shown" && out.Wait == WaitNone
}

// Filled returns how the call of a display ends that no one has to answer: with a result as MCP has it, or with why there is
// none. One that is open can still be answered. now is in unix ms.
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
		_ = json.Unmarshal(result, &meta) // a result that has none
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
