package google

import (
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/llm"
)

var gemini = lazyregexp.New(`gemini-(\d+)(?:\.(\d+))?`)

// newest stands for aliases such as gemini-flash-latest, and for names that say nothing.
const newest = 990

// generationOf is 25 for Gemini 2.5, and 0 for Gemma.
func generationOf(name string) int {
	found := gemini.FindStringSubmatch(name)
	if found == nil {
		if strings.Contains(name, "gemma") {
			return 0
		}
		return newest
	}
	major, _ := strconv.Atoi(found[1]) // digits
	minor, _ := strconv.Atoi(found[2]) // digits or nothing
	return 10*major + min(minor, 9)
}

// budgets are tokens of thinking by effort, for Gemini 2.5.
var budgets = map[string]int{"none": 0, "low": 2048, "medium": 8192, "high": 24576}

// thinkingOf asks for thoughts where the model has them. From Gemini 3 on it cannot be switched off, so "none" is the
// lowest level that all of them know.
func thinkingOf(name, effort string, tell func(string)) *thinking {
	g, pro := generationOf(name), strings.Contains(name, "pro")
	if g < 25 || !strings.Contains(name, "gemini") {
		if effort != "" && effort != "none" {
			tell("This model doesn't think, so the effort isn't sent.")
		}
		return nil
	}
	t := &thinking{Include: true}
	if g < 30 {
		if budget, ok := budgets[effort]; ok {
			if budget == 0 && pro {
				budget = 128 // the least that it takes
			}
			t.Budget, t.Include = &budget, budget > 0
		}
		return t
	}
	switch effort {
	case "none", "low":
		t.Level = "LOW"
	case "medium":
		t.Level = "MEDIUM"
		if g == 30 && pro { // which knows low and high only
			t.Level = "HIGH"
		}
	case "high":
		t.Level = "HIGH"
	}
	return t
}

func teller(req llm.Request) func(string) {
	if req.Log == nil {
		return func(string) {}
	}
	return req.Log
}
