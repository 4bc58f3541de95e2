package permission

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Verdict is what becomes of a request.
type Verdict string

// The verdicts.
const (
	Ask      Verdict = "ask"
	Allowed  Verdict = "allow"
	Rejected Verdict = "reject"
)

// Decision is the answer of a [Set], with the rule or the mode that gave it.
type Decision struct {
	Verdict Verdict
	Rule    *Rule // that decided: the most specific one; nil if none did
	Mode    Mode  // that decided, "" if none did
}

// Set is the person's rules, made ready to be compared. It never changes; any number of
// goroutines may use it. The nil set has no rules.
type Set struct {
	commands map[string][]compiled // by their first word
	paths    []compiled
	kinds    []compiled
	tools    []compiled
}

type compiled struct {
	Rule
	words []string
	real  string // Folder with links followed
	says  [4]int // how much it says; see before
}

// NewSet makes a set of the enabled ones among rules. Rules that are not valid are left out.
func NewSet(rules []Rule) *Set {
	s := &Set{commands: map[string][]compiled{}}
	for _, r := range rules {
		if !r.Enabled {
			continue
		}
		r, err := r.Clean()
		if err != nil {
			continue
		}
		c := compiled{Rule: r}
		c.says = c.weight()
		if r.Scope == InFolder {
			c.real = openFolder(r.Folder).real
		}
		switch {
		case r.Command != "":
			if c.words, err = prefixWords(r.Command); err == nil {
				c.says = c.weight()
				s.commands[c.words[0]] = append(s.commands[c.words[0]], c)
			}
		case r.Path != "":
			s.paths = append(s.paths, c)
		case r.Tool != "":
			s.tools = append(s.tools, c)
		default:
			s.kinds = append(s.kinds, c)
		}
	}
	return s
}

// Decide answers what becomes of a request in a space of that mode.
func (s *Set) Decide(sub *Subject, mode Mode) Decision {
	if sub.Tool != "" && mode == ReadOnly { // what it does, nobody can say
		return Decision{Verdict: Rejected, Mode: mode}
	}
	if mode.Refuses(sub.Kind) || mode.Refuses(sub.Said) {
		return Decision{Verdict: Rejected, Mode: mode}
	}
	if s == nil {
		return Decision{Verdict: Ask}
	}
	if r := s.rejects(sub); r != nil {
		return Decision{Verdict: Rejected, Rule: r}
	}
	if sub.Git || mode == AskAlways {
		return Decision{Verdict: Ask}
	}
	if r := s.ofTool(sub, Allow); r != nil { // whatever its arguments are
		return Decision{Verdict: Allowed, Rule: &r.Rule}
	}
	if grave(sub.Unclear) || !mode.follows(sub.Kind) || !mode.follows(sub.Said) {
		return Decision{Verdict: Ask}
	}
	if r := s.allows(sub); r != nil {
		return Decision{Verdict: Allowed, Rule: r}
	}
	return Decision{Verdict: Ask}
}

// holds reports whether a rule is for that place.
func (c *compiled) holds(sub *Subject) bool {
	if c.AgentID != "" && c.AgentID != sub.AgentID {
		return false
	}
	switch c.Scope {
	case InSpace:
		return c.SpaceID == sub.SpaceID
	case InFolder:
		return c.Folder == filepath.Clean(sub.Folder) || c.real != "" && c.real == sub.real
	case Everywhere:
	}
	return true
}

// rejects answers the most specific rule that refuses any part of a request.
func (s *Set) rejects(sub *Subject) *Rule {
	var best *compiled
	take := func(c *compiled) {
		if c.Effect == Reject && c.holds(sub) && c.before(best) {
			best = c
		}
	}
	for i := range sub.Commands {
		cmd := &sub.Commands[i]
		for _, name := range names(cmd) {
			list := s.commands[name]
			for k := range list {
				if begins(cmd, list[k].words, true) {
					take(&list[k])
				}
			}
		}
	}
	for i := range s.paths {
		c := &s.paths[i]
		if c.Effect != Reject || best != nil && !c.before(best) {
			continue
		}
		if c.Kind == "" || c.Kind == sub.Kind || c.Kind == sub.Said {
			if touchesFiles(sub.Kind) || touchesFiles(sub.Said) || sub.Kind == "other" || c.Kind != "" {
				for k := range sub.Files {
					if c.near(&sub.Files[k]) {
						take(c)
					}
				}
			}
		}
		if c.Kind == "" || c.Kind == "edit" {
			for k := range sub.Writes {
				if c.near(&sub.Writes[k]) {
					take(c)
				}
			}
		}
	}
	if c := s.ofTool(sub, Reject); c != nil {
		take(c)
	}
	for i := range s.kinds {
		c := &s.kinds[i]
		if c.Kind == sub.Kind || c.Kind == sub.Said || c.Kind == "edit" && len(sub.Writes) > 0 {
			take(c)
		}
	}
	if best == nil {
		return nil
	}
	return &best.Rule
}

// near reports whether a rule's glob matches a file by either of its names, whatever the case: some
// disks do not tell them apart.
func (c *compiled) near(f *File) bool {
	for _, name := range []string{f.Named, f.Real} {
		if name != "" && (matches(c.Path, name) || matches(strings.ToLower(c.Path), strings.ToLower(name))) {
			return true
		}
	}
	return false
}

func matches(glob, name string) bool { return doublestar.MatchUnvalidated(glob, name) }

// names are those under which a reject rule may know a command.
func names(c *Command) []string {
	name := c.Words[0]
	if base := baseName(name); base != name && base != "" {
		return []string{name, base}
	}
	return []string{name}
}

// begins compares words, not characters. A reject rule also knows a command by the last part of its path.
func begins(c *Command, words []string, reject bool) bool {
	if len(c.Words) < len(words) {
		return false
	}
	for i, word := range words {
		same := c.Words[i] == word || reject && i == 0 && baseName(c.Words[0]) == word
		if !c.Fixed[i] || !same {
			return false
		}
	}
	return true
}

// allows answers the most specific of the rules that together cover every part of a request,
// nil if a part is not covered.
func (s *Set) allows(sub *Subject) *Rule {
	var best *compiled
	covered := func(c *compiled) {
		if c.before(best) {
			best = c
		}
	}
	kind := s.ofKind(sub)
	if sub.Unclear != "" && kind == nil {
		return nil
	}
	commands := 0
	for i := range sub.Commands {
		cmd := &sub.Commands[i]
		if cmd.Wrapped {
			continue
		}
		commands++
		c := s.ofCommand(sub, cmd)
		if c == nil || sub.Unclear != "" {
			c = kind
		}
		if c == nil {
			return nil
		}
		covered(c)
	}
	switch {
	case commands > 0:
	case len(sub.Files) > 0 && touchesFiles(sub.Kind):
		for i := range sub.Files {
			c := s.ofFile(sub, sub.Kind, &sub.Files[i])
			if c == nil || sub.Unclear != "" {
				c = kind
			}
			if c == nil {
				return nil
			}
			covered(c)
		}
	case kind == nil:
		return nil
	default:
		covered(kind)
	}
	for i := range sub.Writes {
		c := s.ofFile(sub, "edit", &sub.Writes[i])
		if c == nil {
			return nil
		}
		covered(c)
	}
	if best == nil {
		return nil
	}
	return &best.Rule
}

// ofTool is the most specific rule about the tool itself.
func (s *Set) ofTool(sub *Subject, effect Effect) (best *compiled) {
	for i := range s.tools {
		if c := &s.tools[i]; c.Effect == effect && sub.Tool != "" && c.Tool == sub.Tool && c.holds(sub) && c.before(best) {
			best = c
		}
	}
	return best
}

func (s *Set) ofKind(sub *Subject) (best *compiled) {
	for i := range s.kinds {
		if c := &s.kinds[i]; c.Effect == Allow && c.Kind == sub.Kind && c.holds(sub) && c.before(best) {
			best = c
		}
	}
	return best
}

func (s *Set) ofCommand(sub *Subject, cmd *Command) (best *compiled) {
	list := s.commands[cmd.Words[0]]
	for i := range list {
		if c := &list[i]; c.Effect == Allow && c.before(best) && begins(cmd, c.words, false) && c.holds(sub) {
			best = c
		}
	}
	return best
}

func (s *Set) ofFile(sub *Subject, kind string, f *File) (best *compiled) {
	if f.Real == "" {
		return nil
	}
	for i := range s.paths {
		c := &s.paths[i]
		if c.Effect == Allow && (c.Kind == "" || c.Kind == kind) && c.before(best) && c.holds(sub) && matches(c.Path, f.Real) {
			best = c
		}
	}
	return best
}

// before orders rules by how much they say, then by id, so that the one that is named does not
// depend on the order in which they are kept.
func (c *compiled) before(o *compiled) bool {
	if o == nil {
		return true
	}
	for i := range c.says {
		if c.says[i] != o.says[i] {
			return c.says[i] > o.says[i]
		}
	}
	return c.ID < o.ID
}

func (c *compiled) weight() [4]int {
	w := [4]int{len(c.words), len(c.Path) + len(c.Tool), map[Scope]int{InSpace: 2, InFolder: 1, Everywhere: 0}[c.Scope], 0}
	if c.AgentID != "" {
		w[3]++
	}
	if c.Kind != "" {
		w[3]++
	}
	return w
}
