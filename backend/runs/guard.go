package runs

import (
	"maps"

	"github.com/go-json-experiment/json"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/terminal"
	"weft/backend/transcript"
)

// refusedBy is what an agent is told of a wish that ended so, nil if it is allowed.
func refusedBy(how transcript.Resolution) error {
	by := how.By
	switch {
	case by != nil && by.Effect == string(permission.Allow), by == nil && how.Outcome == "selected" && how.OptionID == permitOptions[0].ID:
		return nil
	case by != nil && by.Who == "mode" && by.AskedBy != "":
		return &Error{Code: "read_only", Message: "You were asked by " + by.AskedBy + ", which is read-only, so nothing was changed."}
	case by != nil && by.Who == "mode":
		return &Error{Code: "read_only", Message: "This space is read-only, so nothing was changed. The user can change that below the prompt."}
	case by != nil && by.Who == "rule":
		return &Error{Code: "refused", Message: "A rule of the user rejects this, so it was not done."}
	case by != nil && by.Who != "answered":
		return &Error{Code: "cancelled", Message: "The user did not answer, so this was not done."}
	}
	return &Error{Code: "refused", Message: "The user did not allow this, so it was not done."}
}

// writeWish is the wish to write a file.
func (l *link) writeWish(path, text string) *wish {
	old, fresh := l.current(path)
	key, title := l.path(path), "Write "+path
	diff := transcript.Content{Type: "diff", Path: path, OldText: old, NewText: text, NewFile: fresh}
	w := &wish{
		Action: actions.Action{Kind: actions.Edit, Files: []string{key}, Changes: []actions.Change{{Path: key, Old: old, New: text, Fresh: fresh}}},
		call:   permission.Call{Kind: "edit", Title: "fs/write_text_file", Paths: []string{key}, Diffs: []string{key}},
		row:    transcript.ToolPatch{Title: &title, Content: &[]transcript.Content{diff}, Locations: &[]transcript.Location{{Path: path}}},
		size:   len(text) + len(old),
	}
	w.now = func() string {
		now, _ := l.current(path)
		return now
	}
	return w
}

// current returns the text that a file has before it is written. fresh reports that the file does not exist or has no text to show.
func (l *link) current(path string) (text string, fresh bool) {
	text, err := l.files.ReadText(path, 0, 0)
	return text, err != nil
}

// readWish is the wish to read a file.
func (l *link) readWish(path string) *wish {
	title := "Read " + path
	key := l.path(path)
	return &wish{
		Action: actions.Action{Kind: actions.Read, Files: []string{key}},
		call:   permission.Call{Kind: "read", Title: "fs/read_text_file", Paths: []string{key}},
		row:    transcript.ToolPatch{Title: &title, Locations: &[]transcript.Location{{Path: path}}},
	}
}

// runWish is the wish to run a command. What rules and the user get to see is what will be started: the program with its arguments, or
// the line for a shell, the folder, and the variables that matter.
func (l *link) runWish(spec terminal.Spec) (*wish, error) {
	input := map[string]any{"command": spec.Command}
	if len(spec.Args) > 0 {
		input["command"] = append([]string{spec.Command}, spec.Args...)
	}
	w := &wish{Action: actions.Action{Kind: actions.Execute, Command: actions.CommandKey(spec.Command, spec.Args), Dir: l.path(spec.Dir)}}
	if w.Dir != l.path("") {
		input["cwd"] = spec.Dir
	}
	env := maps.Clone(spec.Env)
	maps.DeleteFunc(env, permission.QuietVariable)
	if len(env) > 0 {
		input["env"] = env
		w.Command = "" // no request of the agent has shown these
	}
	raw, err := json.Marshal(input, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	title := spec.Line()
	w.call = permission.Call{Kind: "execute", Title: "terminal/create", Input: raw}
	w.row, w.size = transcript.ToolPatch{Title: &title}, len(raw)
	return w, nil
}

// path returns a path of the space's folder in the form in which actions compare it.
func (l *link) path(path string) string { return actions.Path(l.s.space.Folder, path) }
