package usage

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCostOfARun(t *testing.T) {
	for _, c := range []struct {
		before, after, usage, want string
	}{
		{`{}`, `{"used":1,"cost":{"amount":0.25,"currency":"USD"}}`, `{"totalTokens":7}`, `{"cost":{"amount":0.25,"currency":"USD"},"totalTokens":7}`},
		{`{"cost":{"amount":0.25,"currency":"USD"}}`, `{"cost":{"amount":0.75,"currency":"USD"}}`, ``, `{"cost":{"amount":0.5,"currency":"USD"}}`},
		{`{"cost":{"amount":9,"currency":"USD"}}`, `{"cost":{"amount":0.5,"currency":"USD"}}`, ``, `{"cost":{"amount":0.5,"currency":"USD"}}`},
		{`{"cost":{"amount":9,"currency":"USD"}}`, `{"cost":{"amount":10,"currency":"EUR"}}`, ``, `{"cost":{"amount":10,"currency":"EUR"}}`},
		{`{"cost":{"amount":9,"currency":"USD"}}`, `{"cost":{"amount":9,"currency":"USD"}}`, `{"totalTokens":7}`, `{"totalTokens":7}`},
		{``, `{"cost":{"amount":1,"currency":"USD"}}`, `{"cost":{"amount":3,"currency":"USD"}}`, `{"cost":{"amount":3,"currency":"USD"}}`},
		{``, `{"cost":"much"}`, `[1]`, `[1]`},
		{``, `{"cost":{"amount":1,"currency":"USD"}}`, `[1]`, `[1]`},
		{``, `{"cost":{"amount":-1,"currency":"USD"}}`, ``, ``},
	} {
		var usage jsontext.Value
		if c.usage != "" {
			usage = jsontext.Value(c.usage)
		}
		if got := WithCost(usage, CostOf([]byte(c.after)).Since(CostOf([]byte(c.before)))); string(got) != c.want {
			t.Errorf("%s → %s with %s: %s, want %s", c.before, c.after, c.usage, got, c.want)
		}
	}
}
