package agentcalls

import (
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/toolcalls"
)

// rows are calls that Weft shows although the agent hasn't shown them: operations that it asked Weft to carry out,
// and permission requests for calls that it didn't announce. If the agent shows the same action later under another
// id, it joins the row, so each action has one row.
type rows struct {
	open    []row
	same    map[string]string // the agent's calls that are shown in a row: call id to row id
	earlier map[string]string // the same for the previous run
}

// row is a call that no call of the agent has joined yet.
type row struct {
	id     string
	action *actions.Action
}

// maxRows is how many open rows a turn can have.
const maxRows = 256

// add adds a row.
func (r *rows) add(id string, action *actions.Action) {
	if action != nil && len(r.open) < maxRows && r.index(id) < 0 {
		r.open = append(r.open, row{id: id, action: action})
	}
}

func (r *rows) index(id string) int {
	return slices.IndexFunc(r.open, func(one row) bool { return one.id == id })
}

// known returns the id under which an agent's call is shown. fresh means that the agent announces a new call, so an
// entry of the previous run no longer applies.
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

// join shows an agent's call in row i from now on.
func (r *rows) join(i int, id string) {
	if r.same == nil {
		r.same = map[string]string{}
	}
	r.same[id] = r.open[i].id
	r.open = slices.Delete(r.open, i, i+1)
}

// endRun ends a run, whose calls may still get updates.
func (r *rows) endRun() { *r = rows{earlier: r.same} }

// placed returns an update with the id under which the call is shown. A new call may join a row.
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

// rowOf returns the index of the row that shows the action of a new call, or -1.
func (c *Calls[M]) rowOf(p *transcript.ToolPatch) int {
	call := toolcalls.Open{}.With(p)
	shown := actions.Shown(nil).With(p)
	var asked *actions.Action
	for i := range c.rows.open {
		row := &c.rows.open[i]
		switch {
		case c.namesTerminalOf(p, row.id), row.action.FitOf(&call, shown, c.session.Place) >= actions.IsAbout:
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

// namesTerminalOf reports whether an agent's call contains the terminal that a row shows.
func (c *Calls[M]) namesTerminalOf(p *transcript.ToolPatch, row string) bool {
	return p.Content != nil && slices.ContainsFunc(*p.Content, func(one transcript.Content) bool {
		return one.Terminal != "" && c.session.Turns.Terminals.At(one.Terminal) == row
	})
}
