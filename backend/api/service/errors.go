package service

import (
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// Explain returns an error's code for programs, its sentence for the user and its details, if any (the last lines of an
// agent's stderr).
func Explain(err error) (code, message, detail string) {
	e := Fault(err)
	return e.Code, e.Message, e.Detail
}

// Fault converts any error of a command. Errors that are not faults come from an agent, through its protocol.
func Fault(err error) *fault.Error {
	f := failure.Of(err)
	return fault.Told(f.Code, f.Message, f.Said).With(f.Detail).Because(err)
}
