// Package usage adds up the tokens and costs of runs: what agents report of their sessions, and what the model proxy has measured of their requests.
package usage

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Cost is what a session has cost so far, as the agent reports it.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// CostOf returns the cost in the state `usage`, zero if it has none.
func CostOf(usage []byte) Cost {
	var u struct {
		Cost *Cost `json:"cost"`
	}
	if json.Unmarshal(usage, &u) != nil || u.Cost == nil || u.Cost.Amount < 0 || len(u.Cost.Currency) > 8 {
		return Cost{}
	}
	return *u.Cost
}

// Since returns what was added after before. An amount that became less, or another currency, is that of
// a new count.
func (c Cost) Since(before Cost) Cost {
	if c.Currency == before.Currency && c.Amount >= before.Amount {
		c.Amount -= before.Amount
	}
	return c
}

// WithCost adds to the usage of a run what it has cost, where the agent told only the sum of
// the session. A cost that the agent itself gives for the run stays.
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
