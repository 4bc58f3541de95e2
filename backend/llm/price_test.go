package llm

import (
	"math"
	"testing"
)

func TestCost(t *testing.T) {
	million := Usage{Input: 1e6, Output: 1e6}
	for _, c := range []struct {
		name, provider, model string
		u                     Usage
		want                  float64
		known                 bool
	}{
		{"plain", "openai", "gpt-4o", million, 12.5, true},
		{"with a date", "openai", "gpt-4o-2024-08-06", million, 12.5, true},
		{"a smaller one of the same name", "openai", "gpt-4o-mini-2024-07-18", million, 0.75, true},
		{"another one of the same name", "openai", "gpt-5-pro", million, 0, false},
		{"a newer one of the same name", "anthropic", "claude-sonnet-5-9", million, 0, false},
		{"dated Claude", "anthropic", "claude-sonnet-4-20250514", million, 18, true},
		{"cached", "anthropic", "claude-haiku-4-5-20251001", Usage{Input: 1000, CacheRead: 700, CacheWrite: 200, Output: 10}, (100*1 + 700*0.1 + 200*1.25 + 10*5) / 1e6, true},
		{"long", "google", "models/gemini-2.5-pro", Usage{Input: 200001, Output: 1000}, (200001*2.5 + 1000*15) / 1e6, true},
		{"not long", "google", "gemini-2.5-pro-preview-06-05", Usage{Input: 200000, Output: 1000}, (200000*1.25 + 1000*10) / 1e6, true},
		{"long, unknown", "openai", "gpt-6-sol", Usage{Input: 272001}, 0, false},
		{"caching that has no price", "google", "gemini-2.5-flash", Usage{Input: 10, CacheWrite: 10}, 10 * 0.3 / 1e6, true},
		{"only a context", "google", "gemini-3.8-flash", million, 0, false},
		{"what the provider says wins", "openai", "gpt-4o", Usage{Input: 1e6, Cost: 0.5}, 0.5, true},
		{"unknown model", "openai", "gpt-0", million, 0, false},
		{"unknown provider", "ollama", "gpt-4o", million, 0, false},
		{"counts that contradict each other", "openai", "gpt-4o", Usage{Input: 1, CacheRead: 1e6}, 1.25, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, known := Cost(c.provider, c.model, c.u); math.Abs(got-c.want) > 1e-9 || known != c.known {
				t.Errorf("%v %v, want %v %v", got, known, c.want, c.known)
			}
		})
	}
}

func TestContext(t *testing.T) {
	for name, want := range map[string]int64{"claude-sonnet-5-5": 1e6, "claude-haiku-4-5-20251001": 200000, "claude-0": 0} {
		if got := Context("anthropic", name); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A slip of a decimal point is found.
func TestPricesArePlausible(t *testing.T) {
	for provider, models := range facts() {
		for name, f := range models {
			all := []rates{f.rates}
			if f.Long != nil {
				all = append(all, *f.Long)
				if f.Above == 0 || f.Long.Input < f.Input {
					t.Errorf("%s %s: %+v", provider, name, f)
				}
			}
			for _, r := range all {
				if r.Cached > r.Input || r.Output < 3*r.Input || r.Output > 9*r.Input || r.Write != 0 && r.Write != 1.25*r.Input {
					t.Errorf("%s %s: %+v", provider, name, r)
				}
			}
			if f.Context != 0 && (f.Context < 100000 || f.Context > 2e6) {
				t.Errorf("%s %s: %d", provider, name, f.Context)
			}
		}
	}
}
