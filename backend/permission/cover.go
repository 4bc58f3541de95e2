package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
)

// covers reports whether an allow rule covers a command. It does if the command has the rule's exact words, or if it
// is a known form of its program and does what the rule says. A command that another command on the line may change is
// never covered.
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
		// A rule that is shorter than the name doesn't cover a use that changes something.
		return c.use != nil && slices.Equal(c.use.Name, u.Name) && (cmd.Begins(c.words) || hasPrefix(u.Normal, c.words))
	}
	return cmd.Begins(c.words) || hasPrefix(u.Normal, c.words) || hasPrefix(u.Name, c.words)
}

func hasPrefix(words, with []string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// idle reports whether no command of the line has an effect of its own.
func (s *Subject) idle() bool {
	for i := range s.Commands {
		if c := &s.Commands[i]; !c.Wrapped && !c.Idle() {
			return false
		}
	}
	return true
}

// maxPossibleFiles limits how many words of a line are checked as possible file names.
const maxPossibleFiles = 64

// possibleFiles returns the words that may be file names: the arguments of commands whose form isn't known, and the
// values of options. more reports that the line has more of them than are checked.
func (s *Subject) possibleFiles() (list []files.File, more bool) {
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
			if len(list) >= maxPossibleFiles {
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
