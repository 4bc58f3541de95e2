package openai

import (
	"encoding/json"

	"weft/backend/llm"
)

// Servers of chat completions tell a model's thinking in one of several fields, and some want it back with the message
// it belongs to. It goes back to the host that it came from; elsewhere it is another model's thinking.

const chatSealer = "openai-chat"

// chatSeal is what is sealed in a thinking.
type chatSeal struct {
	At      string            `json:"at"`                // host
	Field   string            `json:"field,omitempty"`   // reasoning_content or reasoning
	Details []json.RawMessage `json:"details,omitempty"` // OpenRouter's reasoning_details, which replace the field
}

// callSeal is what is sealed in a call: Google's compatible server signs calls.
type callSeal struct {
	At    string          `json:"at"`
	Extra json.RawMessage `json:"extra_content"`
}

func seal(v any) *llm.Sealed {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // raw messages were valid when they came
	}
	return &llm.Sealed{Provider: chatSealer, Data: data}
}

// thoughtBack is the fields in which a thinking goes back, nil if it is not this server's.
func (w chatWriter) thoughtBack(t llm.Thinking) map[string]any {
	var s chatSeal
	if json.Unmarshal(t.Sealed.By(chatSealer), &s) != nil || s.At != w.server.host {
		return nil
	}
	switch {
	case len(s.Details) > 0:
		return map[string]any{"reasoning_details": s.Details}
	case s.Field != "" && t.Text != "":
		return map[string]any{s.Field: t.Text}
	}
	return nil
}

func (w chatWriter) callExtra(c llm.ToolCall) json.RawMessage {
	var s callSeal
	if json.Unmarshal(c.Sealed.By(chatSealer), &s) != nil || s.At != w.server.host {
		return nil
	}
	return s.Extra
}

// mergeDetails adds a piece of reasoning_details: pieces of one block are put together, as they would have come at
// once.
func mergeDetails(have []json.RawMessage, more json.RawMessage) []json.RawMessage {
	if len(have) == 0 {
		return append(have, more)
	}
	var last, next map[string]json.RawMessage
	if json.Unmarshal(have[len(have)-1], &last) != nil || json.Unmarshal(more, &next) != nil ||
		string(last["type"]) != string(next["type"]) || string(last["index"]) != string(next["index"]) || given(last["id"]) != nil && given(next["id"]) != nil && string(last["id"]) != string(next["id"]) {
		return append(have, more)
	}
	for field, value := range next {
		switch {
		case given(value) == nil && last[field] != nil:
		case field == "text" || field == "summary" || field == "data":
			var a, b string
			if json.Unmarshal(last[field], &a) == nil && json.Unmarshal(value, &b) == nil {
				value, _ = json.Marshal(a + b)
			}
			last[field] = value
		default:
			last[field] = value
		}
	}
	merged, err := json.Marshal(last)
	if err != nil {
		return append(have, more)
	}
	have[len(have)-1] = merged
	return have
}
