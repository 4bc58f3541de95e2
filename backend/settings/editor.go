package settings

import "weft/backend/editor"

// Editor says which editor opens files.
type Editor struct {
	// Use is "auto" (also when empty), the id of a known editor, "env" ($VISUAL or $EDITOR) or "custom".
	Use string `json:"use,omitempty"`
	// Command is the program and its arguments for "custom", with {path}, {line} and {column}.
	Command string `json:"command,omitempty"`
}

// CheckEditor returns what is wrong with an editor: a *Problem without a place, or nil.
func CheckEditor(e Editor) error {
	d := &decoder{}
	d.checkEditor(e, nil)
	if d.problem != nil {
		return invalid(d.problem.without(""))
	}
	return nil
}

func (d *decoder) editor(n *node, into *Editor) {
	if !d.object(n, field{key: "editor"}) {
		return
	}
	d.text(n.get("use"), "use", &into.Use)
	d.text(n.get("command"), "command", &into.Command)
}

func (d *decoder) checkEditor(e Editor, n *node) {
	d.oneOf(n.get("use"), "use", e.Use, append([]string{""}, editor.Uses()...))
	at := n.get("command")
	if at == nil {
		at = n
	}
	// One that is kept for later has to be valid as well.
	if e.Use == editor.Custom || e.Command != "" {
		if wrong := editor.CheckCommand(e.Command); wrong != "" {
			d.fail(at, "{{wrong}}", wrong)
		}
	}
}
