package claude

import (
	"strconv"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// call writes a tool call, and what a sub-agent has done for it where a file says so.
func (r *reader) call(b sessionfiles.Object) error {
	id, name := b.Text("id"), b.Text("name")
	if id == "" {
		id = r.w.CallID()
	}
	if name == "" {
		name = "tool"
	}
	input := sessionfiles.Members(b["input"])
	asked := input.Asked()
	kind := sessionfiles.KindOf(name)
	title := sessionfiles.TitleOf(shownName(name), kind, asked, r.folder)
	if name == "Bash" && asked.Command == "" {
		title = sessionfiles.TitleOf(name, "other", asked, r.folder)
	}
	running := transcript.StatusRunning
	p := transcript.ToolPatch{ID: id, Announced: true, Name: &name, Title: &title, Kind: &kind, Status: &running, Input: sessionfiles.Value(b["input"])}
	if asked.Path != "" && kind != "execute" {
		at := transcript.Location{Path: asked.Path}
		if n, ok := scan.Integer(input["offset"]); ok && n > 0 {
			at.Line = &n
		}
		p.Locations = &[]transcript.Location{at}
	}
	r.w.Call(p)
	if name != "Task" && name != "Agent" {
		return nil
	}
	return r.subAgent(id, input.Text("prompt"))
}

// shownName returns the name of a tool as a user reads it.
func shownName(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return name
	}
	server, tool, ok := strings.Cut(rest, "__")
	if !ok {
		return rest
	}
	return server + ": " + tool
}

// refused begins what Claude Code answers for a call that the user has rejected.
const refused = "The user doesn't want to "

// bare returns a text without the tags of an error.
func bare(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(s, "<tool_use_error>"), "</tool_use_error>")
}

// result writes the result of a tool call. entry is the entry that it is in, nil if there is no more to it.
func (r *reader) result(b, entry sessionfiles.Object) {
	id := b.Text("tool_use_id")
	if !r.w.Result(id) {
		return
	}
	status := transcript.StatusCompleted
	var content []transcript.Content
	text := bare(sessionfiles.Text(b["content"]))
	if text != "" {
		content = append(content, sessionfiles.Said(text))
	}
	for _, block := range scan.Elements(b["content"]) {
		one := sessionfiles.Members(block)
		switch plain(one["type"]) {
		case "text":
			s := bare(sessionfiles.Text(one["text"]))
			if text == "" {
				text = s
			}
			content = append(content, sessionfiles.Said(s))
		case "tool_reference":
			content = append(content, sessionfiles.Said(one.Text("tool_name")))
		default:
			if one != nil {
				content = append(content, picture(block, one))
			}
		}
	}
	p := transcript.ToolPatch{ID: id, Status: &status}
	if sessionfiles.Truth(b["is_error"]) {
		status = transcript.StatusFailed
		p.Error = &text
		if strings.HasPrefix(text, refused) || strings.HasPrefix(text, "Permission to use") {
			status = transcript.StatusRejected
		}
		if strings.HasPrefix(text, interrupted) {
			status, p.Error = transcript.StatusCancelled, nil
		}
	}
	if entry != nil {
		more := sessionfiles.Members(entry["toolUseResult"])
		if shown := shownResult(more); len(shown) > 0 && status == transcript.StatusCompleted {
			content = shown
		}
		if agent := more.Text("agentId"); agent != "" {
			r.subAgentFile(id, agent)
		}
	}
	if len(content) > 0 {
		p.Content = &content
	}
	r.w.Call(p)
}

// shownResult returns what Claude Code shows in place of what the model was told: diffs, and files without the numbers
// of their lines.
func shownResult(more sessionfiles.Object) []transcript.Content {
	path := more.Text("filePath")
	if path == "" && more.Text("notebook_path") != "" {
		before, there := scan.Text(more["original_file"])
		after, written := scan.Text(more["updated_file"])
		if !written || more.Text("error") != "" {
			return nil
		}
		return []transcript.Content{{Type: "diff", Path: more.Text("notebook_path"), OldText: before, NewText: after, NewFile: !there}}
	}
	if path == "" {
		file := sessionfiles.Members(more["file"])
		if plain(more["type"]) != "text" || file == nil {
			return nil
		}
		if s := sessionfiles.Text(file["content"]); s != "" {
			return []transcript.Content{sessionfiles.Said(s)}
		}
		return nil
	}
	var list []transcript.Content
	for _, hunk := range scan.Elements(more["structuredPatch"]) {
		h := sessionfiles.Members(hunk)
		at, _ := strconv.Atoi(string(h["oldStart"]))
		before, after := sides(h["lines"])
		list = append(list, transcript.Content{Type: "diff", Path: path, OldText: before, NewText: after, Line: max(at, 0)})
	}
	if len(list) > 0 {
		return list
	}
	if content, ok := scan.Text(more["content"]); ok && scan.Null(more["originalFile"]) { // a new file
		return []transcript.Content{{Type: "diff", Path: path, NewText: content, NewFile: true}}
	}
	if after, ok := scan.Text(more["newString"]); ok {
		return []transcript.Content{{Type: "diff", Path: path, OldText: sessionfiles.Text(more["oldString"]), NewText: after}}
	}
	return nil
}

// sides returns the two sides of a hunk.
func sides(lines []byte) (before, after string) {
	var a, b strings.Builder
	for _, l := range scan.Elements(lines) {
		s := sessionfiles.Text(l)
		if s == "" {
			s = " "
		}
		switch s[0] {
		case '-':
			a.WriteString(s[1:] + "\n")
		case '+':
			b.WriteString(s[1:] + "\n")
		case ' ':
			a.WriteString(s[1:] + "\n")
			b.WriteString(s[1:] + "\n")
		}
	}
	return a.String(), b.String()
}
