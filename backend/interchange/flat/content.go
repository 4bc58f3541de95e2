package flat

import (
	"encoding/base64"
	"fmt"
	"strings"

	"weft/backend/conversation/transcript"
)

// content reads the content of a message: a text, a block, or a list of either.
func (r *reading) content(m *Message, n node) {
	switch {
	case !n.there():
	case n.kind() == '"':
		if s := n.text(); s != "" {
			m.Parts = append(m.Parts, Part{Text: s})
		}
	case n.kind() == '[':
		for i, block := range n.list() {
			r.block(m, block, fmt.Sprintf("content[%d]", i))
		}
	case n.kind() == '{':
		if inner := n.object().first("parts"); inner.there() && inner.kind() == '[' {
			r.content(m, inner)
			return
		}
		r.block(m, n, "content")
	default:
		r.fault(n, "content", "The content must be a text or a list of blocks.")
	}
}

func (r *reading) block(m *Message, n node, place string) {
	if n.there() && n.kind() == '"' {
		m.Parts = append(m.Parts, Part{Text: n.text()})
		return
	}
	o := n.object()
	if o == nil {
		r.fault(n, place, "A block must be a text or an object.")
		return
	}
	kind := o.text("type")
	switch {
	case kind == "text" || kind == "input_text" || kind == "output_text" || kind == "" && o.has("text"):
		if s := o.text("text", "content", "value"); s != "" {
			m.Parts = append(m.Parts, Part{Text: s})
		}
	case kind == "thinking" || kind == "reasoning" || kind == "redacted_thinking":
		r.thinking(m, o.first("thinking", "text", "reasoning", "summary", "content"))
	case kind == "tool_use" || kind == "server_tool_use" || kind == "tool_call" || kind == "tool-call" || kind == "dynamic-tool" || strings.HasSuffix(kind, "_call") && o.has("name"):
		r.call(m, n, place, -1)
	case kind == "tool-invocation" && o["toolInvocation"].object() != nil: // AI SDK, version 4
		r.call(m, o["toolInvocation"], place, -1)
	case strings.HasPrefix(kind, "tool-") && o.has("toolCallId") && !isResult(kind): // AI SDK, later versions
		n = made(n.line, with(o, "toolName", word(strings.TrimPrefix(kind, "tool-"))))
		r.call(m, n, place, -1)
	case kind == "step-start": // between the steps of a turn
	case o["functionCall"].there(): // Google's API
		r.call(m, o["functionCall"], place, -1)
	case isResult(kind), o["functionResponse"].there():
		if inner := o["functionResponse"].object(); inner != nil {
			o = inner
		}
		at := r.b.last
		if m.Role == transcript.RoleAgent || len(r.made) > 0 {
			at = m
		}
		r.result(o, at)
	default:
		m.Parts = append(m.Parts, Part{Block: media(n, o, kind)})
	}
}

// isResult reports whether kind is the type of a block with a tool call's result.
func isResult(kind string) bool {
	return kind == "tool-result" || kind == "tool_result" || strings.HasSuffix(kind, "_call_output") || strings.HasSuffix(kind, "_tool_result")
}

// media returns an image or audio with its data, a resource link, or else the unchanged block.
func media(n node, o object, kind string) *transcript.Content {
	source := o
	for _, name := range []string{"source", "image_url", "input_audio", "inlineData", "inline_data", "file", "resource"} {
		if inner := o[name].object(); inner != nil {
			source = inner
			break
		}
	}
	mime := source.text("media_type", "mimeType", "mime_type", "mediaType")
	data := source.text("data", "file_data")
	address := source.text("url", "uri", "fileUri")
	if address == "" {
		address = o["image_url"].text()
	}
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		head, body, _ := strings.Cut(rest, ",")
		if head, ok := strings.CutSuffix(head, ";base64"); ok {
			mime, data, address = head, body, ""
		}
	}
	family, _, _ := strings.Cut(mime, "/")
	if _, err := base64.StdEncoding.DecodeString(data); err == nil && data != "" && (family == "image" || family == "audio") {
		return &transcript.Content{Type: family, Text: data, Mime: mime}
	}
	name := source.text("filename", "name", "title", "file_name")
	if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "file:") {
		if name == "" {
			name = address
		}
		return &transcript.Content{Type: "resource_link", Name: label(name, 200), URI: address, Mime: label(mime, 100)}
	}
	return &transcript.Content{Type: "unknown", Name: label(kind, 60), Raw: n.value()}
}
