package agentcalls

import (
	"slices"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// rows are the calls that are shown although the agent has not shown them as such: what Weft was asked to do, and what only a permission request was about. An
// agent may show the same as a call of its own later, with another id; that is shown there. One act is one row.
type rows struct {
	open    []row
	same    map[string]string // calls of the agent that are shown in rows, by their ids
	earlier map[string]string // of the run before
}

// row is one that no call of the agent is known to be.
type row struct {
	id     string
	action *actions.Action
}

// maxRows is how many rows of a turn are kept.
const maxRows = 256

// add notes a row.
func (r *rows) add(id string, action *actions.Action) {
	if action != nil && len(r.open) < maxRows && r.index(id) < 0 {
		r.open = append(r.open, row{id: id, action: action})
	}
}

func (r *rows) index(id string) int {
	return slices.IndexFunc(r.open, func(one row) bool { return one.id == id })
}

// known returns the id under which a call of the agent is shown. Fresh says that the agent shows it as a new one, to which what it reports from now on belongs.
func (r *rows) known(id string, fresh bool) string {
	if to, ok := r.same[id]; ok {
		return to
	}
	if fresh {
		delete(r.earlier, id)
	}
	if to, ok := r.earlier[id]; ok {
		return to
	}
	return id
}

// join shows a call of the agent in a row from now on.
func (r *rows) join(i int, id string) {
	if r.same == nil {
		r.same = map[string]string{}
	}
	r.same[id] = r.open[i].id
	r.open = slices.Delete(r.open, i, i+1)
}

// endRun is for the end of a run: its calls may still be reported.
func (r *rows) endRun() { *r = rows{earlier: r.same} }

// placed returns what an agent says of a call with the id under which that is shown. New calls are looked for among the rows.
func (c *Calls[M]) placed(p *transcript.ToolPatch) *transcript.ToolPatch {
	id := c.rows.known(p.ID, p.Announced)
	if id == p.ID {
		if i := c.rows.index(id); i >= 0 {
			c.rows.open = slices.Delete(c.rows.open, i, i+1) // the agent shows it itself
		} else if len(c.rows.open) > 0 && c.open[id] == nil && c.session.Turns.With(id) == nil {
			if i := c.rowOf(p); i >= 0 {
				c.rows.join(i, id)
				id = c.rows.known(id, false)
			}
		}
	}
	parent := p.ParentID
	if parent != nil {
		if to := c.rows.known(*parent, false); to != *parent {
			parent = &to
		}
	}
	if id == p.ID && parent == p.ParentID {
		return p
	}
	told := *p
	told.ID, told.ParentID = id, parent
	return &told
}

// rowOf returns the row that shows what a new call of the agent does, -1 if there is none.
func (c *Calls[M]) rowOf(p *transcript.ToolPatch) int {
	call := toolcalls.Open{}.With(p)
	shown := actions.Shown(nil).With(p)
	folder := c.session.Place.Folder
	var asked *actions.Action
	for i := range c.rows.open {
		row := &c.rows.open[i]
		switch {
		case c.namesTerminalOf(p, row.id), row.action.FitOf(&call, shown, folder) >= actions.IsAbout:
			return i
		case row.action.Kind == actions.Edit && len(row.action.Changes) != 1, row.action.Kind == actions.Execute && len(row.action.Runs) != 1:
			if asked == nil {
				if asked = actions.Requested(&call, permission.Describe(&call, c.session.Place), shown); asked == nil {
					asked = &actions.Action{}
				}
			}
			if row.action.Equal(asked) {
				return i
			}
		}
	}
	return -1
}

// namesTerminalOf reports whether a call of the agent names a terminal of Weft's that a row shows.
func (c *Calls[M]) namesTerminalOf(p *transcript.ToolPatch, row string) bool {
	return p.Content != nil && slices.ContainsFunc(*p.Content, func(one transcript.Content) bool {
		return one.Terminal != "" && c.session.Turns.Terminals.At(one.Terminal) == row
	})
}
