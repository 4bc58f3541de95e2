package ollama

import "encoding/json"

// What is sent to the API and what it answers, as far as Weft uses it. Raw JSON stays as it came: keys in their order,
// large numbers.

type request struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Format   json.RawMessage `json:"format,omitempty"`
	Tools    []tool          `json:"tools,omitempty"`
	Options  options         `json:"options"`
	Think    any             `json:"think,omitempty"` // a level, or on and off
	Truncate bool            `json:"truncate"`
	Shift    bool            `json:"shift"`
}

type options struct {
	Context   int64 `json:"num_ctx,omitempty"`     // tokens
	MaxTokens int   `json:"num_predict,omitempty"` // of the answer
}

type message struct {
	Role     string   `json:"role"`
	Content  string   `json:"content"`
	Thinking string   `json:"thinking,omitempty"`
	Images   [][]byte `json:"images,omitempty"`
	Calls    []call   `json:"tool_calls,omitempty"`
	ToolName string   `json:"tool_name,omitempty"`
	CallID   string   `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Index     int             `json:"index"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// line is a line of an answer.
type line struct {
	Model      string  `json:"model"`
	Message    message `json:"message"`
	Done       bool    `json:"done"`
	DoneReason string  `json:"done_reason"`
	Read       int64   `json:"prompt_eval_count"` // tokens
	Written    int64   `json:"eval_count"`        // tokens
	failure
}

// failure is an error as Ollama writes it.
type failure struct {
	Error  string `json:"error"`
	Status int    `json:"status"`
}

// shown is what a model is.
type shown struct {
	Details struct {
		Family string `json:"family"`
	} `json:"details"`
	Capabilities []string       `json:"capabilities"`
	Info         map[string]any `json:"model_info"`
}

type listed struct {
	Models []struct {
		Name string `json:"name"`
	} `json:"models"`
}
