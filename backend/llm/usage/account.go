package usage

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Account is the usage of a run, as its agent reports it.
type Account struct {
	Tokens transcript.Tokens // sum of its requests
	before Cost              // of the session at the beginning of the run
}

// Open returns the account of a new run. before is the cost of its session so far.
func Open(before Cost) Account { return Account{before: before} }

// FromZero records that the session counts its cost from zero.
func (a *Account) FromZero() { a.before = Cost{} }

// Total returns the usage of the run: reported by the agent at the end of the turn, or else the tokens of its requests,
// plus what the run added to cost, the session's total.
func (a *Account) Total(reported jsontext.Value, cost Cost) jsontext.Value {
	if reported == nil {
		reported = a.Tokens.JSON()
	}
	return WithCost(reported, cost.Since(a.before))
}
