package requests

import (
	"maps"

	"github.com/go-json-experiment/json"

	"weft/backend/agent/terminal"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/permission/shell"
)

// Folder is a space's folder in which Weft does something for an agent.
type Folder struct {
	Path string
	// Text returns the text of a file from disk.
	Text func(path string) (string, error)
}

// Write returns the operation that writes a file. It reads the disk.
func (f Folder) Write(path, text string) *Operation {
	old, fresh := f.current(path)
	key, title := f.Key(path), "Write "+path
	diff := transcript.Content{Type: "diff", Path: path, OldText: old, NewText: text, NewFile: fresh}
	o := &Operation{
		Action: actions.Action{Kind: actions.Edit, Files: []string{key}, Changes: []actions.Change{{Path: key, Old: old, New: text, Fresh: fresh}}},
		Call:   permission.Call{Kind: "edit", Title: "fs/write_text_file", Titled: true, Paths: []string{key}, Diffs: []string{key}},
		Row:    transcript.ToolPatch{Title: &title, Content: &[]transcript.Content{diff}, Locations: &[]transcript.Location{{Path: path}}},
		Size:   len(text) + len(old),
	}
	o.Now = func() string {
		now, _ := f.current(path)
		return now
	}
	return o
}

// current returns the text that a file has before the write. fresh reports that the file doesn't exist or isn't text.
func (f Folder) current(path string) (text string, fresh bool) {
	text, err := f.Text(path)
	return text, err != nil
}

// Read returns the operation that reads a file.
func (f Folder) Read(path string) *Operation {
	title := "Read " + path
	key := f.Key(path)
	return &Operation{
		Action: actions.Action{Kind: actions.Read, Files: []string{key}},
		Call:   permission.Call{Kind: "read", Title: "fs/read_text_file", Titled: true, Paths: []string{key}},
		Row:    transcript.ToolPatch{Title: &title, Locations: &[]transcript.Location{{Path: path}}},
	}
}

// Run returns the operation that runs a command. Rules and the user see what will be started: the program with its
// arguments, or the line for a shell, the working directory, and the environment variables that matter.
func (f Folder) Run(spec terminal.Spec) (*Operation, error) {
	input := map[string]any{"command": spec.Command}
	if len(spec.Args) > 0 {
		input["command"] = append([]string{spec.Command}, spec.Args...)
	}
	run, said, ok := actions.RunOf(permission.Place{Folder: f.Path}, spec.Dir, spec.Command, spec.Args, spec.Env)
	o := &Operation{Action: actions.Action{Kind: actions.Execute, Said: said}}
	if ok {
		o.Runs = []actions.Run{run}
	}
	if f.Key(spec.Dir) != f.Key("") {
		input["cwd"] = spec.Dir
	}
	env := maps.Clone(spec.Env)
	maps.DeleteFunc(env, shell.QuietVariable)
	if len(env) > 0 {
		input["env"] = env
	}
	raw, err := json.Marshal(input, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	title := spec.Line()
	o.Call = permission.Call{Kind: "execute", Title: "terminal/create", Titled: true, Input: raw}
	o.Row, o.Size = transcript.ToolPatch{Title: &title}, len(raw)
	return o, nil
}

// Key returns a path of the folder in the form in which actions compare paths.
func (f Folder) Key(path string) string { return actions.Path(f.Path, path) }
