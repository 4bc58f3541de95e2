package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
)

// covers reports whether an allow rule covers a command: one in the known form of its program that does what the rule says, or one that has
// exactly the words of the rule. It covers none that another command of the line may change.
func (c *compiled) covers(cmd *shell.Command) bool {
	u := cmd.Use
	if cmd.Unsettled {
		return false
	}
	if u == nil {
		return cmd.Exact() && slices.Equal(cmd.Words, c.words)
	}
	switch {
	case slices.Equal(c.words, u.Name):
		return true
	case u.Acts():
		// A shorter rule says less than what it does.
		return c.use != nil && slices.Equal(c.use.Name, u.Name) && (cmd.Begins(c.words) || starts(u.Normal, c.words))
	}
	return cmd.Begins(c.words) || starts(u.Normal, c.words) || starts(u.Name, c.words)
}

func starts(words, with []string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// idle reports whether no command of the line does anything of its own.
func (s *Subject) idle() bool {
	for i := range s.Commands {
		if c := &s.Commands[i]; !c.Wrapped && !c.Idle() {
			return false
		}
	}
	return true
}

// maxNamed is how many words of a line are looked at as names of files.
const maxNamed = 64

// named returns what may be files among the words of commands whose form isn't known, and the values of options. It reports whether there were more
// than are looked at.
func (s *Subject) named() (list []files.File, more bool) {
	list = slices.Clone(s.reach.maybe)
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Use != nil || c.Wrapped {
			continue
		}
		for k, w := range c.Words {
			if _, value, ok := strings.Cut(w, "="); ok {
				w = value
			}
			if w = strings.TrimPrefix(w, "@"); k == 0 || w == "" {
				continue
			}
			if len(list) >= maxNamed {
				return list, true
			}
			f := files.File{Named: path.Clean(w), Real: path.Join(c.Dir, w)}
			if rel, ok := strings.CutPrefix(w, s.Folder+"/"); ok {
				f.Real = path.Clean(rel)
			}
			list = append(list, f)
		}
	}
	return list, false
}
