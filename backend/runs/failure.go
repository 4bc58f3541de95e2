package runs

import (
	"context"
	"errors"
	"strings"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/attachment"
	"weft/backend/secret"
	"weft/backend/store"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// shortDetail is how long the detail of an agent's error may be to be a sentence of the message, in bytes.
const shortDetail = 300

// failureError carries a failure that is complete already.
type failureError struct{ transcript.Failure }

func (e *failureError) Error() string { return e.Message }

// Failure makes of any error of a run or a start what the person is shown.
func Failure(err error) transcript.Failure { return failureOf(err) }

func failureOf(err error) transcript.Failure {
	var (
		whole     *failureError
		own       *Error
		process   *agent.Error
		storage   *store.Error
		files     *workspace.Error
		attached  *attachment.Error
		refused   *acp.RPCError
		kept      *secret.Error
		retryable = true
	)
	switch {
	case errors.As(err, &whole):
		return whole.Failure
	case errors.As(err, &own):
		return transcript.Failure{Code: own.Code, Message: own.Message, Detail: own.Detail, Retryable: retryable}
	case errors.As(err, &kept):
		return transcript.Failure{Code: kept.Code, Message: kept.Message, Retryable: retryable}
	case errors.As(err, &process):
		return transcript.Failure{Code: process.Code, Message: process.Message, Retryable: retryable}
	case errors.As(err, &storage):
		return transcript.Failure{Code: storage.Code, Message: storage.Message, Retryable: retryable}
	case errors.As(err, &files):
		return transcript.Failure{Code: "folder_" + files.Code, Message: files.Message}
	case errors.As(err, &attached):
		return transcript.Failure{Code: attached.Code, Message: attached.Message}
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
