package llm

import (
	"errors"
	"time"

	"weft/backend/base/fault"
)

// Code says what kind of failure it was.
type Code string

// The codes.
const (
	CodeAuth        Code = "auth"        // no key, or it is not accepted
	CodeModel       Code = "model"       // there is no such model, or it cannot do this
	CodeRequest     Code = "request"     // the request is not accepted
	CodeUnmappable  Code = "unmappable"  // the provider cannot carry a part of the request; nothing was sent
	CodeContext     Code = "context"     // the conversation is too long for the model
	CodeLimit       Code = "limit"       // too many requests, or no credit
	CodeServer      Code = "server"      // the provider failed or is overloaded
	CodeUnreachable Code = "unreachable" // nobody answered at the address, or it is no API
	CodeBroken      Code = "broken"      // the answer broke off or cannot be read
)

// Known reports whether c is one of the codes above.
func (c Code) Known() bool {
	switch c {
	case CodeAuth, CodeModel, CodeRequest, CodeUnmappable, CodeContext, CodeLimit, CodeServer, CodeUnreachable, CodeBroken:
		return true
	}
	return false
}

// Error is why a request failed.
type Error struct {
	Code Code
	// Message is one or two sentences for a user: what happened, and what to do. It holds no key.
	Message string
	// Said is the message with its template and its values apart, "" where it has none.
	Said fault.Said
	// Retryable says that the same request may succeed a little later.
	Retryable bool
	// After is how long the provider asks to wait before that, 0 if it does not say.
	After time.Duration
	// Status is the HTTP status, 0 if there was none.
	Status int
	Err    error
}

// Fail returns the error of a request, with the message that [fault.Say] makes of a template and its values.
func Fail(code Code, template fault.Template, values ...any) *Error {
	e := &Error{Code: code}
	e.say(template, values...)
	return e
}

func (e *Error) say(template fault.Template, values ...any) {
	e.Said = fault.Say(template, values...)
	e.Message = e.Said.String()
}

// Because adds the cause to a new error, and returns it.
func (e *Error) Because(cause error) *Error {
	e.Err = cause
	return e
}

// Passing marks a new error as one that passes, and returns it.
func (e *Error) Passing() *Error {
	e.Retryable = true
	return e
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether err is a passing failure.
func Retryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Retryable
}
