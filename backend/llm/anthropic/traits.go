package anthropic

import (
	"strconv"

	"weft/backend/base/lazyregexp"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"weft/backend/llm"
)

// thinks is how a model is told to think.
type thinks uint8

const (
	never     thinks = iota // older than 3.7
	budgeted                // thinking.enabled with a number of tokens
	adaptive                // thinking.adaptive and output_config.effort; off unless asked for
	byDefault               // the same, but on unless switched off
	between                 // the same; the least is between_tools
	always                  // the same; it cannot be switched off
)

// traits are what a request has to know about a model. They are read from its name, since the API's list of models
// would be one more request, and compatible servers have none.
type traits struct {
	thinks    thinks
	maxTokens int64 // that are asked for if nobody says otherwise; not more than it can write
	eager     bool  // it can stream a tool's input before that is valid JSON
	bound     bool  // its thinking is good only behind exactly what it was written behind
}

var (
	claude = lazyregexp.New(`claude-(?:(opus|sonnet|haiku|fable|mythos)-)?(\d)(?:[-.](\d))?(?:\D|$)`)
	named  = lazyregexp.New(`\bclaude-`)
)

func traitsOf(name string) traits {
	found := claude.FindStringSubmatch(name)
	if found == nil {
		if named.MatchString(name) {
			return traits{always, 32000, true, false} // an alias of a newer one
		}
		return traits{budgeted, 16000, false, false} // someone else's, which usually know the older form
	}
	major, _ := strconv.Atoi(found[2])
	minor, _ := strconv.Atoi(found[3])
	version, line := 10*major+minor, found[1]
	switch {
	case version < 35:
		return traits{never, 4096, false, false}
	case version < 37:
		return traits{never, 8192, false, false}
	case version < 40:
		return traits{budgeted, 64000, false, false}
	case version < 45 && line == "opus":
		return traits{budgeted, 32000, true, false}
	case version < 46:
		return traits{budgeted, 64000, true, false}
	case version < 50:
		return traits{adaptive, 64000, true, false}
	case line == "fable" || line == "mythos":
		return traits{always, 64000, true, version > 50}
	case version >= 55 && line == "opus":
		return traits{always, 64000, true, true}
	case version >= 55 && line == "sonnet":
		return traits{between, 64000, true, true}
	}
	return traits{byDefault, 64000, true, version >= 55}
}

// budgets are tokens of thinking by effort, for models that want a number.
var budgets = map[string]int64{"low": 4096, "medium": 12000, "high": 24000}

// minBudget is the API's.
const minBudget = 1024

// think sets how much the model thinks and how many tokens it has for that. openLoop says that the last model message
// has calls and does not begin with thinking of this model: with a budget, the API then refuses to think.
func think(p *sdk.MessageNewParams, req llm.Request, openLoop bool) {
	t := traitsOf(req.Model)
	p.MaxTokens = int64(req.MaxTokens)
	if p.MaxTokens <= 0 {
		p.MaxTokens = t.maxTokens
	}
	switch t.thinks {
	case never:
		if req.Effort != "" && req.Effort != "none" {
			tell(req, "This model doesn't think, so the effort isn't sent.")
		}
	case budgeted:
		budget := budgets[req.Effort]
		switch {
		case budget == 0:
		case openLoop:
			tell(req, "The model doesn't think in this turn, since the last message of a model doesn't begin with thinking of its own.")
		default:
			if req.MaxTokens > 0 {
				p.MaxTokens = min(p.MaxTokens+budget, max(t.maxTokens, p.MaxTokens))
			}
			if budget = min(budget, p.MaxTokens-minBudget); budget >= minBudget {
				p.Thinking = sdk.ThinkingConfigParamOfEnabled(budget)
			}
		}
	default:
		thinkAdaptively(p, t, req.Effort)
	}
}

// thinkAdaptively asks for the thoughts as well: newer models leave them out otherwise, and with them what they say
// between calls of tools.
func thinkAdaptively(p *sdk.MessageNewParams, t traits, effort string) {
	on := sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}}
	switch effort {
	case "":
		if t.thinks != adaptive {
			p.Thinking = on
		}
	case "none":
		switch t.thinks {
		case always:
			p.Thinking, p.OutputConfig.Effort = on, sdk.OutputConfigEffortLow
		case between:
			off := sdk.NewThinkingConfigBetweenToolsParam()
			p.Thinking.OfBetweenTools = &off
		case byDefault:
			off := sdk.NewThinkingConfigDisabledParam()
			p.Thinking.OfDisabled = &off
		default: // it does not think unless asked to
		}
	default:
		p.Thinking, p.OutputConfig.Effort = on, sdk.OutputConfigEffort(effort)
	}
}

func tell(req llm.Request, sentence string) {
	if req.Log != nil {
		req.Log(sentence)
	}
}
