package acp

import (
	"errors"
	"fmt"
	"os"
	"time"

	"weft/backend/acp/scan"

	"github.com/go-json-experiment/json/jsontext"
)

var errClosedFile = os.ErrClosed

// Errors that callers tell apart with [errors.Is].
var (
	// ErrClosed says that the connection ended before an answer came.
	ErrClosed = errors.New("the agent closed the connection")
	// ErrStalled says that the agent did not read its input in time.
	ErrStalled = errors.New("the agent doesn't read its input")
	// ErrAuthRequired says that the agent wants the user to sign in first
	// (error -32000, ACP Initialization).
	ErrAuthRequired = errors.New("the agent requires you to sign in")
	// ErrNotAgent says that a program doesn't know the first request of the protocol. One that sends back what it is sent, as cat does, gets Weft's own
	// answer to that.
	ErrNotAgent = errors.New("the program doesn't know the request initialize")
	// ErrProtocolVersion says that the agent speaks another version of the protocol.
	ErrProtocolVersion = errors.New("unsupported protocol version")
	// ErrWithdrawn is the cause of a request's context once the agent took it back.
	ErrWithdrawn = errors.New("the agent withdrew its request")
	// ErrAnswered says that a request has had its answer.
	ErrAnswered = errors.New("the request was already answered")
	// ErrSessionTaken says that a session belongs to another lane of the connection.
	ErrSessionTaken = errors.New("the agent already uses this session for another client")
	// ErrOversize says that a message was too long to be read.
	ErrOversize = errors.New("message too long")
	// ErrUnreadable says that a message was broken: too little is left of it to be read.
	ErrUnreadable = errors.New("the agent's answer is broken")
)

// Error codes of JSON-RPC 2.0 and ACP.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeAuthRequired   = -32000
	CodeNotFound       = -32002 // resource not found
	CodeCancelled      = -32800
)

// RPCError is an error that the agent answered a call with.
type RPCError struct {
	Method  string // of the call
	Code    int
	Message string
	Data    jsontext.Value // as sent, nil if absent
	Offers  bool           // the agent has told ways to sign in
}

// Error is a sentence with the agent's own words.
func (e *RPCError) Error() string {
	s := e.Message
	if s == "" {
		s = "no message"
	}
	if d := e.Detail(); d != "" && d != s {
		s += ": " + d
	}
	if e.Method == "" {
		return fmt.Sprintf("the agent reported: %s (error %d)", s, e.Code)
	}
	return fmt.Sprintf("the agent refused %s: %s (error %d)", e.Method, s, e.Code)
}

// Detail is the text that agents put into the error's data, or "".
func (e *RPCError) Detail() string {
	if s, ok := scan.Text(e.Data); ok {
		return s
	}
	for _, name := range []string{"details", "detail", "message", "error"} {
		if s, ok := scan.Text(scan.Member(e.Data, name)); ok && s != "" {
			return s
		}
	}
	return ""
}

func stalled(d time.Duration) error {
	return fmt.Errorf("%w: it read nothing for %s, so the connection was closed. Restart the agent", ErrStalled, d)
}
