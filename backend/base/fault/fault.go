// Package fault has the one type of error that users and programs are told: a code for programs, a sentence for people,
// and perhaps details. All codes are listed here, with the HTTP status that each has.
//
// Packages return a *[Error] where a user can act on what went wrong, and wrap its cause. Any other error that reaches
// a face is a fault of Weft, or is translated by the package that knows the other side (an agent's protocol, a provider
// of models).
package fault

import (
	"errors"
	"net/http"
)

// Error is a refusal or a failure that a user can act on.
type Error struct {
	Code    string // one of the codes of this package
	Message string // what happened, and what to do, in full sentences
	Detail  string // e.g. the last lines of an agent's stderr; may be empty
	Err     error  // the cause, or nil

	said Said // the message with its template and its values apart; "" where it has none
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is compare codes where target has nothing but a code: errors.Is(err, &fault.Error{Code:
// fault.NotFound}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && *t == Error{Code: e.Code}
}

// New returns an error without a cause, with the message that [Say] makes of a template and its values. A value that is
// a fault isn't its cause.
func New(code string, template Template, values ...any) *Error {
	return Saying(code, Say(template, values...))
}

// Saying returns an error without a cause, with a sentence as its message.
func Saying(code string, sentence Said) *Error {
	return &Error{Code: code, Message: sentence.String(), said: sentence}
}

// Plain returns an error that isn't translated: another program has written its message, or only agents, the command
// line or a log show it.
func Plain(code, message string) *Error { return &Error{Code: code, Message: message} }

// Told returns an error whose message was made before, with the sentence that it is, if it still is. It is "" where
// there is none.
func Told(code, message string, sentence Said) *Error {
	return &Error{Code: code, Message: message, said: sentence.For(message)}
}

// Because adds the cause to a new error, and returns it.
func (e *Error) Because(cause error) *Error {
	e.Err = cause
	return e
}

// With adds details to a new error, and returns it.
func (e *Error) With(detail string) *Error {
	e.Detail = detail
	return e
}

// Said returns the message with its template and its values apart, or "" if it has none.
func (e *Error) Said() Said { return e.said.For(e.Message) }

// Of returns the outermost Error of err, or nil if it has none.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// CodeOf returns the code of err, or "" if it has none.
func CodeOf(err error) string {
	if e := Of(err); e != nil {
		return e.Code
	}
	return ""
}

// Status returns the HTTP status of a code: 400 for what the caller got wrong.
func Status(code string) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusBadRequest
}

// Passing reports whether what failed with the code may succeed when it is tried again as it is.
func Passing(code string) bool { return !lasting[code] }

// Wire is an error as both faces send it.
type Wire struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail"`
	// Said is the template of the message and its values, for other languages. It is missing where the message has no
	// template.
	Said Said `json:"said,omitzero"`
}

// Wire returns the error as it is sent.
func (e *Error) Wire() Wire {
	return Wire{Code: e.Code, Message: e.Message, Detail: e.Detail, Said: e.Said()}
}

// Trace returns the message of err with those of its causes that it leaves out, for a log.
func Trace(err error) string {
	text := err.Error()
	for e := Of(err); e != nil && e.Err != nil; e = Of(e.Err) {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

// ForLog returns what a log says of err: its trace, or nil if there is no error, which leaves the field out. It is made
// for zerolog.ErrorMarshalFunc, which is called with a nil error too.
func ForLog(err error) any {
	if err == nil {
		return nil
	}
	return Trace(err)
}
