package claude

import (
	"bytes"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// entry writes an entry of a path.
func (r *reader) entry(e *sessionfiles.Entry, text []byte) error {
	key := string(e.ID[:])
	if text == nil {
		return r.w.TooLarge(key)
	}
	text, ok := sessionfiles.Clean(text, r.w)
	if !ok {
		r.broken++
		return nil
	}
	o := sessionfiles.Members(text)
	if cwd := o.Text("cwd"); cwd != "" {
		r.folder = cwd
	}
	switch plain(o["type"]) {
	case "user":
		return r.user(key, o)
	case "assistant":
		return r.assistant(key, o)
	case "system":
		return r.system(key, o)
	case "attachment":
		return r.attachment(key, o)
	}
	return nil
}

// assistant writes a piece of what the model said.
func (r *reader) assistant(key string, o sessionfiles.Object) error {
	m := sessionfiles.Members(o["message"])
	model := m.Text("model")
	if model == "<synthetic>" {
		model = ""
	}
	if err := r.w.Turn(key, model); err != nil {
		return err
	}
	switch reason := m.Text("stop_reason"); reason {
	case "max_tokens", "refusal":
		r.w.Stop(reason)
	case "end_turn", "tool_use", "stop_sequence":
		r.w.Stop("end_turn")
	}
	if sessionfiles.Truth(o["isApiErrorMessage"]) {
		for _, block := range scan.Elements(m["content"]) {
			r.w.Remark(sessionfiles.Text(scan.Member(block, "text")))
		}
		return nil
	}
	return r.said(m["content"])
}

// said writes the content of a response.
func (r *reader) said(content []byte) error {
	if s := sessionfiles.Text(content); s != "" {
		r.w.Text(s)
		return nil
	}
	for _, block := range scan.Elements(content) {
		b := sessionfiles.Members(block)
		switch kind := plain(b["type"]); kind {
		case "text":
			r.w.Text(sessionfiles.Text(b["text"]))
		case "thinking":
			r.w.Thought(sessionfiles.Text(b["thinking"]))
		case "tool_use", "server_tool_use", "mcp_tool_use":
			if err := r.call(b); err != nil {
				return err
			}
		case "image":
			r.w.Block(picture(block, b))
		case "redacted_thinking", "fallback":
		default:
			if strings.HasSuffix(kind, "_tool_result") {
				r.result(b, nil)
				continue
			}
			if b != nil {
				r.w.Block(transcript.Content{Type: "unknown", Name: kind, Raw: sessionfiles.Value(block)})
			}
		}
	}
	return nil
}

// interrupted begins what is kept in place of a prompt when the user has stopped a turn.
const interrupted = "[Request interrupted by user"

// tags are what text of the user begins with that the user hasn't written.
var tags = []string{
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<system-reminder>", interrupted, "Caveat: The messages below",
}

// beside reports whether a text isn't the user's.
func beside(text []byte) bool {
	for _, tag := range tags {
		if bytes.HasPrefix(text, []byte(tag)) {
			return true
		}
	}
	return false
}

// user writes an entry of the user: a prompt, or the results of tools.
func (r *reader) user(key string, o sessionfiles.Object) error {
	content := scan.Member(o["message"], "content")
	if sessionfiles.Truth(o["isCompactSummary"]) {
		if err := r.w.Turn(key, ""); err != nil {
			return err
		}
		r.w.Thought(allText(content))
		return nil
	}
	begun := false
	begin := func() error {
		if begun {
			return nil
		}
		begun = true
		return r.w.Prompt(key)
	}
	meta := sessionfiles.Truth(o["isMeta"])
	if s := sessionfiles.Text(content); s != "" {
		return r.words(key, s, meta, begin)
	}
	for _, block := range scan.Elements(content) {
		b := sessionfiles.Members(block)
		var err error
		switch plain(b["type"]) {
		case "tool_result":
			r.result(b, o)
		case "text":
			err = r.words(key, sessionfiles.Text(b["text"]), meta, begin)
		default:
			if b == nil || meta {
				continue
			}
			if err = begin(); err == nil {
				r.w.Block(picture(block, b))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func allText(content []byte) string {
	if s := sessionfiles.Text(content); s != "" {
		return s
	}
	var all []string
	for _, block := range scan.Elements(content) {
		all = append(all, sessionfiles.Text(scan.Member(block, "text")))
	}
	return strings.Join(all, "\n")
}

// words writes a text that is kept as the user's. Commands of Claude Code and what they printed are kept in tags.
func (r *reader) words(key, s string, meta bool, begin func() error) error {
	switch {
	case strings.HasPrefix(s, interrupted):
		r.w.Stop("cancelled")
		return nil
	case strings.HasPrefix(s, "<task-notification>"):
		id := sessionfiles.Inner(s, "tool-use-id")
		if result := sessionfiles.Inner(s, "result"); r.w.HasCall(id) && result != "" {
			r.w.Call(transcript.ToolPatch{ID: id, Content: &[]transcript.Content{sessionfiles.Said(result)}})
		}
		return nil
	case meta:
		return nil
	case strings.Contains(s, "<command-name>"):
		if err := begin(); err != nil {
			return err
		}
		r.w.Text(strings.TrimSpace(sessionfiles.Inner(s, "command-name") + " " + sessionfiles.Inner(s, "command-args")))
		return nil
	case strings.HasPrefix(s, "<bash-input>"):
		if err := begin(); err != nil {
			return err
		}
		r.w.Text("! " + sessionfiles.Inner(s, "bash-input"))
		return nil
	case beside([]byte(s[:min(len(s), 64)])):
		out := strings.TrimSpace(sessionfiles.Inner(s, "local-command-stdout") + sessionfiles.Inner(s, "local-command-stderr") + sessionfiles.Inner(s, "bash-stdout") + sessionfiles.Inner(s, "bash-stderr"))
		if out == "" {
			return nil
		}
		if err := r.w.Turn(key, ""); err != nil {
			return err
		}
		r.w.Remark(out)
		return nil
	}
	if strings.TrimSpace(s) == "" {
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	r.w.Text(s)
	return nil
}

// system writes what Claude Code itself has noted.
func (r *reader) system(key string, o sessionfiles.Object) error {
	switch plain(o["subtype"]) {
	case "compact_boundary":
		if err := r.w.Turn(key, ""); err != nil {
			return err
		}
		r.w.Says(sessionfiles.Compacted)
	case "api_error", "local_command":
		s := o.Text("content")
		if out := sessionfiles.Inner(s, "local-command-stdout"); out != "" {
			s = out
		}
		if s = strings.TrimSpace(s); s == "" || r.w.MessageID() == "" || strings.Contains(s, "<command-name>") {
			return nil
		}
		if err := r.w.Turn(key, ""); err != nil {
			return err
		}
		r.w.Remark(s)
	}
	return nil
}

// attachment writes a file that goes along with a prompt, and a prompt that was sent during a turn.
func (r *reader) attachment(key string, o sessionfiles.Object) error {
	a := sessionfiles.Members(o["attachment"])
	switch plain(a["type"]) {
	case "queued_command":
		if mode := a.Text("commandMode"); mode != "" && mode != "prompt" {
			return nil
		}
		prompt := a["prompt"]
		s := allText(prompt)
		if s == "" || beside([]byte(s[:min(len(s), 64)])) {
			return nil
		}
		if err := r.w.Prompt(key); err != nil {
			return err
		}
		r.w.Text(s)
		for _, block := range scan.Elements(prompt) {
			if b := sessionfiles.Members(block); plain(b["type"]) == "image" {
				r.w.Block(picture(block, b))
			}
		}
	case "file", "compact_file_reference", "pdf_reference", "directory", "selected_lines_in_ide", "opened_file_in_ide":
		path := a.Text("filename", "path", "displayPath")
		if path == "" || r.w.MessageID() == "" || plain(a["type"]) == "opened_file_in_ide" || !r.w.Prompting() {
			return nil
		}
		path = sessionfiles.Absolute(path, r.folder)
		r.w.Block(sessionfiles.Link(sessionfiles.Short(path, r.folder), "file://"+path, ""))
	}
	return nil
}

// picture returns a block with data, or the block as it is.
func picture(block []byte, b sessionfiles.Object) transcript.Content {
	source := sessionfiles.Members(b["source"])
	if c, ok := sessionfiles.Picture(source.Text("media_type"), sessionfiles.Text(source["data"])); ok {
		return c
	}
	if url := source.Text("url"); strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return sessionfiles.Link(b.Text("title"), url, source.Text("media_type"))
	}
	return transcript.Content{Type: "unknown", Name: plain(b["type"]), Raw: sessionfiles.Value(block)}
}
