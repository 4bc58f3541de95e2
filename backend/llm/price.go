package llm

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"weft/backend/base/lazyregexp"
)

//go:embed prices.json
var pricesJSON []byte

// rates are US dollars per million tokens.
type rates struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // 0 is as input
	Write  float64 `json:"write"`  // to the cache; 0 is as input
	Output float64 `json:"output"`
}

type modelFacts struct {
	rates
	Context int64  `json:"context"`
	Above   int64  `json:"above"` // tokens of input; 0 is never
	Long    *rates `json:"long"`
}

var facts = sync.OnceValue(func() map[string]map[string]modelFacts {
	var table struct {
		Models map[string]map[string]modelFacts `json:"models"`
	}
	if err := json.Unmarshal(pricesJSON, &table); err != nil {
		panic("prices.json: " + err.Error()) // it is part of the program
	}
	return table.Models
})

// variant is what may follow a model's name without making another model of it: a date, a version of it, an alias.
var variant = lazyregexp.New(`^(-latest|-preview.*|-\d{3}|[-@]\d{4}-?\d{2}-?\d{2}.*)?$`)

// factsOf finds a model by the longest name in the table that begins its name.
func factsOf(provider, model string) (found modelFacts) {
	model = strings.TrimPrefix(strings.ToLower(model), "models/")
	longest := 0
	for name, f := range facts()[provider] {
		if rest, ok := strings.CutPrefix(model, name); ok && variant.MatchString(rest) && len(name) > longest {
			found, longest = f, len(name)
		}
	}
	return found
}

// Cost is what one request cost in US dollars: what the provider told, else by its list prices, which are a small table
// of this program's date. known is false where neither says it. A sum of several requests gives less than it was, where
// long ones cost more.
func Cost(provider, model string, u Usage) (usd float64, known bool) {
	if u.Cost > 0 {
		return u.Cost, true
	}
	f := factsOf(provider, model)
	r := f.rates
	if f.Above > 0 && u.Input > f.Above {
		if f.Long == nil {
			return 0, false
		}
		r = *f.Long
	}
	if r.Output == 0 {
		return 0, false
	}
	cached, write := r.Cached, r.Write
	if cached == 0 {
		cached = r.Input
	}
	if write == 0 {
		write = r.Input
	}
	fresh := max(0, u.Input-u.CacheRead-u.CacheWrite)
	return (float64(fresh)*r.Input + float64(u.CacheRead)*cached + float64(u.CacheWrite)*write + float64(u.Output)*r.Output) / 1e6, true
}

// Context is how many tokens a model can read, 0 if the table does not know it.
func Context(provider, model string) int64 { return factsOf(provider, model).Context }
