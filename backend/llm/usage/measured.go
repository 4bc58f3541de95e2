package usage

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/llm"
	"weft/backend/llm/modelproxy"
)

// maxRequests is the maximum number of requests that are listed per run.
const maxRequests = 200

// Measured is the usage of a run's requests, as measured by the model proxy.
type Measured struct {
	requests int
	sum      llm.Usage
	cost     float64
	unknown  bool // the cost of a request is unknown
	list     []request
}

type request struct {
	Model      string  `json:"model,omitzero"`
	Input      int64   `json:"inputTokens"` // neither read from a cache nor written to it
	CacheRead  int64   `json:"cachedReadTokens"`
	CacheWrite int64   `json:"cachedWriteTokens"`
	Output     int64   `json:"outputTokens"`
	Cost       float64 `json:"cost,omitzero"` // US dollars
}

// Add counts a request that has ended.
func (m *Measured) Add(e modelproxy.Event) {
	if e.Usage == nil {
		return
	}
	m.requests++
	m.sum = m.sum.Add(*e.Usage)
	r := request{
		Model: e.Model, Input: fresh(*e.Usage), CacheRead: e.Usage.CacheRead, CacheWrite: e.Usage.CacheWrite, Output: e.Usage.Output,
	}
	if e.Cost == nil {
		m.unknown = true
	} else {
		m.cost += *e.Cost
		r.Cost = *e.Cost
	}
	if len(m.list) < maxRequests {
		m.list = append(m.list, r)
	}
}

// fresh returns the number of input tokens that were neither read from a cache nor written to it.
func fresh(u llm.Usage) int64 { return max(0, u.Input-u.CacheRead-u.CacheWrite) }

// Over returns the usage that the agent reported, with measured values replacing the agent's.
func (m *Measured) Over(usage jsontext.Value) jsontext.Value {
	if m.requests == 0 {
		return usage
	}
	members := map[string]jsontext.Value{}
	if usage != nil && json.Unmarshal(usage, &members) != nil {
		return usage
	}
	set := func(name string, v any) {
		if raw, err := json.Marshal(v); err == nil {
			members[name] = raw
		}
	}
	set("inputTokens", fresh(m.sum))
	set("outputTokens", m.sum.Output)
	set("cachedReadTokens", m.sum.CacheRead)
	set("cachedWriteTokens", m.sum.CacheWrite)
	set("totalTokens", m.sum.Input+m.sum.Output)
	if m.sum.Thinking > 0 {
		set("thoughtTokens", m.sum.Thinking)
	}
	if !m.unknown {
		set("cost", Cost{Amount: m.cost, Currency: "USD"})
	}
	set("requests", m.list)
	set("requestCount", m.requests)
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return usage
	}
	return out
}
