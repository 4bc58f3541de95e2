package acp

import (
	"errors"
	"fmt"
	"os"
	"time"

	"weft/backend/base/scan"

	"github.com/go-json-experiment/json/jsontext"
)

var errClosedFile = os.ErrClosed

// Errors for use with [errors.Is].
var (
	// ErrClosed means that the connection ended before the response arrived.
	ErrClosed = errors.New("the agent closed the connection")
	// ErrStalled means that the agent didn't read its input within [Options.WriteTimeout].
	ErrStalled = errors.New("the agent doesn't read its input")
	// ErrAuthRequired means that the user has to sign in first (error -32000, ACP
	// Initialization).
	ErrAuthRequired = errors.New("the agent requires you to sign in")
	// ErrNotAgent means that the program doesn't know the method initialize. A program that echoes its input, like cat,
	// ends with this error, too: it sends back Weft's own request, and then the error that Weft responds with.
	ErrNotAgent = errors.New("the program doesn't know the request initialize")
	// ErrProtocolVersion means that Weft doesn't support the agent's protocol version.
	ErrProtocolVersion = errors.New("unsupported protocol version")
	// ErrWithdrawn is the cause of a request's context after the agent has withdrawn the request.
	ErrWithdrawn = errors.New("the agent withdrew its request")
	// ErrAnswered means that the request was already answered.
	ErrAnswered = errors.New("the request was already answered")
	// ErrSessionTaken means that the session belongs to another lane of the connection.
	ErrSessionTaken = errors.New("the agent already uses this session for another client")
	// ErrOversize means that the message exceeds [MaxLine].
	ErrOversize = errors.New("message too long")
	// ErrUnreadable means that the response is damaged and only its id could be read.
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

// RPCError is an error response from the agent.
type RPCError struct {
	Method  string // of the call
	Code    int
	Message string
	Data    jsontext.Value // raw; nil if absent
	Offers  bool           // the agent advertised sign-in methods
}

// Error returns a sentence that quotes the agent's message.
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

// Detail returns the text in the error's data, or "".
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
