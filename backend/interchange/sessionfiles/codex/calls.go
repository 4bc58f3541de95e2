package codex

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// call writes a tool call.
func (r *reader) call(what string, p sessionfiles.Object) {
	id, name := p.Text("call_id", "id"), p.Text("name")
	running := transcript.StatusRunning
	patch := transcript.ToolPatch{ID: id, Announced: true, Status: &running}
	var asked sessionfiles.Asked
	switch what {
	case "local_shell_call":
		name = "shell"
		action := sessionfiles.Members(p["action"])
		asked.Command = sessionfiles.Command(action["command"])
		patch.Input = sessionfiles.Value(p["action"])
	case "tool_search_call":
		name = "tool_search"
		patch.Input = sessionfiles.Value(p["arguments"])
		asked = sessionfiles.Members(p["arguments"]).Asked()
	case "custom_tool_call":
		patch.Input = jsontext.Value(`{"input":` + string(quoted(p.Text("input"))) + `}`)
	default:
		arguments := []byte(p.Text("arguments"))
		if !scan.Valid(arguments) {
			arguments = []byte(`{"arguments":` + string(quoted(string(arguments))) + `}`)
		}
		patch.Input = sessionfiles.Value(arguments)
		o := sessionfiles.Members(arguments)
		asked = o.Asked()
		if asked.Description == "" {
			asked.Description = o.Text("explanation", "message")
		}
	}
	if id == "" {
		id = r.w.CallID()
		patch.ID = id
	}
	if name == "" {
		name = "tool"
	}
	kind := sessionfiles.KindOf(name)
	title := sessionfiles.TitleOf(name, kind, asked, r.meta.Folder)
	if diffs := r.diffs(name, p.Text("input"), asked.Command); len(diffs) > 0 {
		kind, title = "edit", "Edit "+sessionfiles.Short(diffs[0].Path, r.meta.Folder)
		if n := files(diffs); n > 1 {
			title = "Edit " + strconv.Itoa(n) + " files"
		}
		patch.Content = &diffs
		r.patchs[id] = true
	}
	patch.Name, patch.Title, patch.Kind = &name, &title, &kind
	r.w.Call(patch)
}

// diffs returns the diffs of a patch that a call applies.
func (r *reader) diffs(name, input, command string) []transcript.Content {
	if name == "apply_patch" {
		return sessionfiles.Diffs(input, r.meta.Folder)
	}
	if i := strings.Index(command, "*** Begin Patch"); i >= 0 {
		text := command[i:]
		if end := strings.Index(text, "*** End Patch"); end >= 0 {
			text = text[:end] + "*** End Patch"
		}
		return sessionfiles.Diffs(text, r.meta.Folder)
	}
	return nil
}

// files counts the files of diffs.
func files(diffs []transcript.Content) int {
	paths := map[string]bool{}
	for i := range diffs {
		paths[diffs[i].Path] = true
	}
	return len(paths)
}

// hosted writes a call that the model's provider has made.
func (r *reader) hosted(key, what string, p sessionfiles.Object) {
	done := transcript.StatusCompleted
	id := p.Text("id")
	if id == "" {
		id = what + " " + key
	}
	action := sessionfiles.Members(p["action"])
	name, kind := "web_search", "search"
	asked := action.Asked()
	if asked.URL != "" {
		kind = "fetch"
	}
	patch := transcript.ToolPatch{ID: id, Announced: true, Name: &name, Kind: &kind, Status: &done, Input: sessionfiles.Value(p["action"])}
	if what == "image_generation_call" {
		name, kind = "image_generation", "other"
		if c, ok := sessionfiles.Picture("image/png", p.Text("result")); ok {
			patch.Content = &[]transcript.Content{c}
		}
		asked.Description = p.Text("revised_prompt")
	}
	title := sessionfiles.TitleOf(name, kind, asked, r.meta.Folder)
	patch.Title = &title
	r.w.Call(patch)
}

// output writes the result of a call.
func (r *reader) output(p sessionfiles.Object) error {
	id := p.Text("call_id")
	if !r.w.Result(id) {
		return nil
	}
	text, content := outputOf(p["output"])
	if content == nil && p["tools"] != nil { // what a search for tools has found
		for _, tool := range scan.Elements(p["tools"]) {
			content = append(content, sessionfiles.Said(sessionfiles.Members(tool).Text("name")))
		}
	}
	status := transcript.StatusCompleted
	patch := transcript.ToolPatch{ID: id, Status: &status}
	text, exit := unwrapped(text)
	switch {
	case exit != 0:
		status = transcript.StatusFailed
		why := "Exited with code " + strconv.Itoa(exit)
		patch.Error = &why
	case strings.HasPrefix(text, "apply_patch verification failed"), strings.HasPrefix(text, "failed to parse"), strings.HasPrefix(text, "execution error"), strings.HasPrefix(text, "unsupported call"):
		status = transcript.StatusFailed
		patch.Error = &text
	case strings.HasPrefix(text, "aborted by user"):
		status = transcript.StatusCancelled
	case strings.HasPrefix(text, "exec command rejected by user"), strings.HasPrefix(text, "patch rejected by user"), strings.HasPrefix(text, "rejected by user"):
		status = transcript.StatusRejected
	}
	if text != "" {
		content = append([]transcript.Content{sessionfiles.Said(text)}, content...)
	}
	if len(content) > 0 && (!r.patchs[id] || status == transcript.StatusFailed) {
		patch.Content = &content
	}
	r.w.Call(patch)
	if o := sessionfiles.Members([]byte(text)); o != nil && scan.Valid([]byte(text)) {
		return r.subAgent(id, o.Text("agent_id"))
	}
	return nil
}

// outputOf returns the text of an output and what else is in it. Older versions keep it as JSON in a text.
func outputOf(v []byte) (text string, content []transcript.Content) {
	if s := sessionfiles.Text(v); s != "" {
		if strings.HasPrefix(s, `{"output":`) && scan.Valid([]byte(s)) {
			o := sessionfiles.Members([]byte(s))
			text = o.Text("output")
			if code := string(sessionfiles.Members(o["metadata"])["exit_code"]); code != "" && code != "0" {
				text = "Process exited with code " + code + "\nOutput:\n" + text
			}
			return text, nil
		}
		return s, nil
	}
	if o := sessionfiles.Members(v); o != nil {
		return o.Text("content"), nil
	}
	for _, part := range scan.Elements(v) {
		p := sessionfiles.Members(part)
		if mime, data, ok := sessionfiles.DataURL(p.Text("image_url")); ok {
			if c, ok := sessionfiles.Picture(mime, data); ok {
				content = append(content, c)
				continue
			}
		}
		if s := p.Text("text"); s != "" {
			content = append(content, sessionfiles.Said(s))
		}
	}
	return "", content
}

// unwrapped returns what a command printed, without the lines that Codex puts before it, and its exit code.
func unwrapped(s string) (text string, exit int) {
	head, body, ok := strings.Cut(s, "\nOutput:\n")
	if !ok || strings.Count(head, "\n") > 8 {
		return s, 0
	}
	for l := range strings.Lines(head) {
		l = strings.TrimSpace(l)
		code, found := strings.CutPrefix(l, "Process exited with code ")
		if !found {
			code, found = strings.CutPrefix(l, "Exit code: ")
		}
		if found {
			exit, _ = strconv.Atoi(code)
		}
	}
	return body, exit
}
