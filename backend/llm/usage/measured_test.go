package usage

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/llm"
	"weft/backend/llm/modelproxy"
)

func TestMeasuredRequestsTakeThePlaceOfWhatTheAgentReports(t *testing.T) {
	var m Measured
	reported := jsontext.Value(`{"inputTokens":1,"own":true}`)
	if got := m.Over(reported); string(got) != string(reported) {
		t.Errorf("without requests: %s", got)
	}
	price := 0.5
	m.Add(modelproxy.Event{}) // has no usage
	m.Add(modelproxy.Event{Model: "a", Usage: &llm.Usage{Input: 10, CacheRead: 4, CacheWrite: 1, Output: 2, Thinking: 1}, Cost: &price})
	m.Add(modelproxy.Event{Model: "b", Usage: &llm.Usage{Input: 3, Output: 1}, Cost: &price})
	want := `{"cachedReadTokens":4,"cachedWriteTokens":1,"cost":{"amount":1,"currency":"USD"},"inputTokens":8,"outputTokens":3,"own":true,"requestCount":2,"requests":[{"model":"a","inputTokens":5,"cachedReadTokens":4,"cachedWriteTokens":1,"outputTokens":2,"cost":0.5},{"model":"b","inputTokens":3,"cachedReadTokens":0,"cachedWriteTokens":0,"outputTokens":1,"cost":0.5}],"thoughtTokens":1,"totalTokens":16}`
	if got := m.Over(reported); string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := m.Over(jsontext.Value(`[1]`)); string(got) != `[1]` {
		t.Errorf("usage of another form became %s", got)
	}
	m.Add(modelproxy.Event{Usage: &llm.Usage{Input: 1}})
	var cost Cost
	if cost = CostOf(m.Over(nil)); cost != (Cost{}) {
		t.Errorf("a request without a price costs %+v", cost)
	}
	for range 2 * maxRequests {
		m.Add(modelproxy.Event{Usage: &llm.Usage{Input: 1}})
	}
	if len(m.list) != maxRequests || m.requests != 3+2*maxRequests {
		t.Errorf("%d of %d requests are listed", len(m.list), m.requests)
	}
}
