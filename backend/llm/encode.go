package llm

import (
	"encoding/json"
	"fmt"
)

// The stored form of a message: {"role":"model","parts":[{"type":"text","text":"…"},{"type":"tool_call",…}]}.

type (
	storedMessage struct {
		Role  Role              `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	storedResult struct {
		CallID string            `json:"callId"`
		Name   string            `json:"name,omitempty"`
		Parts  []json.RawMessage `json:"parts"`
		Failed bool              `json:"failed,omitempty"`
		Data   json.RawMessage   `json:"data,omitempty"`
	}
)

// MarshalJSON implements json.Marshaler.
func (m Message) MarshalJSON() ([]byte, error) {
	parts, err := encodeParts(m.Parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(storedMessage{m.Role, parts})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Message) UnmarshalJSON(b []byte) error {
	var s storedMessage
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	parts, err := decodeParts(s.Parts)
	*m = Message{Role: s.Role, Parts: parts}
	return err
}

func encodeParts(parts []Part) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		var err error
		if out[i], err = encodePart(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func encodePart(p Part) ([]byte, error) {
	switch p := p.(type) {
	case Text:
		return typed("text", p)
	case Thinking:
		return typed("thinking", p)
	case ToolCall:
		return typed("tool_call", p)
	case Image:
		return typed("image", p)
	case File:
		return typed("file", p)
	case ToolResult:
		parts, err := encodeParts(p.Parts)
		if err != nil {
			return nil, err
		}
		return typed("tool_result", storedResult{p.CallID, p.Name, parts, p.Failed, p.Data})
	}
	return nil, fmt.Errorf("a message can't hold a %T", p)
}

// typed puts the type before the other fields.
func typed(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"type":"`+kind+`",`), body[1:]...), nil
}

func decodeParts(raw []json.RawMessage) ([]Part, error) {
	parts := make([]Part, len(raw))
	for i, b := range raw {
		var err error
		if parts[i], err = decodePart(b); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func decodePart(b []byte) (Part, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, err
	}
	switch head.Type {
	case "text":
		return decode[Text](b)
	case "thinking":
		return decode[Thinking](b)
	case "tool_call":
		return decode[ToolCall](b)
	case "image":
		return decode[Image](b)
	case "file":
		return decode[File](b)
	case "tool_result":
		s, err := decode[storedResult](b)
		if err != nil {
			return nil, err
		}
		parts, err := decodeParts(s.(storedResult).Parts)
		return ToolResult{s.(storedResult).CallID, s.(storedResult).Name, parts, s.(storedResult).Failed, s.(storedResult).Data}, err
	}
	return nil, fmt.Errorf("there is no part of the type %q", head.Type)
}

func (storedResult) part() {}

func decode[P Part](b []byte) (Part, error) {
	var p P
	err := json.Unmarshal(b, &p)
	return p, err
}
