package llm

import (
	"context"
	"encoding/json"
)

// Model is a language model behind one provider's mapper.
type Model interface {
	// Stream sends a request and passes on what comes, in order and as it comes, to emit, from one goroutine; a
	// slow emit slows the stream down. It blocks until the answer is complete, ctx ends or something fails. The
	// response holds the whole message, also beside an error: then it is what came until then. Errors are *[Error], or
	// ctx's. What came before an error was emitted as well, so a caller that tries again has to look.
	Stream(ctx context.Context, req Request, emit func(Delta)) (Response, error)

	// Models lists the models that can be chosen, in the provider's order; nil where it cannot tell.
	Models(ctx context.Context) ([]ModelInfo, error)
}

// Request is everything a model is sent; a mapper keeps nothing between requests.
type Request struct {
	Model    string
	System   string
	Messages []Message // strictly alternating, the first and the last are the user's
	Tools    []Tool
	// Output, if set, is what the final answer has to be: JSON of this schema.
	Output *Output
	// MaxTokens bounds the answer; 0 leaves it to the mapper.
	MaxTokens int
	// Effort is how much the model is to think: "" (its default), "none", "low", "medium", "high".
	Effort string
	// Log is told, in a sentence, what of the request had to be reduced for this provider, such as a keyword of a
	// schema. It may be nil.
	Log func(sentence string)
}

// Tool is a tool as a model sees it.
type Tool struct {
	Name        string // [a-zA-Z0-9_-]{1,64}
	Description string
	Schema      json.RawMessage // JSON Schema of an object
}

// Output is the form of a structured answer.
type Output struct {
	Name   string
	Schema json.RawMessage
}

// Delta is one piece of a stream. A call's pieces carry its number in the message, from 0: calls may be written
// side by side, and ids need not be unique before the message is complete.
type Delta struct {
	Kind DeltaKind
	Text string // of Text and Thinking; of CallInput a fragment of the JSON, cut anywhere
	Call int    // number of the call
	ID   string // CallStart: the provider's, "" where it gives none
	Name string // CallStart
}

// DeltaKind says what a delta adds to.
type DeltaKind uint8

// The kinds of delta.
const (
	DeltaText DeltaKind = iota + 1
	DeltaThinking
	DeltaCallStart
	DeltaCallInput
)

// Response is what a request brought.
type Response struct {
	Message Message // in the order in which its parts began
	Stop    Stop
	Usage   Usage
	Model   string // that answered, as the provider names it
}

// Stop says why a model ended its message.
type Stop string

// The reasons. An unknown one of a provider is StopEnd, or StopTools where there are calls.
const (
	StopEnd     Stop = "end"
	StopTools   Stop = "tools"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
)

// Usage counts tokens. Zero is unknown.
type Usage struct {
	Input      int64 `json:"input"`      // all of the request, cached ones too
	CacheRead  int64 `json:"cacheRead"`  // of Input
	CacheWrite int64 `json:"cacheWrite"` // of Input
	Output     int64 `json:"output"`     // all of the answer, thinking too
	Thinking   int64 `json:"thinking"`   // of Output
	// Cost is in US dollars where the provider tells it, else 0.
	Cost float64 `json:"cost,omitempty"`
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite,
		u.Output + v.Output, u.Thinking + v.Thinking, u.Cost + v.Cost,
	}
}

// ModelInfo is a model that can be chosen.
type ModelInfo struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`    // for people; may be empty
	Context int64  `json:"context,omitempty"` // tokens that it can read, 0 if unknown
}
