package store

import (
	"context"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

func TestUsageIsSummed(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := context.Background()
	for _, id := range []string{"a", "b"} {
		if _, err := s.Spaces.Create(ctx, spaces.Space{ID: id, Folder: "/"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, run := range []struct{ space, usage string }{
		{"a", `{"inputTokens":10,"outputTokens":5,"totalTokens":15,"cost":{"amount":0.5,"currency":"USD"}}`},
		{"a", `{"totalTokens":100,"cachedReadTokens":80,"cost":{"amount":0.25,"currency":"USD"}}`},
		{"a", `not json`},
		{"a", ``},
		{"b", `{"totalTokens":1,"cost":{"amount":2,"currency":"EUR"}}`},
		{"b", `[1,2]`},
		{"b", `{"totalTokens":"many","cost":{"amount":"much","currency":"EUR"}}`},
	} {
		id := string(rune('p' + i))
		done := &transcript.RunCompleted{RunID: id, StopReason: "end_turn"}
		if run.usage != "" {
			done.Usage = jsontext.Value(run.usage)
		}
		if run.usage == "not json" {
			done.Usage = jsontext.Value(`"not json"`)
		}
		if _, err := s.Events.Append(ctx, events.Append{SpaceID: run.space, Bodies: []transcript.Body{&transcript.RunCreated{RunID: id}, done}}); err != nil {
			t.Fatal(err)
		}
	}
	for space, want := range map[string]spaces.Usage{
		"a": {Runs: 4, Input: 10, Output: 5, CachedRead: 80, Total: 115, Costs: []spaces.CostView{{Amount: 0.75, Currency: "USD"}}},
		"":  {Runs: 7, Input: 10, Output: 5, CachedRead: 80, Total: 116, Costs: []spaces.CostView{{Amount: 2, Currency: "EUR"}, {Amount: 0.75, Currency: "USD"}}},
	} {
		if got, err := s.Runs.Usage(ctx, space, 0); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", space, got, err)
		}
	}
	if got, err := s.Runs.Usage(ctx, "", 1<<60); err != nil || got.Runs != 0 || len(got.Costs) != 0 {
		t.Errorf("in the future: %+v, %v", got, err)
	}
}
