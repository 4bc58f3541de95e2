package modelproxy

import (
	"github.com/go-json-experiment/json"

	"weft/backend/llm"
)

// anthropicUsage counts cached input separately.
type anthropicUsage struct {
	Input      *int64 `json:"input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

// anthropicReader reads the events of Anthropic's Messages API, or a complete response.
func anthropicReader(a *answer) func([]byte) error {
	blocks := map[int]*call{}
	var sum anthropicUsage
	// Later events repeat some of the numbers, as totals.
	used := func(u *anthropicUsage) {
		if u == nil {
			return
		}
		for _, n := range []struct{ into, from **int64 }{
			{&sum.Input, &u.Input}, {&sum.CacheWrite, &u.CacheWrite}, {&sum.CacheRead, &u.CacheRead}, {&sum.Output, &u.Output},
		} {
			if *n.from != nil {
				*n.into = *n.from
			}
		}
		read, write := number(sum.CacheRead), number(sum.CacheWrite)
		a.usage = &llm.Usage{Input: number(sum.Input) + read + write, CacheRead: read, CacheWrite: write, Output: number(sum.Output)}
	}
	return func(data []byte) error {
		var e struct {
			Type    string `json:"type"`
			Model   string `json:"model"`
			Message *struct {
				Model string          `json:"model"`
				Usage *anthropicUsage `json:"usage"`
			} `json:"message"`
			Index int `json:"index"`
			Block *struct {
				Type string `json:"type"`
				ID   string `json:"id"`
				Name string `json:"name"`
			} `json:"content_block"`
			Delta *struct {
				Type    string `json:"type"`
				Partial string `json:"partial_json"`
			} `json:"delta"`
			Usage *anthropicUsage `json:"usage"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		switch e.Type {
		case "message_start":
			if e.Message != nil {
				a.model = e.Message.Model
				used(e.Message.Usage)
			}
		case "message": // not streamed
			a.model = e.Model
			used(e.Usage)
		case "content_block_start":
			if e.Block != nil && e.Block.Type == "tool_use" {
				blocks[e.Index] = a.begin(e.Block.ID, e.Block.Name)
			}
		case "content_block_delta":
			if c := blocks[e.Index]; c != nil && e.Delta != nil {
				c.add(e.Delta.Partial)
			}
		case "content_block_stop":
			if c := blocks[e.Index]; c != nil {
				c.end(false)
				delete(blocks, e.Index)
			}
		case "message_delta":
			used(e.Usage)
		case "message_stop":
			a.finish()
		}
		return nil
	}
}

func number(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
