// Package llmtest holds what the tests of all mappers share: conversations, random ones, and a loopback
// server that keeps what an SDK really sends.
package llmtest

import (
	"encoding/base64"
	"encoding/json"

	"weft/backend/llm"
)

// Case is one request of the shared set.
type Case struct {
	Name    string
	Request llm.Request
}

// Pixel is a PNG of one pixel.
var Pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// Tools are the tools of the shared set.
func Tools() []llm.Tool {
	return []llm.Tool{
		{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Relative to the folder."},"from":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}`)},
		{Name: "search", Description: "Search the files.", Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"},"glob":{"type":"string"}},"required":["pattern"],"additionalProperties":false}`)},
		{Name: "edit", Description: "Edit files.", Schema: json.RawMessage(`{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}},"how":{"anyOf":[{"type":"string","enum":["before","after"]},{"type":"null"}]}},"required":["path"]}}},"required":["edits"]}`)},
	}
}

const system = "You are a careful assistant."

// Cases is the shared set. Each is a conversation as the agent layer keeps it, with the model's turn next.
func Cases() []Case {
	request := func(messages ...llm.Message) llm.Request {
		return llm.Request{Model: "test-model", System: system, Messages: messages, Tools: Tools(), MaxTokens: 1000}
	}
	user := func(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleUser, Parts: parts} }
	model := func(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleModel, Parts: parts} }
	text := func(s string) llm.Part { return llm.Text{Text: s} }
	call := func(id, name, input string) llm.Part {
		return llm.ToolCall{ID: id, Name: name, Input: json.RawMessage(input)}
	}
	result := func(id, name, out string) llm.Part {
		return llm.ToolResult{CallID: id, Name: name, Parts: []llm.Part{llm.Text{Text: out}}}
	}
	three := []llm.Message{
		user(text("Look at the project.")),
		model(
			text("Three looks at once."),
			call("call_a", "read", `{"path":"README.md"}`), call("call_b", "search", `{"pattern":"TODO"}`), call("call_c", "read", `{"path":"main.go","from":10}`),
		),
		user(result("call_a", "read", "# Readme\n"), result("call_b", "search", "main.go:3: TODO"), result("call_c", "read", "func main() {}\n")),
	}
	structured := request(user(text("How many files are there?")))
	structured.Output = &llm.Output{Name: "count", Schema: json.RawMessage(`{"type":"object","properties":{"files":{"type":"integer"}},"required":["files"],"additionalProperties":false}`)}
	bare := request(user(text("Hello.")))
	bare.Tools, bare.System = nil, ""
	thinks := request(
		user(text("Think, then look.")),
		model(llm.Thinking{Text: "Another model thought this."}, text("Looking."), call("call_a", "read", `{"path":"a.txt"}`)),
		user(result("call_a", "read", "a")),
	)
	thinks.Effort = "high"
	failed := llm.ToolResult{CallID: "call_b", Name: "read", Failed: true, Parts: []llm.Part{llm.Text{Text: "missing.txt does not exist."}}}
	return []Case{
		{"bare", bare},
		{"single", request(user(text("Read it.")), model(call("call_a", "read", `{"path":"a.txt"}`)), user(result("call_a", "read", "the text")))},
		{"three tools", request(three...)},
		{"parallel, one failed", request(
			user(text("Read both.")),
			model(call("call_a", "read", `{"path":"a.txt"}`), call("call_b", "read", `{"path":"missing.txt"}`)),
			user(result("call_a", "read", "the text"), failed),
		)},
		{"steered", request(append(three[:2:2], user(append(append([]llm.Part{}, three[2].Parts...), text("And be brief."))...))...)},
		{"several rounds", request(append(append([]llm.Message{}, three...),
			model(text("One more."), call("call_d", "search", `{"pattern":"x"}`), text("And that one too."), call("call_e", "search", `{"pattern":"y"}`)),
			user(result("call_d", "search", "no matches"), result("call_e", "search", "")),
			model(text("Nothing there.")), user(text("Thank you. Why?")),
		)...)},
		{"nested input", request(
			user(text("Edit.")),
			model(call("call_a", "edit", `{"edits":[{"path":"größe/日本.txt","lines":[1,2,9007199254740993],"how":null},{"path":"quote\"\\\n","how":"after"}]}`)),
			user(result("call_a", "edit", "done")),
		)},
		{"input that is no JSON", request(
			user(text("Read it.")),
			model(llm.ToolCall{ID: "call_a", Name: "read", Input: json.RawMessage(`{}`), Raw: `{"path": "a.tx`}),
			user(llm.ToolResult{CallID: "call_a", Name: "read", Failed: true, Parts: []llm.Part{llm.Text{Text: "The input isn't a JSON object."}}}),
		)},
		{"images", request(
			user(text("What is this?"), llm.Image{MIME: "image/png", Data: Pixel}, text("And compare.")),
			model(call("call_a", "read", `{"path":"dot.png"}`), call("call_b", "read", `{"path":"a.txt"}`)),
			user(llm.ToolResult{CallID: "call_a", Name: "read", Parts: []llm.Part{llm.Text{Text: "A picture:"}, llm.Image{MIME: "image/png", Data: Pixel}}}, result("call_b", "read", "the text")),
		)},
		{"a file", request(user(text("Summarise."), llm.File{Name: "paper.pdf", MIME: "application/pdf", Data: []byte("%PDF-1.4 test")}))},
		{"thinking of another model", thinks},
		{"structured output", structured},
	}
}
