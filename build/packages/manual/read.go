package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// cli is the command line of Weft.
type cli struct {
	about    string // what Weft is
	options  []option
	commands []subcommand
}

// subcommand is one command, such as serve.
type subcommand struct {
	name, about string
	text        string // what its help says, without the options
	operand     operand
	options     []option
}

// operand is what a command takes.
type operand int

const (
	nothing operand = iota
	files
	program // a command line
)

// option is a flag.
type option struct {
	name    string // without dashes
	value   string // what its value is called, "" if it takes none
	about   string
	choices []string
}

// file reports whether the value of an option is a path.
func (o option) file() bool {
	return o.value != "" && (fileValue.MatchString(o.about) || slices.Contains([]string{"FILE", "FOLDER", "DIR"}, o.value))
}

var (
	usageLine  = regexp.MustCompile(`^  weft((?: \S+)*?)  +(\S.*)$`)
	flagLine   = regexp.MustCompile(`^  --?([a-z][a-z-]*)(?: (\S+))?$`)
	oneLine    = regexp.MustCompile(`^  --([a-z][a-z-]*) {2,}(\S.*)$`)
	inUsage    = regexp.MustCompile(`\[--([a-z-]+)(?: ([^\]]+))?\]`)
	nameOfOne  = regexp.MustCompile(`^[a-z][a-z-]*$`)
	fileValue  = regexp.MustCompile(`\b(?:file or folder to|folder of|settings file|in this folder|FOLDER)\b`)
	choiceList = regexp.MustCompile(`(?:^|: |one of )((?:[a-z-]+, )+[a-z-]+(?: or [a-z-]+)?)(?:$| \(|;)`)
)

// readCLI asks for the help of the program and of each of its commands.
func readCLI(help func(args ...string) (string, error)) (c cli, err error) {
	text, err := help()
	if err != nil {
		return c, err
	}
	c.about, _, _ = strings.Cut(text, "\n\n")
	c.about = strings.ReplaceAll(c.about, "\n", " ")
	_, c.options = options(text)
	for line := range strings.Lines(text) {
		m := usageLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		words := strings.Fields(m[1])
		if len(words) == 0 || !nameOfOne.MatchString(words[0]) {
			continue
		}
		if i := slices.IndexFunc(c.commands, func(s subcommand) bool { return s.name == words[0] }); i >= 0 {
			continue
		}
		s := subcommand{name: words[0], about: m[2]}
		switch {
		case slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "FILE") }):
			s.operand = files
		case slices.Contains(words, "COMMAND"):
			s.operand = program
		}
		own, err := help(s.name)
		if err != nil {
			return c, err
		}
		s.text, s.options = options(own)
		if s.text == "" {
			return c, fmt.Errorf("weft %s --help doesn't say what the command does", s.name)
		}
		c.commands = append(c.commands, s)
	}
	if len(c.commands) == 0 || len(c.options) == 0 {
		return c, errors.New("weft --help has no commands or no options in the form that is read here")
	}
	return c, nil
}

// options takes the options out of a help.
func options(help string) (rest string, list []option) {
	var kept []string
	add := func(o option) {
		if !slices.ContainsFunc(list, func(other option) bool { return other.name == o.name }) {
			list = append(list, o)
		}
	}
	var short []option // as the line with the usage has them
	lines := strings.Split(help, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := flagLine.FindStringSubmatch(line); m != nil && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    \t") {
			o := option{name: m[1], value: m[2]}
			var about []string
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    \t"); i++ {
				about = append(about, strings.TrimSpace(lines[i+1]))
			}
			o.about = strings.Join(about, " ")
			if o.value != "" {
				if c := choiceList.FindStringSubmatch(o.about); c != nil {
					o.choices = strings.Split(strings.ReplaceAll(c[1], " or ", ", "), ", ")
				}
			}
			add(o)
			continue
		}
		if m := oneLine.FindStringSubmatch(line); m != nil {
			add(option{name: m[1], about: m[2]})
			continue
		}
		kept = append(kept, line)
		if strings.HasPrefix(line, "Usage: ") {
			for _, m := range inUsage.FindAllStringSubmatch(line, -1) {
				short = append(short, option{name: m[1], value: m[2], choices: choices(m[2])})
			}
		}
	}
	for _, o := range short {
		if i := slices.IndexFunc(list, func(other option) bool { return other.name == o.name }); i >= 0 && o.choices != nil {
			list[i].value, list[i].choices = o.value, o.choices
		}
		add(o)
	}
	slices.SortFunc(list, func(a, b option) int { return strings.Compare(a.name, b.name) })
	return strings.TrimSpace(strings.Join(kept, "\n")), list
}

// choices are the words of "ask|read-only|auto"; nil if the value isn't one of a few words.
func choices(value string) []string {
	words := strings.Split(value, "|")
	if len(words) < 2 || slices.ContainsFunc(words, func(w string) bool { return !nameOfOne.MatchString(w) }) {
		return nil
	}
	return words
}
