package usage

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

func TestAccountAddsUpARun(t *testing.T) {
	t.Parallel()
	dollars := func(n float64) Cost { return Cost{Amount: n, Currency: "USD"} }
	tokens := transcript.Tokens{Input: 3, Output: 4, Total: 7}
	for name, c := range map[string]struct {
		change   func(*Account)
		reported string
		want     string
	}{
		"reported":  {change: func(a *Account) { a.Tokens.Add(tokens) }, reported: `{"totalTokens":9}`, want: `{"cost":{"amount":1,"currency":"USD"},"totalTokens":9}`},
		"nothing":   {want: `{"cost":{"amount":1,"currency":"USD"}}`},
		"from zero": {change: (*Account).FromZero, want: `{"cost":{"amount":3,"currency":"USD"}}`},
	} {
		a := Open(dollars(2))
		if c.change != nil {
			c.change(&a)
		}
		var reported jsontext.Value
		if c.reported != "" {
			reported = jsontext.Value(c.reported)
		}
		if got := a.Total(reported, dollars(3)); string(got) != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	a := Open(Cost{})
	a.Tokens.Add(tokens)
	a.Tokens.Add(tokens)
	if got, want := a.Total(nil, Cost{}), (&transcript.Tokens{Input: 6, Output: 8, Total: 14}).JSON(); string(got) != string(want) {
		t.Errorf("request by request: %s, want %s", got, want)
	}
}
