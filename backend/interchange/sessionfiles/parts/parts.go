// Package parts reads what Gemini CLI and Qwen Code, which came from it, have in common: messages of parts as Google's
// API has them, and what their tools show.
package parts

import (
	"strings"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// Words are texts that the program has put into a prompt, by how they begin.
var Words = []string{"<session_context>", "<system-reminder>", "<task-notification>", "<environment_context>"}

// Said returns the text of a message: a string, or all texts of its parts.
func Said(content []byte) string {
	if s := sessionfiles.Text(content); s != "" {
		return s
	}
	var all []string
	for _, part := range scan.Elements(content) {
		p := sessionfiles.Members(part)
		if s := p.Text("text"); s != "" && !sessionfiles.Truth(p["thought"]) {
			all = append(all, s)
		}
	}
	return strings.Join(all, "\n")
}

// Foreign reports whether a text was put into a prompt by the program.
func Foreign(s string) bool {
	s = strings.TrimSpace(s)
	for _, word := range Words {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return s == ""
}

// Write writes the texts, thoughts, pictures and calls of a message. folder is what paths are shortened by.
func Write(w *sessionfiles.Writer, content []byte, folder string) {
	if s := sessionfiles.Text(content); s != "" {
		w.Text(s)
		return
	}
	for _, part := range scan.Elements(content) {
		p := sessionfiles.Members(part)
		switch {
		case p["functionCall"] != nil:
			c := sessionfiles.Members(p["functionCall"])
			Call(w, c.Text("id"), c.Text("name"), c["args"], "", folder)
		case p["inlineData"] != nil:
			d := sessionfiles.Members(p["inlineData"])
			if c, ok := sessionfiles.Picture(d.Text("mimeType"), sessionfiles.Text(d["data"])); ok {
				w.Block(c)
			} else {
				w.Block(transcript.Content{Type: "unknown", Name: "inlineData", Raw: sessionfiles.Value(part)})
			}
		case p["fileData"] != nil:
			d := sessionfiles.Members(p["fileData"])
			if uri := d.Text("fileUri"); uri != "" {
				w.Block(sessionfiles.Link(d.Text("displayName"), uri, d.Text("mimeType")))
			}
		case sessionfiles.Truth(p["thought"]):
			w.Thought(p.Text("text"))
		case p["text"] != nil:
			w.Text(sessionfiles.Text(p["text"]))
		}
	}
}

// Call writes a tool call. title is what the program shows of it, "" if that isn't known.
func Call(w *sessionfiles.Writer, id, name string, args []byte, title, folder string) {
	if name == "" {
		name = "tool"
	}
	if id == "" {
		id = w.Unnamed(name)
	}
	asked := sessionfiles.Members(args).Asked()
	kind := sessionfiles.KindOf(name)
	shown := sessionfiles.TitleOf(name, kind, asked, folder)
	if shown == name && title != "" {
		shown = name + " " + title
	}
	running := transcript.StatusRunning
	p := transcript.ToolPatch{ID: id, Announced: true, Name: &name, Title: &shown, Kind: &kind, Status: &running, Input: sessionfiles.Value(args)}
	if asked.Path != "" && kind != "execute" {
		p.Locations = &[]transcript.Location{{Path: sessionfiles.Absolute(asked.Path, folder)}}
	}
	w.Call(p)
}

// Result writes how a call has ended. status is the program's word for that, display what it shows of the result.
func Result(w *sessionfiles.Writer, id, status string, response, display []byte, folder string) {
	if !w.Result(id) {
		return
	}
	end := transcript.StatusCompleted
	r := sessionfiles.Members(response)
	p := transcript.ToolPatch{ID: id, Status: &end}
	text := r.Text("output")
	if problem := r.Text("error"); problem != "" {
		end, text = transcript.StatusFailed, problem
		p.Error = &problem
	}
	switch status {
	case "error":
		end = transcript.StatusFailed
	case "cancelled", "canceled":
		end, p.Error = transcript.StatusCancelled, nil
		if strings.Contains(text, "rejected") || strings.Contains(text, "denied") {
			end = transcript.StatusRejected
		}
	}
	content := shown(display, folder)
	if len(content) == 0 || end == transcript.StatusFailed {
		content = nil
		if text = output(text); text != "" {
			content = append(content, sessionfiles.Said(text))
		}
	}
	for _, part := range scan.Elements(r["content"]) {
		d := sessionfiles.Members(sessionfiles.Members(part)["inlineData"])
		if c, ok := sessionfiles.Picture(d.Text("mimeType"), sessionfiles.Text(d["data"])); ok {
			content = append(content, c)
		}
	}
	if len(content) > 0 {
		p.Content = &content
	}
	w.Call(p)
}

// output returns what a command printed, without what the programs write around it for the model.
func output(s string) string {
	if inner, ok := strings.CutPrefix(s, "<untrusted_context>\n"); ok {
		s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(inner), "</untrusted_context>"), "\n")
	}
	rest, ok := strings.CutPrefix(s, "Command: ")
	if !ok {
		rest, ok = strings.CutPrefix(s, "Output: ")
		if !ok {
			return s
		}
		rest = "\nOutput: " + rest
	}
	_, rest, ok = strings.Cut(rest, "\nOutput: ")
	if !ok {
		return s
	}
	body, _, ok := strings.Cut(rest, "\nError: ")
	if !ok {
		body, _, _ = strings.Cut(rest, "\nProcess Group PGID: ")
	}
	return body
}

// shown returns what a program shows of a result: the diff of an edit, or what a command printed.
func shown(display []byte, folder string) []transcript.Content {
	d := sessionfiles.Members(display)
	if diff := d.Text("fileDiff"); diff != "" {
		path := sessionfiles.Absolute(d.Text("filePath", "fileName"), folder)
		list := sessionfiles.Diffs(diff, folder)
		for i := range list {
			list[i].Path = path
			list[i].NewFile = list[i].NewFile || strings.Contains(diff, "\n@@ -0,0 ")
		}
		return list
	}
	if sessionfiles.Text(d["type"]) == "shell_result" {
		if s := d.Text("output", "text"); s != "" {
			return []transcript.Content{sessionfiles.Said(s)}
		}
	}
	return nil
}
