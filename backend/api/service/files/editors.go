package files

import (
	"context"
	"os"
	"runtime"
	"strings"

	"weft/backend/agent"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/desktop/editor"
	"weft/backend/files/workspace"
	"weft/backend/settings"
	"weft/backend/store"
)

type (
	// Editor is an editor whose command line Weft knows.
	Editor struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Found bool   `json:"found"` // on the machine where Weft runs
	}
	// EditorSettings has the chosen editor and the known ones.
	EditorSettings struct {
		Use       string   `json:"use"`       // auto, the id of an editor, env ($VISUAL or $EDITOR), custom
		Command   string   `json:"command"`   // if Use is custom
		Automatic string   `json:"automatic"` // name of the editor that auto opens; empty: none found
		Editors   []Editor `json:"editors"`
	}
	// SaveEditorRequest chooses the editor.
	SaveEditorRequest struct {
		Use     string `json:"use"`
		Command string `json:"command,omitzero"` // for custom: a program and its arguments, with {path}, {line} and {column}
	}
	// OpenRequest names a place in a file of a space.
	OpenRequest struct {
		SpaceID string `json:"spaceId"`
		Path    string `json:"path"`            // absolute, or relative to the space's folder
		Line    int    `json:"line,omitzero"`   // from 1; 0: none
		Column  int    `json:"column,omitzero"` // from 1; 0: none
	}
	// OpenedEditor is the started editor.
	OpenedEditor struct {
		Name string `json:"name"`
	}
)

// Editors starts the user's editor.
type Editors struct {
	store    *store.Store
	settings *settings.File
	paths    *agent.Paths
}

// NewEditors returns the editors of this machine.
func NewEditors(st *store.Store, file *settings.File) *Editors {
	return &Editors{store: st, settings: file, paths: agent.DefaultPaths()}
}

// Editors returns the chosen editor and the known editors.
func (s *Editors) Editors(ctx context.Context, _ command.None) (EditorSettings, error) {
	m, now := s.machine(ctx), s.settings.Get().Editor
	out := EditorSettings{Use: now.Use, Command: now.Command, Editors: []Editor{}}
	if out.Use == "" {
		out.Use = editor.Auto
	}
	_, out.Automatic = m.Automatic()
	for _, k := range editor.All() {
		out.Editors = append(out.Editors, Editor{ID: k.ID, Name: k.Name, Found: m.Find(k) != ""})
	}
	return out, nil
}

// SaveEditor sets the editor that opens files. Weft keeps a custom command even if another editor is chosen.
func (s *Editors) SaveEditor(ctx context.Context, req SaveEditorRequest) (EditorSettings, error) {
	chosen := settings.Editor{Use: req.Use, Command: strings.TrimSpace(req.Command)}
	if chosen.Use == editor.Auto {
		chosen.Use = ""
	}
	if err := settings.CheckEditor(chosen); err != nil {
		return EditorSettings{}, err
	}
	if err := s.settings.Update(func(now *settings.Settings) error {
		now.Editor = chosen
		return nil
	}); err != nil {
		return EditorSettings{}, err
	}
	return s.Editors(ctx, command.None{})
}

// OpenInEditor opens a file in the space's folder with the user's editor, on the machine where Weft runs. It returns
// when the editor has exited or has run for a second. Errors: outside, not_found, is_directory, not_text (not a regular
// file), editor_missing, editor_failed.
func (s *Editors) OpenInEditor(ctx context.Context, req OpenRequest) (OpenedEditor, error) {
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return OpenedEditor{}, err
	}
	if req.Path == "" || req.Line < 0 || req.Column < 0 {
		return OpenedEditor{}, fault.New(fault.Invalid, "A path and a line and column, counted from 1, are required.")
	}
	path, err := in(space.Folder, func(files *workspace.Files) (string, error) { return files.Locate(req.Path) })
	if err != nil {
		return OpenedEditor{}, err
	}
	m := s.machine(ctx)
	cmd, err := m.Command(editor.Choice(s.settings.Get().Editor), editor.Place{Path: path, Line: req.Line, Column: req.Column})
	if err != nil {
		return OpenedEditor{}, err
	}
	// Don't start it in the space's folder, whose files could change what a program does.
	if err := editor.Start(ctx, cmd, m.Home); err != nil {
		return OpenedEditor{}, err
	}
	return OpenedEditor{Name: cmd.Name}, nil
}

func (s *Editors) machine(ctx context.Context) editor.Machine {
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return editor.Machine{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, Look: func(name string) string {
		path, err := s.paths.Look(ctx, name)
		if err != nil {
			return ""
		}
		return path
	}}
}
