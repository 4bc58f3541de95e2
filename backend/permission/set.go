package permission

import (
	"path/filepath"
	"slices"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
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

// Set is the user's rules, made ready to be compared. It never changes; any number of
// goroutines may use it. The nil set has no rules.
type Set struct {
	commands map[string][]compiled // that allow, by their first two words
	refused  map[string]*refusals  // that reject commands, by the name of the program
	allowed  pathIndex             // rules about files that allow
	rejected pathIndex             // rules about files that reject
	kinds    []compiled
	tools    []compiled
}

type compiled struct {
	Rule
	words []string
	use   *shell.Use // the known form that its words have, nil for none
	glob  glob       // of Path
	real  string     // Folder with links followed
	says  [4]int     // how much it says; see before
}

// NewSet makes a set of the enabled ones among rules. Rules that are not valid are left out.
func NewSet(rules []Rule) *Set {
	s := &Set{commands: map[string][]compiled{}, refused: map[string]*refusals{}}
	var allowed, rejected []compiled
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
			c.real = files.Open(r.Folder).Real
		}
		switch {
		case r.Command != "":
			if c.words, err = shell.FixedWords(r.Command); err == nil {
				c.says = c.weight()
				s.add(c)
			}
		case r.Path != "":
			c.glob = newGlob(r.Path)
			if c.Effect == Allow {
				allowed = append(allowed, c)
			} else {
				rejected = append(rejected, c)
			}
		case r.Tool != "":
			s.tools = append(s.tools, c)
		default:
			s.kinds = append(s.kinds, c)
		}
	}
	s.allowed, s.rejected = newPathIndex(allowed), newPathIndex(rejected)
	return s
}

// add keeps a rule about commands.
func (s *Set) add(c compiled) {
	if c.Effect == Reject {
		name := programName(c.words[0])
		if s.refused[name] == nil {
			s.refused[name] = &refusals{by: map[string][]compiled{}}
		}
		s.refused[name].add(c)
		return
	}
	c.use = shell.Known(c.words)
	s.commands[firstWords(c.words)] = append(s.commands[firstWords(c.words)], c)
}

// Refuses reports whether there is a rule that rejects something.
func (s *Set) Refuses() bool {
	rejects := func(c compiled) bool { return c.Effect == Reject }
	return s != nil && (len(s.refused) > 0 || s.rejectsFiles() || slices.ContainsFunc(s.tools, rejects) || slices.ContainsFunc(s.kinds, rejects))
}

func firstWords(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return words[0] + "\x00" + words[1]
}

// Decide returns what becomes of a request in a space of that mode.
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
	r, doubt := s.rejects(sub)
	if r != nil {
		return Decision{Verdict: Rejected, Rule: r}
	}
	if sub.Git || mode == AskAlways {
		return Decision{Verdict: Ask}
	}
	if r := s.ofTool(sub, Allow); r != nil { // whatever its arguments are
		return Decision{Verdict: Allowed, Rule: &r.Rule}
	}
	if doubt || unclear.Grave(sub.Unclear) || !mode.follows(sub.Kind) || !mode.follows(sub.Said) {
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

// rejects returns the most specific rule that refuses any part of a request. It is in doubt where one may: no rule
// allows the request then.
func (s *Set) rejects(sub *Subject) (rule *Rule, doubt bool) {
	var best *compiled
	take := func(c *compiled) {
		if c.Effect == Reject && c.holds(sub) && c.before(best) {
			best = c
		}
	}
	for i := range sub.Commands {
		cmd := &sub.Commands[i]
		m := newMatcher(cmd)
		m.lists(s.refused[m.program], func(list []compiled) {
			for k := range list {
				switch m.about(list[k].words) {
				case yes:
					take(&list[k])
				case maybe:
					doubt = doubt || list[k].holds(sub)
				case no:
				}
			}
		})
	}
	if len(s.rejected.all) > 0 {
		files, writes, reads := targets(sub.Files), targets(sub.Writes), targets(sub.Reads)
		s.rejected.near(func(c *compiled) bool {
			if c.before(best) && c.refuses(sub, files, writes, reads) {
				take(c)
			}
			return false
		}, files, writes, reads)
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
	if best != nil {
		return &best.Rule, false
	}
	return nil, doubt || s.mayRefuse(sub)
}

// refuses reports whether a rule's glob matches a file that a request touches.
func (c *compiled) refuses(sub *Subject, files, writes, reads []target) bool {
	if c.Kind == "" || c.Kind == sub.Kind || c.Kind == sub.Said {
		if touchesFiles(sub.Kind) || touchesFiles(sub.Said) || sub.Line == "" || c.Kind != "" {
			if slices.ContainsFunc(files, c.glob.near) {
				return true
			}
		}
	}
	return c.changes() && slices.ContainsFunc(writes, c.glob.near) || c.looks() && slices.ContainsFunc(reads, c.glob.near)
}

// changes and looks report whether a rule about files holds for what writes and what reads them.
func (c *compiled) changes() bool { return c.Kind == "" || c.Kind == "edit" }
func (c *compiled) looks() bool   { return c.Kind == "" || c.Kind == "read" || c.Kind == "search" }

// mayRefuse reports whether a request could do what a rule refuses, without that it can be seen.
func (s *Set) mayRefuse(sub *Subject) bool {
	if sub.Line == "" {
		for i := range s.rejected.all {
			if c := &s.rejected.all[i]; (c.Kind == sub.Kind || c.Kind == sub.Said || c.Kind == "" || looks(sub.Kind) && c.looks()) && slices.ContainsFunc(sub.reach.within, c.glob.mayBeIn) && c.holds(sub) {
				return true
			}
		}
		return false
	}
	hidden := sub.Unclear != ""
	for i := range sub.Commands {
		hidden = hidden || sub.Commands[i].Opaque
	}
	if hidden {
		for _, r := range s.refused {
			for _, list := range r.by {
				if slices.ContainsFunc(list, func(c compiled) bool { return c.holds(sub) }) {
					return true
				}
			}
		}
	}
	files, many := sub.named()
	if !hidden && !many && !sub.reach.deep && len(files) == 0 {
		return false
	}
	if hidden || many || sub.reach.deep {
		for i := range s.rejected.all {
			if c := &s.rejected.all[i]; (hidden || many || c.looks()) && c.holds(sub) {
				return true
			}
		}
	}
	named := targets(files)
	return s.rejected.near(func(c *compiled) bool { return slices.ContainsFunc(named, c.glob.near) && c.holds(sub) }, named)
}

// allows returns the most specific of the rules that together cover every part of a request,
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
	commands, idle := 0, sub.idle()
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
			if cmd.Idle() && !idle && sub.Unclear == "" {
				continue // the other commands say what the line does
			}
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
		if c == nil || sub.reach.unsettled && kind == nil {
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

func (s *Set) ofCommand(sub *Subject, cmd *shell.Command) (best *compiled) {
	look := func(key string) {
		list := s.commands[key]
		for i := range list {
			if c := &list[i]; c.before(best) && c.covers(cmd) && c.holds(sub) {
				best = c
			}
		}
	}
	look(cmd.Words[0])
	two := ""
	if len(cmd.Words) > 1 {
		two = firstWords(cmd.Words)
		look(two)
	}
	if cmd.Use != nil && len(cmd.Use.Normal) > 1 {
		if normal := firstWords(cmd.Use.Normal); normal != two {
			look(normal)
		}
	}
	if cmd.Use != nil && len(cmd.Use.Name) > 1 {
		if name := firstWords(cmd.Use.Name); name != two {
			look(name)
		}
	}
	return best
}

func (s *Set) ofFile(sub *Subject, kind string, f *files.File) (best *compiled) {
	if f.Real == "" {
		return nil
	}
	folded := files.Fold(f.Real)
	take := func(c *compiled) bool {
		if c.glob.may(folded) && (c.Kind == "" || c.Kind == kind) && c.before(best) && c.holds(sub) && c.glob.match(f.Real) {
			best = c
		}
		return false
	}
	s.allowed.about(folded, take)
	s.allowed.others(take)
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
