package runs

import (
	"context"
	"errors"
	"strings"

	"weft/backend/acp"
	"weft/backend/fault"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// shortDetail is how long the detail of an agent's error may be to be a sentence of the message, in bytes.
const shortDetail = 300

// failureError carries a failure that is complete already.
type failureError struct{ transcript.Failure }

func (e *failureError) Error() string { return e.Message }

// Failure makes of any error of a run or a start what the user is shown.
func Failure(err error) transcript.Failure { return failureOf(err) }

func failureOf(err error) transcript.Failure {
	var (
		whole   *failureError
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
		return toldOf(&fault.Error{Code: "folder_" + files.Code, Message: files.Message})
	case own != nil:
		return toldOf(own)
	case errors.Is(err, acp.ErrAuthRequired):
		return transcript.Failure{Code: "auth_required", Message: "The agent wants you to sign in first.", Detail: err.Error(), Retryable: retryable}
	case errors.As(err, &refused):
		f := transcript.Failure{Code: "agent_error", Message: closed("The agent reported an error: " + refused.Message), Retryable: retryable}
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
		return transcript.Failure{Code: "agent_closed", Message: "The agent closed the connection in the middle of the turn. Restart it to go on.", Retryable: retryable}
	case errors.Is(err, context.DeadlineExceeded):
		return transcript.Failure{Code: "timeout", Message: "The agent took too long to answer. Try again, or restart it.", Retryable: retryable}
	case errors.Is(err, context.Canceled):
		return transcript.Failure{Code: "cancelled", Message: "Stopped before the agent was ready.", Retryable: retryable}
	}
	return transcript.Failure{Code: "internal", Message: sentence(err), Retryable: retryable}
}

// toldOf is a fault as a transcript has it.
func toldOf(e *fault.Error) transcript.Failure {
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
	return closed(s)
}

// closed ends a sentence that has no end yet.
func closed(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
