package shell

import (
	"maps"
	"slices"
	"strings"
)

// Programs returns the names of the programs that have known forms.
func Programs() (names []string) {
	for name := range programs {
		names = append(names, name)
	}
	return names
}

// Form is a known form: the words that name it and the options that it may have.
type Form struct {
	Words   string
	Options []string
}

// Readers returns the forms that only read, of programs that exist, in a fixed order.
func Readers(exists func(program string) bool) (list []Form) {
	for name, p := range programs {
		for sub, f := range p.forms {
			if f.acts || f.operands == output || !exists(name) {
				continue
			}
			list = append(list, Form{strings.TrimSpace(name + " " + sub), slices.Sorted(maps.Keys(f.opts))})
		}
	}
	slices.SortFunc(list, func(a, b Form) int { return strings.Compare(a.Words, b.Words) })
	return list
}

// Abbreviations calls try with the words that name each known form, and each abbreviation of an option of that form that isn't an option itself.
func Abbreviations(try func(words, short string)) {
	for name, p := range programs {
		for sub, f := range p.forms {
			words := strings.TrimSpace(name + " " + sub)
			for option := range f.opts {
				for i := 3; strings.HasPrefix(option, "--") && i < len(option); i++ {
					short := option[:i]
					if _, known := f.opts[short]; !known && p.forms[short] == nil {
						try(words, short)
					}
				}
			}
		}
	}
}
