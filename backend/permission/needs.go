package permission

import (
	"cmp"
	"slices"

	"weft/backend/permission/files"
)

// Needs is what rules and the mode of a space want an agent to ask about before it does it: they can reject only what they are asked about.
type Needs struct{ Edits, Commands bool }

// Needs returns what the rules that reject need to be asked about in a place. Reading and rules about tools that Weft runs itself need nothing: no agent asks before
// it reads, and Weft's own tools ask anyway. It follows links on the disk.
func (s *Set) Needs(at Place) (n Needs, rules []Rule) {
	if s == nil {
		return n, nil
	}
	sub := &Subject{Place: at, real: files.Open(at.Folder).Real}
	take := func(c *compiled) {
		if c.Effect != Reject || !c.holds(sub) {
			return
		}
		// Commands write files, too.
		files := c.Path != "" && c.changes() || c.Command == "" && c.Path == "" && c.Kind == "edit"
		edits := files || c.Kind == "delete" || c.Kind == "move"
		commands := files || c.Command != "" || c.Kind == "execute"
		if edits || commands {
			n.Edits, n.Commands = n.Edits || edits, n.Commands || commands
			rules = append(rules, c.Rule)
		}
	}
	for _, r := range s.refused {
		for _, list := range r.by {
			for i := range list {
				take(&list[i])
			}
		}
	}
	for i := range s.rejected.all {
		take(&s.rejected.all[i])
	}
	for i := range s.kinds {
		take(&s.kinds[i])
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.About(), b.About()), cmp.Compare(a.ID, b.ID)) })
	return n, rules
}
