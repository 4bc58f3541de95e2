package permission

import (
	"cmp"
	"slices"

	"weft/backend/permission/files"
)

// Needs is what an agent must ask about before it does it, because of the rules and the mode of a space. Rules can
// only reject what the agent asks about.
type Needs struct{ Edits, Commands bool }

// Needs returns what an agent must ask about so that the reject rules of a place can work, and those rules. Reading,
// and rules about tools that Weft runs itself, need nothing: no agent asks before it reads, and Weft's own tools
// always ask. It follows symbolic links on the disk.
func (s *Set) Needs(at Place) (n Needs, rules []Rule) {
	if s == nil {
		return n, nil
	}
	sub := &Subject{Place: at, real: files.Open(at.Folder, at.Disk).Real}
	take := func(c *compiled) {
		if c.Effect != Reject || !c.applies(sub) {
			return
		}
		// Commands can write files too.
		files := c.Path != "" && c.coversWrites() || c.Command == "" && c.Path == "" && c.Kind == "edit"
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
