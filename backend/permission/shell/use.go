package shell

// Use is a command in a known form of its program.
type Use struct {
	form     *form
	Name     []string            // program, subcommand, and the operands that are part of the name
	Normal   []string            // words without global options, up to the first that isn't fixed
	given    map[string][]string // values of options, in order
	operands []word
	files    []word   // read by the command
	writes   []word   // written by the command
	rooted   bool     // a file is relative to the top of a repository
	deep     bool     // it reads the contents of folders
	packages []string // see [program]; only if the form acts
}

// has reports whether one of the options was given.
func (u *Use) has(options ...string) bool {
	for _, o := range options {
		if _, ok := u.given[o]; ok {
			return true
		}
	}
	return false
}

// Acts reports whether the command does more than read, so that only a rule with the whole name of the form covers it.
func (u *Use) Acts() bool { return u.form.acts }

// idle reports whether the command has no effect of its own and reads only its input.
func (u *Use) idle() bool {
	return u.Name[0] == "cd" || u.form.filter && len(u.files) == 0 && !u.deep
}

// knownUse returns the use of a command, or nil if it isn't in a known form of its program.
func knownUse(c *Command) *Use {
	p := programs[c.Words[0]]
	if p == nil || !c.Fixed[0] || len(c.Words) > 4<<10 {
		return nil
	}
	words := make([]word, len(c.Words))
	for i := range words {
		words[i] = word{text: c.Words[i], fixed: c.Fixed[i]}
		if i < len(c.patterns) {
			words[i].glob, words[i].pattern = c.globs[i], c.patterns[i]
		}
	}
	u := &Use{Name: []string{words[0].text}}
	rest := words[1:]
	for len(rest) > 0 && rest[0].fixed && p.global != nil {
		if v, ok := p.global[rest[0].text]; !ok || v != noValue {
			break
		}
		rest = rest[1:]
	}
	form, subs := p.form(rest)
	if form == nil {
		return nil
	}
	for _, w := range rest[:subs] {
		u.Name = append(u.Name, w.text)
	}
	if u.form = form; form.acts {
		u.packages = p.packages
	}
	u.Normal = append(u.Normal, u.Name...)
	rest = rest[subs:]
	for _, w := range rest {
		if !w.fixed {
			break
		}
		u.Normal = append(u.Normal, w.text)
	}
	if form.read != nil {
		if !form.read(u, rest) {
			return nil
		}
	} else if !u.read(rest) {
		return nil
	}
	if form.check != nil && !form.check(u) {
		return nil
	}
	u.deep = form.deep != nil && form.deep(u)
	for i, o := range u.operands {
		if form.named >= 0 && i >= form.named {
			break
		}
		u.Name = append(u.Name, o.text)
	}
	if form.named > len(u.operands) {
		return nil
	}
	return u
}

// KnownUse returns the use of a command with these fixed words, or nil if it isn't in a known form of its program.
func KnownUse(words []string) *Use {
	c := Command{Words: words, Fixed: make([]bool, len(words))}
	for i := range c.Fixed {
		c.Fixed[i] = true
	}
	return knownUse(&c)
}
