package flat

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/conversation/transcript/statusword"
)

// kinds are the valid kinds of calls.
var kinds = map[string]bool{
	"read": true, "edit": true, "delete": true, "move": true, "search": true, "execute": true, "fetch": true, "think": true, "switch_mode": true, "other": true,
}

// usual maps the names of common tools to their kinds. The names are in lower case without "_" and "-".
var usual = map[string]string{
	"read": "read", "readfile": "read", "view": "read", "cat": "read", "open": "read",
	"write": "edit", "writefile": "edit", "edit": "edit", "editfile": "edit", "multiedit": "edit", "applypatch": "edit", "strreplaceeditor": "edit", "strreplacebasededittool": "edit", "replace": "edit",
	"bash": "execute", "shell": "execute", "exec": "execute", "runcommand": "execute", "runshellcommand": "execute", "executecommand": "execute", "terminal": "execute",
	"grep": "search", "glob": "search", "search": "search", "searchfiles": "search", "websearch": "search", "find": "search", "list": "search", "ls": "search", "listfiles": "search",
	"fetch": "fetch", "webfetch": "fetch", "httpget": "fetch", "delete": "delete", "deletefile": "delete", "move": "move", "rename": "move", "think": "think",
}

// callIDs are the names of the field with a call's id.
var callIDs = []string{"id", "toolCallId", "tool_call_id", "call_id", "toolUseId", "tool_use_id"}

// call reads a tool call. index is its index in place, or -1 if place is the call itself.
func (r *reading) call(m *Message, n node, place string, index int) {
	if index >= 0 {
		place = fmt.Sprintf("%s[%d]", place, index)
	}
	o := n.object()
	if o == nil {
		r.fault(n, place, "A tool call must be an object.")
		return
	}
	if inner := o["function"].object(); inner != nil {
		for name, v := range inner {
			if !o.has(name) {
				o[name] = v
			}
		}
	}
	c := &Call{
		ID: o.text(callIDs...), Name: label(strings.TrimPrefix(o.text("name", "toolName", "tool", "tool_name"), "weft/"), 200),
		Title: label(o.text("title", "label"), 300), Kind: strings.ToLower(o.text("kind")), Summary: label(o.text("summary"), 300),
	}
	if own := o.text("call_id"); own != "" {
		c.ID = own // its output refers to this id
	}
	if c.Name == "" && c.Title == "" {
		r.fault(n, place, "A tool call needs a name.")
		return
	}
	c.Input = argumentsOf(o.first("input", "arguments", "args", "parameters", "rawInput"))
	if !kinds[c.Kind] {
		c.Kind = usual[plain(c.Name)]
	}
	if c.Title == "" {
		c.Title = titleOf(c)
	}
	r.outcome(c, o, place, n)
	if r.failed {
		return
	}
	if c.ID != "" {
		r.b.calls[c.ID] = c
	}
	r.made = append(r.made, c)
	m.Parts = append(m.Parts, Part{Call: c})
}

// argumentsOf returns the arguments, which may be encoded as a string.
func argumentsOf(n node) jsontext.Value {
	if s := n.text(); s != "" {
		inner := jsontext.Value(strings.TrimSpace(s))
		if inner.IsValid(lenient) && inner.Kind() == '{' && inner.Compact(lenient) == nil {
			return inner
		}
	}
	return n.value()
}

// titleOf returns a title made of the name and the main argument of a call.
func titleOf(c *Call) string {
	o := node{raw: c.Input}.object()
	about := o.text("command", "path", "file_path", "filePath", "pattern", "query", "url", "description")
	if about == "" {
		return c.Name
	}
	return label(c.Name+" "+about, 160)
}

// outcome reads how a call ended, from the call itself or from a separate result.
func (r *reading) outcome(c *Call, o object, place string, n node) {
	if word := o.text("status", "state"); word != "" {
		status, known := statusword.Status(word)
		if !known {
			r.fault(n, place, "The status “{{status}}” is unknown. Use completed, failed, cancelled or rejected.", label(word, 40))
			return
		}
		if status.Ended() {
			c.Status = status
		}
	}
	result := o.first("result", "output", "response", "rawOutput")
	r.shown(c, result)
	if content := o["content"]; content.there() {
		r.shown(c, content)
	}
	if e := o.first("error", "errorText"); e.there() && string(e.raw) != "false" {
		c.Error = e.text()
		if c.Error == "" {
			c.Error = e.object().text("message", "error", "detail")
		}
		if c.Status == "" {
			c.Status = transcript.StatusFailed
		}
	}
	if c.Status == "" && o.truth("isError", "is_error") {
		c.Status = transcript.StatusFailed
	}
	if c.Status == "" && (result.there() || o["content"].there()) {
		c.Status = transcript.StatusCompleted
	}
	if s := o.text("summary"); s != "" {
		c.Summary = label(s, 300)
	}
	if n, err := strconv.Atoi(string(o.first("resultCount", "result_count").raw)); err == nil && n >= 0 {
		c.Count = &n
	}
	if d := o.first("durationMs", "duration_ms"); d.there() {
		if f, err := strconv.ParseFloat(string(d.raw), 64); err == nil && f >= 0 && f < 1e12 {
			ms := int64(math.Round(f))
			c.Duration = &ms
		}
	}
}

// shown adds the output of a tool.
func (r *reading) shown(c *Call, n node) {
	switch {
	case !n.there():
	case n.kind() == '"':
		if s := n.text(); s != "" {
			c.Content = append(c.Content, transcript.Content{Type: "text", Text: s})
		}
	case n.kind() == '[' && blocks(n.list()):
		for _, one := range n.list() {
			o := one.object()
			if s := one.text(); s != "" {
				c.Content = append(c.Content, transcript.Content{Type: "text", Text: s})
			} else if o.text("type") == "diff" {
				old := o.first("oldText", "old_text")
				c.Content = append(c.Content, transcript.Content{Type: "diff", Path: o.text("path"), OldText: old.text(), NewFile: !old.there(), NewText: o.text("newText", "new_text")})
			} else if s := o.text("text"); s != "" {
				c.Content = append(c.Content, transcript.Content{Type: "text", Text: s})
			} else if o != nil && o.text("type") != "text" {
				c.Content = append(c.Content, *media(one, o, o.text("type")))
			}
		}
	case n.kind() == '{' && n.object().text("type") == "text":
		r.shown(c, n.object().first("text", "value"))
	default:
		c.Output = n.value()
	}
}

// blocks reports whether a list consists of content blocks rather than data.
func blocks(list []node) bool {
	for _, one := range list {
		o := one.object()
		if o == nil || o.text("type") == "" || !o.has("text", "source", "data", "path", "image_url", "content", "uri", "file") {
			return false
		}
	}
	return len(list) > 0
}

// result assigns a separate result to its call. Calls without an id are searched for in at.
func (r *reading) result(o object, at *Message) {
	id := o.text("tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "id")
	c := r.b.calls[id]
	if c == nil && at != nil {
		name := o.text("name", "toolName", "tool_name")
		for _, p := range at.Parts {
			if p.Call != nil && p.Call.Status == "" && (id == "" || p.Call.ID == "") && (name == "" || p.Call.Name == name) {
				c = p.Call
				break
			}
		}
	}
	if c == nil {
		r.fault(r.n, "", "The result of the tool call “{{id}}” doesn't belong to an earlier tool call.", label(id, 60))
		return
	}
	if id != "" {
		delete(r.b.calls, id) // the id may be reused by another call
	}
	r.results++
	r.outcome(c, o, "", r.n)
	if c.Status == "" {
		c.Status = transcript.StatusCompleted
	}
}
