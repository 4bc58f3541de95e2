package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/permission/shell"
)

// matchResult tells whether a reject rule applies to a command.
type matchResult byte

const (
	no    matchResult = iota
	maybe             // known only when the command runs, so no rule may allow it
	yes
)

// programName returns the name of a program without its folder and ".exe", in lower case.
func programName(word string) string {
	return strings.ToLower(strings.TrimSuffix(shell.BaseName(word), ".exe"))
}

// matcher compares a command with the words of reject rules.
type matcher struct {
	c       *shell.Command
	program string
	options shell.Options
	many    bool
	known   bool // every word is fixed, so most rules can be ruled out by a missing word
	steps   int
}

func newMatcher(c *shell.Command) matcher {
	program := programName(c.Words[0])
	return matcher{c: c, program: program, options: shell.GlobalOptions(program), many: shell.RunsEach(program), known: c.AllFixed()}
}

// rejectRules are the reject rules for one program.
type rejectRules struct {
	by   map[string][]compiled // by the first word that isn't an option, or ""
	some [256]uint32           // bit set of the lengths of these words, by first byte; rules out most words of a command
	any  uint32                // bit set of all their lengths, so that most words aren't read at all
}

func (r *rejectRules) add(c compiled) {
	operand := ""
	if i := slices.IndexFunc(c.words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }); i >= 0 {
		operand = c.words[1+i]
		length := uint32(1) << min(len(operand), 31)
		r.some[operand[0]] |= length
		r.any |= length
	}
	r.by[operand] = append(r.by[operand], c)
}

// of returns the rules with that first word.
func (r *rejectRules) of(word string) []compiled {
	if length := uint32(1) << min(len(word), 31); r.any&length == 0 || word == "" || r.some[word[0]]&length == 0 {
		return nil
	}
	return r.by[word]
}

// lists calls look with the rules that may apply to the command.
func (m *matcher) lists(r *rejectRules, look func([]compiled)) {
	if r == nil {
		return
	}
	if !m.known {
		for _, list := range r.by {
			look(list)
		}
		return
	}
	look(r.by[""])
	var looked [8]string
	n := 0
	for _, w := range m.c.Words[1:] {
		list := r.of(w)
		if len(list) == 0 || slices.Contains(looked[:n], w) {
			continue
		}
		if look(list); n < len(looked) {
			looked[n] = w
			n++
		}
	}
}

// matches reports whether the command begins with the words of a reject rule for the same program, ignoring global
// options. Options of the rule may be at any position.
func (m *matcher) matches(words []string) matchResult {
	if !m.c.Fixed[0] {
		return no // the line is unclear anyway
	}
	if name, rule := m.c.Words[0], words[0]; name != rule && strings.Contains(name, "/") && strings.Contains(rule, "/") &&
		path.Clean(name) != path.Clean(rule) && !shell.IsSystemProgram(rule, shell.BaseName(rule)) {
		return no
	}
	if m.known {
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !slices.Contains(m.c.Words, w) {
				return no
			}
		}
	}
	m.steps = 0
	return m.match(1, words[1:])
}

// maxSteps bounds the work for one command and one rule.
const maxSteps = 256

// match compares the words of a command, starting at index at, with those of a rule.
func (m *matcher) match(at int, rule []string) matchResult {
	if len(rule) == 0 {
		return yes
	}
	if m.steps++; m.steps > maxSteps {
		return maybe
	}
	if strings.HasPrefix(rule[0], "-") {
		if has := m.has(rule[0]); has != yes {
			return has
		}
		return m.match(at, rule[1:])
	}
	best := no
	for i := at; i < len(m.c.Words); i++ {
		w := m.c.Words[i]
		switch {
		case !m.c.Fixed[i]:
			return max(best, maybe)
		case w == rule[0]:
			if best = max(best, m.match(i+1, rule[1:])); best == yes {
				return yes
			}
			if !m.many {
				return best
			}
		case strings.HasPrefix(w, "-") && len(w) > 1 || strings.HasPrefix(w, "+"):
			valued, known := m.options.TakesValue(w)
			if valued {
				i++
				if i < len(m.c.Words) && !m.c.Fixed[i] {
					return max(best, maybe) // it may expand to several words
				}
				continue
			}
			if !known && !strings.Contains(w, "=") && i+1 < len(m.c.Words) {
				best = max(best, m.match(i+2, rule)) // the next word may be the value of w
			}
		case !m.many:
			return best
		}
		if best == yes {
			return yes
		}
	}
	return best
}

// has reports whether the command has an option of a rule.
func (m *matcher) has(option string) matchResult {
	best := no
	for i, w := range m.c.Words[1:] {
		w = shell.Dashed(m.program, i+1, w)
		switch {
		case !m.c.Fixed[i+1]:
			best = maybe
		case w == option || shell.GivesOption(w, option) && strings.HasPrefix(w, "-"):
			return yes
		case len(option) > 2 && option[1] != '-' && m.cluster(option):
			return yes
		}
	}
	return best
}

// cluster reports whether the command has every letter of an option such as "-rf", in any of its words.
func (m *matcher) cluster(option string) bool {
	for k := 1; k < len(option); k++ {
		found := false
		for i, w := range m.c.Words[1:] {
			found = found || shell.GivesOption(shell.Dashed(m.program, i+1, w), "-"+option[k:k+1])
		}
		if !found {
			return false
		}
	}
	return true
}
