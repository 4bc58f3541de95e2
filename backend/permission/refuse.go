package permission

import (
	"path"
	"slices"
	"strings"

	"weft/backend/permission/shell"
)

// answer is whether a reject rule is about a command.
type answer byte

const (
	no    answer = iota
	maybe        // it's known only when it runs: no rule may allow it then
	yes
)

// programName is the name under which a program is known, wherever it lies.
func programName(word string) string {
	return strings.ToLower(strings.TrimSuffix(shell.BaseName(word), ".exe"))
}

// matcher holds a command against the words of reject rules.
type matcher struct {
	c       *shell.Command
	program string
	options shell.Options
	many    bool
	known   bool // every word is known: most rules are told apart by one that's missing
	steps   int
}

func newMatcher(c *shell.Command) matcher {
	program := programName(c.Words[0])
	return matcher{c: c, program: program, options: shell.GlobalOptions(program), many: shell.RunsEach(program), known: c.AllFixed()}
}

// refusals are the reject rules about a program.
type refusals struct {
	by   map[string][]compiled // by their first word that is no option, "" where there is none
	some [256]uint32           // which lengths these words have, by their first byte: most words of a command need no more
	any  uint32                // which lengths they have at all, so that most words are not even read
}

func (r *refusals) add(c compiled) {
	operand := ""
	if i := slices.IndexFunc(c.words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }); i >= 0 {
		operand = c.words[1+i]
		length := uint32(1) << min(len(operand), 31)
		r.some[operand[0]] |= length
		r.any |= length
	}
	r.by[operand] = append(r.by[operand], c)
}

// of returns the rules with a first word.
func (r *refusals) of(word string) []compiled {
	if length := uint32(1) << min(len(word), 31); r.any&length == 0 || word == "" || r.some[word[0]]&length == 0 {
		return nil
	}
	return r.by[word]
}

// lists calls look with the rules that may be about the command.
func (m *matcher) lists(r *refusals, look func([]compiled)) {
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

// about reports whether the command begins with the words of a reject rule about the same program once global options are skipped;
// options of the rule may be anywhere.
func (m *matcher) about(words []string) answer {
	if !m.c.Fixed[0] {
		return no // unclear anyway
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

// match holds the words of a command from at on against those of a rule.
func (m *matcher) match(at int, rule []string) answer {
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
					return max(best, maybe) // it may be several words
				}
				continue
			}
			if !known && !strings.Contains(w, "=") && i+1 < len(m.c.Words) {
				best = max(best, m.match(i+2, rule)) // the next word may be its value
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

// has reports whether an option of a rule is given.
func (m *matcher) has(option string) answer {
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

// cluster reports whether each letter of "-rf" is given somewhere.
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
