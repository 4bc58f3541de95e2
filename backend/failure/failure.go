// Package failure says what the user is shown of an error of a run, a start or a command. It has no state.
package failure

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/fault"
	"weft/backend/llm"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// shortDetail is how long the detail of an agent's error may be to be a sentence of the message, in bytes.
const shortDetail = 300

// Error is an error whose failure is complete already, for instance with the last lines of the agent's stderr.
type Error struct{ transcript.Failure }

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Of returns what the user is shown of an error, which must not be nil.
func Of(err error) transcript.Failure {
	var (
		whole   *Error
		files   *workspace.Error
		refused *acp.RPCError
	)
	const retryable = true
	if errors.As(err, &whole) {
		return whole.Failure
	}
	own := fault.Of(err)
	switch {
	case errors.As(err, &files) && own == fault.Of(files): // nothing has given it a code of its own
		return ofFault(&fault.Error{Code: "folder_" + files.Code, Message: files.Message})
	case own != nil:
		return ofFault(own)
	case errors.Is(err, acp.ErrAuthRequired):
		return transcript.Failure{Code: "auth_required", Message: "Sign in to the agent first.", Detail: err.Error(), Retryable: retryable}
	case errors.As(err, &refused):
		if f, ok := ofModel(refused); ok {
			return f
		}
		f := transcript.Failure{Code: "agent_error", Message: WithPeriod("The agent reported an error: " + refused.Message), Retryable: retryable}
		switch d := strings.TrimSpace(refused.Detail()); {
		case d == "" || d == refused.Message:
		case len(d) <= shortDetail && !strings.Contains(d, "\n"):
			// It says more than "Internal error", in the agent's own words.
			f.Message = strings.TrimRight(f.Message, ".") + " (" + d + ")."
		default:
			f.Detail = d
		}
		return f
	case errors.Is(err, acp.ErrProtocolVersion):
		return transcript.Failure{Code: "agent_protocol", Message: sentence(err)}
	case errors.Is(err, acp.ErrStalled):
		return transcript.Failure{Code: "agent_stalled", Message: sentence(err), Retryable: retryable}
	case errors.Is(err, acp.ErrClosed):
		return transcript.Failure{Code: "agent_closed", Message: "The agent closed the connection during the turn. Restart it to continue.", Retryable: retryable}
	case errors.Is(err, context.DeadlineExceeded):
		return transcript.Failure{Code: "timeout", Message: "The agent took too long to answer. Try again, or restart it.", Retryable: retryable}
	case errors.Is(err, context.Canceled):
		return transcript.Failure{Code: "cancelled", Message: "Stopped before the agent was ready.", Retryable: retryable}
	}
	return transcript.Failure{Code: "internal", Message: sentence(err), Retryable: retryable}
}

// ofModel is what became of a request to a model, where the agent says it with one of the codes of [llm], as Weft's own agent does.
func ofModel(refused *acp.RPCError) (f transcript.Failure, ok bool) {
	var told struct {
		Code      llm.Code `json:"code"`
		Retryable bool     `json:"retryable"`
		RetryAt   int64    `json:"retryAt"`
	}
	if json.Unmarshal(refused.Data, &told) != nil || !told.Code.Known() {
		return f, false
	}
	return transcript.Failure{Code: string(told.Code), Message: WithPeriod(refused.Message), Retryable: told.Retryable, RetryAt: max(told.RetryAt, 0)}, true
}

// ofFault is a fault as a transcript has it.
func ofFault(e *fault.Error) transcript.Failure {
	return transcript.Failure{Code: e.Code, Message: e.Message, Detail: e.Detail, Retryable: fault.Passing(e.Code)}
}

// sentence makes a sentence of an error text.
func sentence(err error) string {
	s := err.Error()
	if s == "" {
		return "Something went wrong."
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	return WithPeriod(s)
}

// WithPeriod returns a sentence with a period, unless it ends with a period, an exclamation mark or a question mark.
func WithPeriod(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// WithOutput returns what the user is shown of an error of an agent, with the last lines of its stderr. Hide takes secrets out of a text.
func WithOutput(err error, stderr string, hide func(string) string) transcript.Failure {
	f := Of(err)
	f.Detail = strings.TrimSpace(f.Detail + "\n" + stderr)
	f.Message, f.Detail = hide(f.Message), hide(f.Detail)
	return f
}
