package runs

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// cost is what a session has cost so far, as the agent tells it.
type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// costOf reads the cost from the state `usage`; zero if it has none.
func costOf(usage []byte) cost {
	var u struct {
		Cost *cost `json:"cost"`
	}
	if json.Unmarshal(usage, &u) != nil || u.Cost == nil || u.Cost.Amount < 0 || len(u.Cost.Currency) > 8 {
		return cost{}
	}
	return *u.Cost
}

// since answers what was added after before. An amount that became less, or another currency, is that of
// a new count.
func (c cost) since(before cost) cost {
	if c.Currency == before.Currency && c.Amount >= before.Amount {
		c.Amount -= before.Amount
	}
	return c
}

// withCost adds to the usage of a run what it has cost, where the agent told only the sum of
// the session. A cost that the agent itself gives for the run stays.
func withCost(usage jsontext.Value, c cost) jsontext.Value {
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
