package usage

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Account is what a run uses, as its agent reports it.
type Account struct {
	Tokens transcript.Tokens // of its requests, one by one
	before Cost              // of the session when the run began
}

// Open returns the account of a run that begins in a session that has cost something before.
func Open(before Cost) Account { return Account{before: before} }

// FromZero notes that the session counts its costs from zero.
func (a *Account) FromZero() { a.before = Cost{} }

// Total returns what the run has used: as the agent has reported it at the end of the turn, or else the tokens of its requests, and what it has added to the
// cost of the session.
func (a *Account) Total(reported jsontext.Value, cost Cost) jsontext.Value {
	if reported == nil {
		reported = a.Tokens.JSON()
	}
	return WithCost(reported, cost.Since(a.before))
}
