package llm

import "encoding/json"

// Role says whose message it is.
type Role string

// The roles. Tool results are parts of the user's message.
const (
	RoleUser  Role = "user"
	RoleModel Role = "model"
)

// Message is what one side said in one go.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one piece of a message: [Text], [Thinking], [ToolCall], [ToolResult], [Image] or [File].
type Part interface{ part() }

// Text is something said.
type Text struct {
	Text   string  `json:"text"`
	Sealed *Sealed `json:"sealed,omitempty"`
}

// Thinking is reasoning of the model. Text may be empty where the provider keeps it to itself.
type Thinking struct {
	Text   string  `json:"text"`
	Sealed *Sealed `json:"sealed,omitempty"`
}

// ToolCall is the model's wish to use a tool.
type ToolCall struct {
	ID   string `json:"id"` // unique in the conversation
	Name string `json:"name"`
	// Input is a JSON object, byte for byte as the model wrote it.
	Input json.RawMessage `json:"input"`
	// Raw is what the model wrote instead of a JSON object; Input is {} then.
	Raw    string  `json:"raw,omitempty"`
	Sealed *Sealed `json:"sealed,omitempty"`
}

// Object returns the input as a JSON object, for providers that accept nothing else. Input that isn't valid JSON goes
// into the field invalid_json.
func (c ToolCall) Object() json.RawMessage {
	if c.Raw != "" {
		raw, _ := json.Marshal(map[string]string{"invalid_json": c.Raw}) // strings can always be encoded
		return raw
	}
	if len(c.Input) == 0 {
		return json.RawMessage(`{}`)
	}
	return c.Input
}

// ToolResult is what a tool returned for the call with that id. Its parts are [Text], [Image] and [File].
type ToolResult struct {
	CallID string
	Name   string // of the tool
	Parts  []Part
	Failed bool
	// Data is the result for programs. No model is sent it.
	Data json.RawMessage
}

// Image is a picture.
type Image struct {
	MIME string `json:"mime"` // image/png, image/jpeg, image/gif, image/webp
	Data []byte `json:"data"`
}

// File is a document, such as a PDF.
type File struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Sealed is what a provider wants back unchanged with a part: a signature of its thinking, an id of an item. Only the
// mapper of that provider reads it; for the others the part is without it.
type Sealed struct {
	Provider string          `json:"provider"`
	Data     json.RawMessage `json:"data"`
}

func (Text) part()       {}
func (Thinking) part()   {}
func (ToolCall) part()   {}
func (ToolResult) part() {}
func (Image) part()      {}
func (File) part()       {}

// By returns the data that was sealed by a provider, nil if it was not or by another one.
func (s *Sealed) By(provider string) json.RawMessage {
	if s == nil || s.Provider != provider {
		return nil
	}
	return s.Data
}

// UserText is a user message of one text.
func UserText(text string) Message { return Message{Role: RoleUser, Parts: []Part{Text{Text: text}}} }

// ModelText is a model message of one text.
func ModelText(text string) Message { return Message{Role: RoleModel, Parts: []Part{Text{Text: text}}} }

// Calls are the tool calls of a message, in order.
func (m Message) Calls() []ToolCall {
	var calls []ToolCall
	for _, p := range m.Parts {
		if c, ok := p.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Text is all that was said in a message.
func (m Message) Text() string {
	var all string
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok {
			all += t.Text
		}
	}
	return all
}
