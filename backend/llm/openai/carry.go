package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/openai/openai-go/v3/packages/param"

	"weft/backend/llm"
)

// What both wires write in the same way.

func dataURL(mime string, data []byte) string {
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// arguments are a call's, as the model wrote them.
func arguments(c llm.ToolCall) string {
	if c.Raw != "" {
		return c.Raw
	}
	if len(c.Input) == 0 {
		return "{}"
	}
	return string(c.Input)
}

// shortID bounds an id: OpenAI's own API refuses what others give. The same id gives the same.
func shortID(id string, limit int) string {
	if len(id) <= limit {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:16])
}

func optional(s string) param.Opt[string] {
	if s == "" {
		return param.Opt[string]{}
	}
	return param.NewOpt(s)
}
