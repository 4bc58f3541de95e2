package permission

import (
	"path"
	"slices"
	"strings"
)

// covers reports whether an allow rule covers a command: one in the known form of its program that does what the rule says, or one that has
// exactly the words of the rule.
func (c *compiled) covers(cmd *Command) bool {
	u := cmd.use
	if u == nil {
		return cmd.exact() && slices.Equal(cmd.Words, c.words)
	}
	switch {
	case slices.Equal(c.words, u.name):
		return true
	case u.form.acts:
		// A shorter rule says less than what it does.
		return c.use != nil && slices.Equal(c.use.name, u.name) && (cmd.begins(c.words) || starts(u.normal, c.words))
	}
	return cmd.begins(c.words) || starts(u.normal, c.words) || starts(u.name, c.words)
}

// begins reports whether a command begins with words.
func (c *Command) begins(words []string) bool {
	return starts(c.Words, words) && !slices.Contains(c.Fixed[:len(words)], false)
}

func starts(words, with []string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// idle reports whether a command has no effect of its own, and reads nothing but what the line gives it.
func (c *Command) idle() bool { return c.use != nil && c.use.idle() }

// idle reports whether no command of the line does anything of its own.
func (s *Subject) idle() bool {
	for i := range s.Commands {
		if c := &s.Commands[i]; !c.Wrapped && !c.idle() {
			return false
		}
	}
	return true
}

// maxNamed is how many words of a line are looked at as names of files.
const maxNamed = 64

// named returns what may be files among the words of commands whose form isn't known. It reports whether there were more than are looked at.
func (s *Subject) named() (files []File, more bool) {
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.use != nil || c.Wrapped {
			continue
		}
		for k, w := range c.Words {
			if _, value, ok := strings.Cut(w, "="); ok {
				w = value
			}
			if w = strings.TrimPrefix(w, "@"); k == 0 || w == "" {
				continue
			}
			if len(files) >= maxNamed {
				return files, true
			}
			f := File{Named: path.Clean(w), Real: path.Join(c.dir, w)}
			if rel, ok := strings.CutPrefix(w, s.Folder+"/"); ok {
				f.Real = path.Clean(rel)
			}
			files = append(files, f)
		}
	}
	return files, false
}
