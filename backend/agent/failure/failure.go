// Package failure converts errors of runs, starts and commands to what the user sees. It has no state.
package failure

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/base/lazyregexp"
	"weft/backend/conversation/transcript"
	"weft/backend/files/workspace"
	"weft/backend/llm"
)

// shortDetail is the maximum length of an error's detail that becomes part of the message, in bytes.
const shortDetail = 300

// Error is an error that already has its failure, for example with the last lines of the agent's stderr.
type Error struct{ transcript.Failure }

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Of returns the failure to show for err, which must not be nil.
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
	case errors.As(err, &files) && own == fault.Of(files): // it has no other code
		return ofFault(fault.Told("folder_"+files.Code, files.Message, files.Said()))
	case own != nil:
		return ofFault(own)
	case errors.Is(err, acp.ErrNotAgent):
		return ofFault(fault.New("agent_protocol", "This program doesn't speak the Agent Client Protocol. Check its command and arguments: many agents need an argument for it, such as acp."))
	case errors.Is(err, acp.ErrAuthRequired):
		if f, ok := ofModel(err); ok {
			return f
		}
		return ofFault(signIn(err).With(err.Error()))
	case errors.As(err, &refused):
		if f, ok := ofModel(err); ok {
			return f
		}
		said := strings.Trim(refused.Message, " \t\r\n.")
		e := fault.New("agent_error", "The agent reported an error: {{reason}}", WithPeriod(refused.Message))
		if said == "" {
			e = fault.New("agent_error", "The agent reported an error without a reason (code {{code}}).", refused.Code)
		}
		switch d := strings.TrimSpace(refused.Detail()); {
		case said == "" && d != "" && len(d) <= shortDetail && !strings.Contains(d, "\n"):
			e = fault.New("agent_error", "The agent reported an error: {{reason}}", WithPeriod(d))
		case d == "" || d == refused.Message:
		case len(d) <= shortDetail && !strings.Contains(d, "\n"):
			// It says more than "Internal error", in the agent's own words.
			e = fault.New("agent_error", "The agent reported an error: {{reason}} ({{detail}}).", strings.TrimRight(WithPeriod(refused.Message), "."), d)
		default:
			e.Detail = d
		}
		return ofFault(e)
	case errors.Is(err, acp.ErrProtocolVersion):
		return ofFault(worded(err, "agent_protocol", "Unsupported protocol version: the agent uses version {{theirs}}, Weft uses version {{ours}}. Update the agent or Weft."))
	case errors.Is(err, acp.ErrStalled):
		return ofFault(worded(err, "agent_stalled", "The agent doesn't read its input: it read nothing for {{time}}, so the connection was closed. Restart the agent."))
	case errors.Is(err, acp.ErrUnreadable):
		return ofFault(fault.New("agent_unreadable", "The agent's answer can't be read: it is incomplete or damaged. Try again, or restart the agent."))
	case errors.Is(err, acp.ErrOversize):
		return ofFault(fault.New("agent_unreadable", "The agent's answer can't be read: it is longer than 64 MB. Try again, or restart the agent."))
	case errors.Is(err, acp.ErrClosed):
		return ofFault(fault.New("agent_closed", "The agent closed the connection during the turn. Restart it to continue."))
	case errors.Is(err, context.DeadlineExceeded):
		return ofFault(fault.New("timeout", "The agent took too long to answer. Try again, or restart it."))
	case errors.Is(err, context.Canceled):
		return ofFault(fault.New("cancelled", "Stopped before the agent was ready."))
	}
	return transcript.Failure{Code: "internal", Message: sentence(err), Retryable: retryable}
}

// onlySignIn matches an error message that only says that a sign-in is required.
var onlySignIn = lazyregexp.New(`(?i)^\W*(?:(?:auth|authentication|sign[ -]?in|log[ -]?in)(?:[ _-]is)?[ _-]required|unauthenticated|unauthori[sz]ed|(?:internal |server )?error)?\W*$`)

// signIn returns the error for an agent that asks, or may ask, for a sign-in, in the agent's own words if it has any.
func signIn(err error) *fault.Error {
	var refused *acp.RPCError
	if !errors.As(err, &refused) || onlySignIn.MatchString(refused.Message) {
		return fault.New("auth_required", "Sign in to the agent first.")
	}
	if refused.AsksForSignIn() {
		return fault.New("auth_required", "{{reason}} Sign in to the agent first.", WithPeriod(refused.Message))
	}
	return fault.New("auth_required", "{{reason}} You may need to sign in to the agent.", WithPeriod(refused.Message))
}

// ofModel returns the failure of a request to a model, if the agent reports it with one of the codes of [llm]. Weft's
// own agent does, and also sends the template of the sentence.
func ofModel(err error) (f transcript.Failure, ok bool) {
	var told struct {
		Code      llm.Code   `json:"code"`
		Retryable bool       `json:"retryable"`
		RetryAt   int64      `json:"retryAt"`
		Said      fault.Said `json:"said"`
	}
	var refused *acp.RPCError
	if !errors.As(err, &refused) || json.Unmarshal(refused.Data, &told) != nil || !told.Code.Known() {
		return f, false
	}
	f = transcript.Failure{Code: string(told.Code), Message: WithPeriod(refused.Message), Retryable: told.Retryable, RetryAt: max(told.RetryAt, 0)}
	f.Said = told.Said.For(f.Message)
	return f, true
}

// ofFault converts a fault to a failure.
func ofFault(e *fault.Error) transcript.Failure {
	return transcript.Failure{Code: e.Code, Message: e.Message, Detail: e.Detail, Retryable: fault.Passing(e.Code), Said: e.Said()}
}

// worded returns an error with the text of err, and with a template so that the frontend can translate it.
func worded(err error, code string, template fault.Template) *fault.Error {
	return fault.Told(code, sentence(err), fault.Say(template))
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	s := err.Error()
	if s == "" {
		return fault.Text("Something went wrong.")
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	return WithPeriod(s)
}

// WithPeriod adds a period to a sentence that doesn't end with a period, an exclamation mark or a question mark.
func WithPeriod(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// WithOutput returns the failure to show for an agent's error, with the last lines of its output. hide removes
// secrets from a text.
func WithOutput(err error, output string, hide func(string) string) transcript.Failure {
	f := Of(err)
	f.Detail = strings.TrimSpace(f.Detail + "\n" + output)
	return Hide(f, hide)
}

// Hide removes secrets from a failure.
func Hide(f transcript.Failure, hide func(string) string) transcript.Failure {
	f.Message, f.Detail = hide(f.Message), hide(f.Detail)
	f.Said = f.Said.Map(hide).For(f.Message)
	return f
}
