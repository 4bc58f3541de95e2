// Package usage adds up the tokens and costs of runs, as agents report them and as the model proxy measures them.
package usage

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Cost is the cost of a session so far, as the agent reports it.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// CostOf returns the cost in the state `usage`, or zero if it has no valid one.
func CostOf(usage []byte) Cost {
	var u struct {
		Cost *Cost `json:"cost"`
	}
	if json.Unmarshal(usage, &u) != nil || u.Cost == nil || u.Cost.Amount < 0 || len(u.Cost.Currency) > 8 {
		return Cost{}
	}
	return *u.Cost
}

// Since returns what was added after before. If the amount decreased or the currency changed, the session has started
// a new count, and Since returns c.
func (c Cost) Since(before Cost) Cost {
	if c.Currency == before.Currency && c.Amount >= before.Amount {
		c.Amount -= before.Amount
	}
	return c
}

// WithCost adds the cost of a run to its usage, unless the agent itself reported a cost for the run.
func WithCost(usage jsontext.Value, c Cost) jsontext.Value {
	if c.Amount <= 0 {
		return usage
	}
	members := map[string]jsontext.Value{}
	if usage != nil && json.Unmarshal(usage, &members) != nil {
		return usage
	}
	if _, ok := members["cost"]; ok {
		return usage
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return usage
	}
	members["cost"] = raw
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return usage
	}
	return out
}
