package service

import (
	"weft/backend/failure"
	"weft/backend/fault"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// Explain makes of any error of a command a code for programs, a sentence for the user and
// perhaps details (the last lines of an agent's stderr).
func Explain(err error) (code, message, detail string) {
	e := Fault(err)
	return e.Code, e.Message, e.Detail
}

// Fault returns what a face reports for any error of a command. What is no fault comes from an agent, through its protocol.
func Fault(err error) *fault.Error {
	f := failure.Of(err)
	return fault.Told(f.Code, f.Message, f.Said).With(f.Detail).Because(err)
}
