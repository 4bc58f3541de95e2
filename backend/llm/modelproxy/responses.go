package modelproxy

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/llm"
)

type responsesUsage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Answered struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// within returns the full name of a tool in a namespace ("mcp__weft").
func within(namespace, name string) string {
	if namespace != "" && !strings.HasSuffix(namespace, "_") {
		namespace += "__"
	}
	return namespace + name
}

// responsesReader reads the events of OpenAI's Responses API, or a complete response. Calls whose input isn't JSON are
// skipped.
func responsesReader(a *answer) func([]byte) error {
	calls := map[int]*call{}
	used := func(model string, u *responsesUsage) {
		if model != "" {
			a.model = model
		}
		if u != nil {
			a.usage = &llm.Usage{Input: u.Input, CacheRead: u.Details.Cached, Output: u.Output, Thinking: u.Answered.Reasoning}
		}
	}
	return func(data []byte) error {
		var e struct {
			Type   string          `json:"type"`
			Object string          `json:"object"`
			Model  string          `json:"model"`
			Usage  *responsesUsage `json:"usage"`
			Index  int             `json:"output_index"`
			Delta  any             `json:"delta"` // a string, or an object in irrelevant events
			Item   *struct {
				Type      string `json:"type"`
				CallID    string `json:"call_id"`
				Name      string `json:"name"`
				Namespace string `json:"namespace"`
			} `json:"item"`
			Response *struct {
				Model string          `json:"model"`
				Usage *responsesUsage `json:"usage"`
			} `json:"response"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		switch e.Type {
		case "response.output_item.added":
			if e.Item != nil && e.Item.Type == "function_call" {
				calls[e.Index] = a.begin(e.Item.CallID, within(e.Item.Namespace, e.Item.Name))
			}
		case "response.function_call_arguments.delta":
			if c, fragment := calls[e.Index], e.Delta; c != nil {
				if text, ok := fragment.(string); ok {
					c.add(text)
				}
			}
		case "response.function_call_arguments.done", "response.output_item.done":
			calls[e.Index].finished()
		case "response.completed", "response.incomplete", "response.failed":
			if e.Response != nil {
				used(e.Response.Model, e.Response.Usage)
			}
			a.finish()
		case "":
			if e.Object == "response" { // not streamed
				used(e.Model, e.Usage)
			}
		}
		return nil
	}
}
