package permission

import (
	"path/filepath"
	"slices"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Verdict is the outcome of a request.
type Verdict string

// Verdicts.
const (
	Ask      Verdict = "ask"
	Allowed  Verdict = "allow"
	Rejected Verdict = "reject"
)

// Decision is the result of [Set.Decide], with the rule or the mode behind it.
type Decision struct {
	Verdict Verdict
	Rule    *Rule // the most specific rule that decided; nil if none did
	Mode    Mode  // the mode that decided, or ""
}

// Set is the user's rules in compiled form. It is immutable and safe for concurrent use. A nil set has no rules.
type Set struct {
	commands map[string][]compiled   // allow rules for commands, by their first two words
	refused  map[string]*rejectRules // reject rules for commands, by program name
	allowed  pathIndex               // allow rules for files
	rejected pathIndex               // reject rules for files
	kinds    []compiled
	tools    []compiled
}

type compiled struct {
	Rule
	words       []string
	use         *shell.Use // known form of words, or nil
	glob        glob       // of Path
	real        string     // Folder with symbolic links resolved
	specificity [4]int     // see moreSpecific
}

// NewSet compiles the enabled rules. Invalid rules are skipped.
func NewSet(rules []Rule) *Set {
	s := &Set{commands: map[string][]compiled{}, refused: map[string]*rejectRules{}}
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
		c.specificity = c.weight()
		if r.Scope == InFolder {
			c.real = files.Open(r.Folder, nil).Real
		}
		switch {
		case r.Command != "":
			if c.words, err = shell.FixedWords(r.Command); err == nil {
				c.specificity = c.weight()
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

// add adds a rule about commands.
func (s *Set) add(c compiled) {
	if c.Effect == Reject {
		name := programName(c.words[0])
		if s.refused[name] == nil {
			s.refused[name] = &rejectRules{by: map[string][]compiled{}}
		}
		s.refused[name].add(c)
		return
	}
	c.use = shell.KnownUse(c.words)
	s.commands[firstWords(c.words)] = append(s.commands[firstWords(c.words)], c)
}

// Refuses reports whether any rule rejects something.
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

// Decide decides about a request in a space with the given mode.
func (s *Set) Decide(sub *Subject, mode Mode) Decision {
	if sub.Tool != "" && mode == ReadOnly { // the tool could do anything
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
	if r := s.ofTool(sub, Allow); r != nil { // regardless of its arguments
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

// applies reports whether a rule applies to the agent and the space of the request.
func (c *compiled) applies(sub *Subject) bool {
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

// rejects returns the most specific rule that rejects any part of a request. doubt reports that a rule might reject
// it; then no rule may allow it.
func (s *Set) rejects(sub *Subject) (rule *Rule, doubt bool) {
	var best *compiled
	take := func(c *compiled) {
		if c.Effect == Reject && c.applies(sub) && c.moreSpecific(best) {
			best = c
		}
	}
	for i := range sub.Commands {
		cmd := &sub.Commands[i]
		m := newMatcher(cmd)
		m.lists(s.refused[m.program], func(list []compiled) {
			for k := range list {
				switch m.matches(list[k].words) {
				case yes:
					take(&list[k])
				case maybe:
					doubt = doubt || list[k].applies(sub)
				case no:
				}
			}
		})
	}
	if len(s.rejected.all) > 0 {
		files, writes, reads := targets(sub.Files), targets(sub.Writes), targets(sub.Reads)
		s.rejected.eachFor(func(c *compiled) bool {
			if c.moreSpecific(best) && c.rejects(sub, files, writes, reads) {
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
	return nil, doubt || s.mayReject(sub)
}

// rejects reports whether the rule's glob matches a file that the request touches.
func (c *compiled) rejects(sub *Subject, files, writes, reads []target) bool {
	if c.Kind == "" || c.Kind == sub.Kind || c.Kind == sub.Said {
		if touchesFiles(sub.Kind) || touchesFiles(sub.Said) || sub.Line == "" || c.Kind != "" {
			if slices.ContainsFunc(files, c.glob.matchesFile) {
				return true
			}
		}
	}
	return c.coversWrites() && slices.ContainsFunc(writes, c.glob.matchesFile) || c.coversReads() && slices.ContainsFunc(reads, c.glob.matchesFile)
}

// coversWrites reports whether a rule about files applies to writing them.
func (c *compiled) coversWrites() bool { return c.Kind == "" || c.Kind == "edit" }

// coversReads reports whether a rule about files applies to reading them.
func (c *compiled) coversReads() bool { return c.Kind == "" || c.Kind == "read" || c.Kind == "search" }

// mayReject reports whether the request could do something that a rule rejects and that Weft can't see.
func (s *Set) mayReject(sub *Subject) bool {
	if sub.Line == "" {
		for i := range s.rejected.all {
			if c := &s.rejected.all[i]; (c.Kind == sub.Kind || c.Kind == sub.Said || c.Kind == "" || readsOnly(sub.Kind) && c.coversReads()) && slices.ContainsFunc(sub.reach.within, c.glob.mayBeIn) && c.applies(sub) {
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
				if slices.ContainsFunc(list, func(c compiled) bool { return c.applies(sub) }) {
					return true
				}
			}
		}
	}
	files, many := sub.possibleFiles()
	if !hidden && !many && !sub.reach.deep && len(files) == 0 {
		return false
	}
	if hidden || many || sub.reach.deep {
		for i := range s.rejected.all {
			if c := &s.rejected.all[i]; (hidden || many || c.coversReads()) && c.applies(sub) {
				return true
			}
		}
	}
	named := targets(files)
	return s.rejected.eachFor(func(c *compiled) bool { return slices.ContainsFunc(named, c.glob.matchesFile) && c.applies(sub) }, named)
}

// allows returns the most specific of the rules that together cover every part of the request, or nil if a part isn't
// covered.
func (s *Set) allows(sub *Subject) *Rule {
	var best *compiled
	covered := func(c *compiled) {
		if c.moreSpecific(best) {
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
				continue // the other commands have the effects of the line
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

// ofTool returns the most specific rule with that effect about the tool of the request.
func (s *Set) ofTool(sub *Subject, effect Effect) (best *compiled) {
	for i := range s.tools {
		if c := &s.tools[i]; c.Effect == effect && sub.Tool != "" && c.Tool == sub.Tool && c.applies(sub) && c.moreSpecific(best) {
			best = c
		}
	}
	return best
}

func (s *Set) ofKind(sub *Subject) (best *compiled) {
	for i := range s.kinds {
		if c := &s.kinds[i]; c.Effect == Allow && c.Kind == sub.Kind && c.applies(sub) && c.moreSpecific(best) {
			best = c
		}
	}
	return best
}

func (s *Set) ofCommand(sub *Subject, cmd *shell.Command) (best *compiled) {
	look := func(key string) {
		list := s.commands[key]
		for i := range list {
			if c := &list[i]; c.moreSpecific(best) && c.covers(cmd) && c.applies(sub) {
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
		if c.glob.mayMatch(folded) && (c.Kind == "" || c.Kind == kind) && c.moreSpecific(best) && c.applies(sub) && c.glob.match(f.Real) {
			best = c
		}
		return false
	}
	s.allowed.eachNamed(folded, take)
	s.allowed.eachOther(take)
	return best
}

// moreSpecific orders rules from specific to general, then by id, so that the rule that the user is shown doesn't
// depend on how the rules are stored.
func (c *compiled) moreSpecific(o *compiled) bool {
	if o == nil {
		return true
	}
	for i := range c.specificity {
		if c.specificity[i] != o.specificity[i] {
			return c.specificity[i] > o.specificity[i]
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
