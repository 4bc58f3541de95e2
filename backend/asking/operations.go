package asking

import (
	"maps"

	"github.com/go-json-experiment/json"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/permission/shell"
	"weft/backend/requests"
	"weft/backend/terminal"
	"weft/backend/transcript"
)

// Folder is the folder of a space, in which Weft does things for an agent.
type Folder struct {
	Path string
	// Text returns the text of a file. It reads the disk.
	Text func(path string) (string, error)
}

// Write returns the operation that writes a file. It reads the disk.
func (f Folder) Write(path, text string) *requests.Operation {
	old, fresh := f.current(path)
	key, title := f.Key(path), "Write "+path
	diff := transcript.Content{Type: "diff", Path: path, OldText: old, NewText: text, NewFile: fresh}
	o := &requests.Operation{
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

// current returns the text that a file has before it is written. fresh reports that the file does not exist or has no text to show.
func (f Folder) current(path string) (text string, fresh bool) {
	text, err := f.Text(path)
	return text, err != nil
}

// Read returns the operation that reads a file.
func (f Folder) Read(path string) *requests.Operation {
	title := "Read " + path
	key := f.Key(path)
	return &requests.Operation{
		Action: actions.Action{Kind: actions.Read, Files: []string{key}},
		Call:   permission.Call{Kind: "read", Title: "fs/read_text_file", Titled: true, Paths: []string{key}},
		Row:    transcript.ToolPatch{Title: &title, Locations: &[]transcript.Location{{Path: path}}},
	}
}

// Run returns the operation that runs a command. What rules and the user get to see is what will be started: the program with its arguments, or
// the line for a shell, the folder, and the variables that matter.
func (f Folder) Run(spec terminal.Spec) (*requests.Operation, error) {
	input := map[string]any{"command": spec.Command}
	if len(spec.Args) > 0 {
		input["command"] = append([]string{spec.Command}, spec.Args...)
	}
	run, said, ok := actions.RunOf(f.Path, spec.Dir, spec.Command, spec.Args, spec.Env)
	o := &requests.Operation{Action: actions.Action{Kind: actions.Execute, Said: said}}
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

// Key returns a path of the folder in the form in which actions compare it.
func (f Folder) Key(path string) string { return actions.Path(f.Path, path) }
