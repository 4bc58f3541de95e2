package shell

import "strings"

// Programs returns the names of the programs that have known forms.
func Programs() (names []string) {
	for name := range programs {
		names = append(names, name)
	}
	return names
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
