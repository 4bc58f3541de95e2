package settings

import "weft/backend/desktop/editor"

// Editor is the editor that opens files.
type Editor struct {
	// Use is "auto" (also when empty), the id of a known editor, "env" ($VISUAL or $EDITOR) or "custom".
	Use string `json:"use,omitempty"`
	// Command is the program and its arguments for "custom", with {path}, {line} and {column}.
	Command string `json:"command,omitempty"`
}

// CheckEditor checks an editor. The error is a *Problem without a position, or nil.
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
	// A command that isn't in use must be valid too.
	if e.Use == editor.Custom || e.Command != "" {
		if wrong := editor.CheckCommand(e.Command); wrong != "" {
			d.fail(at, "{{wrong}}", wrong)
		}
	}
}
