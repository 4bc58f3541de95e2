package modelproxy

import (
	"github.com/go-json-experiment/json"

	"weft/backend/llm"
)

// chatReader reads the chunks of chat completions, or a complete response.
func chatReader(a *answer) func([]byte) error {
	calls := map[int]*call{}
	return func(data []byte) error {
		var e struct {
			Model   string `json:"model"`
			Choices []struct {
				Index int `json:"index"`
				Delta *struct {
					Calls []struct {
						Index    int    `json:"index"`
						ID       string `json:"id"`
						Function struct {
							Name      string `json:"name"`
							Arguments string `json:"arguments"`
						} `json:"function"`
					} `json:"tool_calls"`
				} `json:"delta"`
				Finish *string `json:"finish_reason"`
			} `json:"choices"`
			Usage *struct {
				Input   int64    `json:"prompt_tokens"`
				Output  int64    `json:"completion_tokens"`
				Cost    *float64 `json:"cost"`
				Details *struct {
					Cached int64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
				Hit      int64 `json:"prompt_cache_hit_tokens"`
				Answered *struct {
					Reasoning int64 `json:"reasoning_tokens"`
				} `json:"completion_tokens_details"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if e.Model != "" {
			a.model = e.Model
		}
		if u := e.Usage; u != nil {
			a.usage = &llm.Usage{Input: u.Input, Output: u.Output, CacheRead: u.Hit}
			if u.Details != nil && u.Details.Cached > 0 {
				a.usage.CacheRead = u.Details.Cached
			}
			if u.Answered != nil {
				a.usage.Thinking = u.Answered.Reasoning
			}
			if u.Cost != nil {
				a.usage.Cost = *u.Cost
			}
		}
		for _, choice := range e.Choices {
			if choice.Index != 0 {
				continue // agents use the first one
			}
			if choice.Delta != nil {
				for _, part := range choice.Delta.Calls {
					c := calls[part.Index]
					if c == nil || part.ID != "" && c.id != "" && part.ID != c.id { // some providers use the same index for all calls
						c.finished()
						c = a.begin(part.ID, part.Function.Name)
						calls[part.Index] = c
					} else {
						c.called(part.ID, part.Function.Name)
					}
					c.add(part.Function.Arguments)
				}
			}
			if choice.Finish != nil && *choice.Finish != "" {
				a.finish() // the usage may follow
			}
		}
		return nil
	}
}

// finished ends the call, if there is one.
func (c *call) finished() {
	if c != nil {
		c.end(false)
	}
}
