package failure_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/files/workspace"
)

func TestErrorBecomesFailure(t *testing.T) {
	_, missing := workspace.Open(filepath.Join(t.TempDir(), "missing"))
	var folder *workspace.Error
	if !errors.As(missing, &folder) {
		t.Fatalf("got %v for a missing folder", missing)
	}
	long := strings.Repeat("a", 301)
	for name, test := range map[string]struct {
		err  error
		want transcript.Failure
	}{
		"a failure that is complete": {
			fmt.Errorf("prompt: %w", &failure.Error{Failure: transcript.Failure{Code: "agent_exited", Message: "It ended.", Detail: "panic"}}),
			transcript.Failure{Code: "agent_exited", Message: "It ended.", Detail: "panic"},
		},
		"an error of Weft's own": {
			fmt.Errorf("start: %w", &fault.Error{Code: "agent_missing", Message: "Not found.", Detail: "xyz"}),
			transcript.Failure{Code: "agent_missing", Message: "Not found.", Detail: "xyz", Retryable: fault.Passing("agent_missing")},
		},
		"an error of the folder": {
			fmt.Errorf("open: %w", missing),
			transcript.Failure{Code: "folder_not_found", Message: folder.Message, Retryable: fault.Passing("folder_not_found")},
		},
		"an error of the folder with a code of its own": {
			&fault.Error{Code: fault.Busy, Message: "Busy.", Err: missing},
			transcript.Failure{Code: fault.Busy, Message: "Busy.", Retryable: fault.Passing(fault.Busy)},
		},
		"a sign-in that is required": {
			acp.ErrAuthRequired,
			transcript.Failure{Code: "auth_required", Message: "Sign in to the agent first.", Detail: acp.ErrAuthRequired.Error(), Retryable: true},
		},
		"a limit of the model's provider": {
			&acp.RPCError{Code: acp.CodeInternal, Message: "Acme is limiting requests (429)", Data: jsontext.Value(`{"code":"limit","retryable":true,"wasRetried":true,"retryAt":1700000000000}`)},
			transcript.Failure{Code: "limit", Message: "Acme is limiting requests (429).", Retryable: true, RetryAt: 1700000000000},
		},
		"a key that the model's provider doesn't accept": {
			&acp.RPCError{Code: acp.CodeAuthRequired, Message: "Acme doesn't accept the key (401).", Data: jsontext.Value(`{"code":"auth","retryable":false}`)},
			transcript.Failure{Code: "auth", Message: "Acme doesn't accept the key (401)."},
		},
		"a conversation that is too long for the model": {
			&acp.RPCError{Code: acp.CodeInternal, Message: "Too long.", Data: jsontext.Value(`{"code":"context","retryable":false}`)},
			transcript.Failure{Code: "context", Message: "Too long."},
		},
		"an error of the agent with a code of its own": {
			&acp.RPCError{Code: acp.CodeInternal, Message: "Broken", Data: jsontext.Value(`{"code":"agent_missing","retryable":false}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Broken.", Retryable: true},
		},
		"an error of the agent with a number as its code": {
			&acp.RPCError{Code: acp.CodeInternal, Message: "Broken", Data: jsontext.Value(`{"code":429}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Broken.", Retryable: true},
		},
		"an answer that is damaged": {
			fmt.Errorf("session/prompt: %w", acp.ErrUnreadable),
			transcript.Failure{Code: "agent_unreadable", Message: "The agent's answer can't be read: it is incomplete or damaged. Try again, or restart the agent.", Retryable: true},
		},
		"an answer that is too long": {
			fmt.Errorf("session/prompt: %w: 70000000 bytes", acp.ErrOversize),
			transcript.Failure{Code: "agent_unreadable", Message: "The agent's answer can't be read: it is longer than 64 MB. Try again, or restart the agent.", Retryable: true},
		},
		"an error of the agent": {
			&acp.RPCError{Code: 1, Message: "Internal error"},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Internal error.", Retryable: true},
		},
		"an error of the agent with a short detail": {
			&acp.RPCError{Code: 1, Message: "Internal error", Data: jsontext.Value(`{"details":"rate limit"}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Internal error (rate limit).", Retryable: true},
		},
		"an error of the agent with a long detail": {
			&acp.RPCError{Code: 1, Message: "Internal error", Data: jsontext.Value(`{"details":"` + long + `"}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Internal error.", Detail: long, Retryable: true},
		},
		"an error of the agent with a detail of several lines": {
			&acp.RPCError{Code: 1, Message: "Why?", Data: jsontext.Value(`{"details":"a\nb"}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: Why?", Detail: "a\nb", Retryable: true},
		},
		"an error of the agent without words": {
			&acp.RPCError{Code: -32603, Message: " "},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error without a reason (code -32603).", Retryable: true},
		},
		"an error of the agent with its words in the detail": {
			&acp.RPCError{Code: -32603, Data: jsontext.Value(`{"details":"rate limit"}`)},
			transcript.Failure{Code: "agent_error", Message: "The agent reported an error: rate limit.", Retryable: true},
		},
		"a program that is no agent": {
			fmt.Errorf("%w: %w", acp.ErrNotAgent, &acp.RPCError{Code: acp.CodeMethodNotFound, Message: "Method not found"}),
			transcript.Failure{Code: "agent_protocol", Message: "This program doesn't speak the Agent Client Protocol. Check its command and arguments: many agents need an argument for it, such as acp."},
		},
		"another version of the protocol": {
			acp.ErrProtocolVersion,
			transcript.Failure{Code: "agent_protocol", Message: failure.WithPeriod(upper(acp.ErrProtocolVersion.Error()))},
		},
		"an agent that doesn't read": {
			acp.ErrStalled,
			transcript.Failure{Code: "agent_stalled", Message: failure.WithPeriod(upper(acp.ErrStalled.Error())), Retryable: true},
		},
		"a closed connection": {
			fmt.Errorf("read: %w", acp.ErrClosed),
			transcript.Failure{Code: "agent_closed", Message: "The agent closed the connection during the turn. Restart it to continue.", Retryable: true},
		},
		"a time limit": {
			context.DeadlineExceeded,
			transcript.Failure{Code: "timeout", Message: "The agent took too long to answer. Try again, or restart it.", Retryable: true},
		},
		"a canceled start": {
			context.Canceled,
			transcript.Failure{Code: "cancelled", Message: "Stopped before the agent was ready.", Retryable: true},
		},
		"any other error": {
			errors.New("write ./a: no space left"), // capitalized, with a period added
			transcript.Failure{Code: "internal", Message: "Write ./a: no space left.", Retryable: true},
		},
		"an error without words": {errors.New(""), transcript.Failure{Code: "internal", Message: "Something went wrong.", Retryable: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := failure.Of(test.err)
			if got.Said != "" && got.Said.String() != got.Message {
				t.Errorf("%s is said to be %q", got.Said, got.Message)
			}
			got.Said = ""
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestSentenceOfModelKeepsItsTemplateWhileItSaysTheSame(t *testing.T) {
	for message, want := range map[string]fault.Said{
		"There is no key for Acme.": `["There is no key for {{provider}}.","Acme"]`,
		"There is no key for Corp.": "",
	} {
		err := &acp.RPCError{Code: acp.CodeAuthRequired, Message: message, Data: jsontext.Value(`{"code":"auth","said":["There is no key for {{provider}}.","Acme"]}`)}
		if got := failure.Of(err); got.Said != want || got.Message != message {
			t.Errorf("%s: %+v", message, got)
		}
	}
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func TestSentenceEndsOnce(t *testing.T) {
	for _, test := range []struct{ in, want string }{{"a", "a."}, {" a ", "a."}, {"a.", "a."}, {"a!", "a!"}, {"a?", "a?"}} {
		if got := failure.WithPeriod(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}
