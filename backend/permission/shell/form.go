package shell

import (
	"slices"
	"strings"
)

// A form is a known way to call a program: the options that it may have and the meaning of its operands. A command in
// a known form does what the form says and nothing else; see [knownUse].
type form struct {
	acts     bool     // it does more than read, so that only a rule with the whole name of the form covers it
	opts     Options  // allowed options; for any other option or abbreviation, the user is asked
	digits   bool     // -5 is an option
	style    style    // how options are written
	early    bool     // options end at the first operand
	operands operands // kind of the operands
	first    []string // for pattern: if one of these options is given, before the operands, the first operand isn't a pattern
	most     int      // maximum number of operands, 0 for any
	named    int      // number of operands that are part of the form's name, -1 for all
	noEnd    bool     // "--" isn't known to end the options
	after    Options  // options behind "--" that go to another program; nil if operands follow "--"
	filter   bool     // without files, it only filters its input
	deep     func(*Use) bool
	check    func(*Use) bool
	read     func(*Use, []word) bool // replaces the check of options and operands
}

// style is the syntax of options.
type style byte

const (
	clusters  style = iota // getopt: -abc, and a value may be in the same word
	separate               // options without values can be grouped; an option with a value is a separate word
	wholeWord              // each option is a word with one or two dashes, as in Go's package flag
)

// operands is the kind of a form's operands.
type operands byte

const (
	noOperands operands = iota
	data                // text that isn't a file name
	paths               // files
	contents            // files but no folders, because it follows links in them
	output              // files that are written
	pattern             // data first, then files
	revisions           // commit names and files
)

// Options maps the options of a program or a form, as written, to their kind of value.
type Options map[string]value

// TakesValue reports whether the next word is the value of an option, and whether the option is in the map.
func (o Options) TakesValue(option string) (takes, known bool) {
	v, known := o[option]
	return v == needed || v == fromFile, known
}

// value is the kind of value that an option has.
type value byte

const (
	noValue  value = iota
	needed         // -n 5, -n5, --lines 5, --lines=5
	attached       // -U5, --color=always; never the next word
	number         // -j, -j4, -j 4
	fromFile       // like needed; the value is a file
	pair           // two words follow
)

// optionsOf parses a list of options. A suffix tells the kind of value: ":" needs a value, "?" may have one attached,
// "~" is a number, "@" needs a file, "::" is followed by two words.
func optionsOf(specs ...string) Options {
	out := Options{}
	for _, spec := range specs {
		for _, o := range strings.Fields(spec) {
			switch {
			case strings.HasSuffix(o, "::"):
				out[o[:len(o)-2]] = pair
			case strings.HasSuffix(o, ":"):
				out[o[:len(o)-1]] = needed
			case strings.HasSuffix(o, "?"):
				out[o[:len(o)-1]] = attached
			case strings.HasSuffix(o, "~"):
				out[o[:len(o)-1]] = number
			case strings.HasSuffix(o, "@"):
				out[o[:len(o)-1]] = fromFile
			default:
				out[o] = noValue
			}
		}
	}
	return out
}

// program is a known program. forms are by subcommand (one or two words), or "" without one.
type program struct {
	global   Options  // harmless options before the subcommand
	packages []string // files that mark a package whose code the forms with acts would run
	forms    map[string]*form
}

// word is a word of a command.
type word struct {
	text    string
	fixed   bool // text is exactly what the program gets
	glob    bool // the shell expands it to the names of matching files
	pattern bool // it is a glob, and text is a simple file pattern that doesn't begin with a dash: any number of words, or none
}

// counts reports whether the number of operands decides what they are. Then no operand may be a pattern, which stands
// for any number of words, and no option may follow an operand, because some versions of a program treat it as an
// operand.
func (f *form) counts() bool {
	return f.early || f.operands == output || f.most > 0 && f.operands == paths
}

// form returns the form that the words call, and how many words name it.
func (p *program) form(words []word) (f *form, subs int) {
	if len(words) > 1 && words[0].fixed && words[1].fixed {
		if f := p.forms[words[0].text+" "+words[1].text]; f != nil {
			return f, 2
		}
	}
	if len(words) > 0 && words[0].fixed {
		if f := p.forms[words[0].text]; f != nil && words[0].text != "" {
			return f, 1
		}
	}
	return p.forms[""], 0
}

// read matches words with the options and operands of the form. It returns false if they don't fit.
func (u *Use) read(words []word) bool {
	f := u.form
	u.given = map[string][]string{}
	for ended := false; len(words) > 0; {
		w := words[0]
		words = words[1:]
		switch {
		case !w.fixed && (!w.pattern || f.counts()):
			return false
		case ended:
			u.operands = append(u.operands, w)
		case len(u.operands) > 0 && strings.HasPrefix(w.text, "-") && f.counts():
			return false
		case w.text == "--":
			if f.noEnd {
				return false
			}
			if f.after != nil {
				return u.readAfter(words)
			}
			ended = true
		case len(w.text) > 1 && w.text[0] == '-':
			var ok bool
			if words, ok = u.option(w.text, words); !ok {
				return false
			}
		default:
			u.operands = append(u.operands, w)
		}
	}
	return u.sort()
}

// readAfter matches the options behind "--", which another program gets.
func (u *Use) readAfter(words []word) bool {
	for _, w := range words {
		name, _, has := strings.Cut(w.text, "=")
		if !w.fixed {
			return false
		}
		if v, ok := u.form.after[name]; strings.HasPrefix(w.text, "-") && (!ok || has != (v != noValue)) {
			return false
		}
	}
	return u.sort()
}

// option reads a word with one or more options, and returns the words after it and its values. ok is false if the form
// has no such option.
func (u *Use) option(text string, rest []word) (left []word, ok bool) {
	f := u.form
	take := func(name string, v value, val string, has bool) bool {
		switch v {
		case noValue:
			ok = !has
		case attached:
			ok = true
		case number:
			if ok = !has || digits(val); !has && len(rest) > 0 && rest[0].fixed && digits(rest[0].text) {
				rest = rest[1:]
			}
		case pair:
			if ok = !has && len(rest) > 1 && rest[0].fixed && rest[1].fixed; ok {
				u.given[name] = append(u.given[name], rest[0].text)
				val, rest = rest[1].text, rest[2:]
			}
		case needed, fromFile:
			if !has {
				// Some programs treat a word that begins with a dash as another option.
				if len(rest) == 0 || !rest[0].fixed || strings.HasPrefix(rest[0].text, "-") && !digits(rest[0].text[1:]) {
					return false
				}
				if val, rest = rest[0].text, rest[1:]; f.operands == paths && strings.HasPrefix(val, "@") {
					return false // an argument file for some programs
				}
			}
			if ok = true; v == fromFile {
				u.files = append(u.files, word{text: val, fixed: true})
			}
		}
		if i := strings.LastIndexByte(val, ':'); i >= 0 && name == "-L" && f.operands == revisions { // lines of a file
			u.files = append(u.files, word{text: val[i+1:], fixed: true})
		}
		u.given[name] = append(u.given[name], val)
		return ok && (len(u.operands) == 0 || f.operands != pattern || !slices.Contains(f.first, name))
	}
	if f.digits && digits(text[1:]) {
		return rest, true
	}
	name, val, has := strings.Cut(text, "=")
	if v, known := f.opts[name]; known && (strings.HasPrefix(text, "--") || !has || f.style == wholeWord) {
		return rest, take(name, v, val, has) && (!has || v != number)
	}
	if f.style == wholeWord && strings.HasPrefix(name, "--") {
		if v, known := f.opts[name[1:]]; known {
			return rest, take(name[1:], v, val, has)
		}
	}
	if f.style == wholeWord || strings.HasPrefix(text, "--") {
		return nil, false
	}
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		v, known := f.opts[name]
		if !known {
			return nil, false
		}
		if v == noValue {
			u.given[name] = append(u.given[name], "")
			continue
		}
		return rest, v != pair && f.style != separate && take(name, v, text[i+1:], i+1 < len(text))
	}
	return rest, true
}

// sort finds the files among the operands. It returns false if the operands don't fit the form.
func (u *Use) sort() bool {
	f := u.form
	if f.most > 0 && len(u.operands) > f.most || f.operands == noOperands && len(u.operands) > 0 {
		return false
	}
	list := u.operands
	if f.operands == output {
		for _, o := range list {
			if !o.fixed || o.text == "" || o.text == "-" { // "-" is a file for some programs, and standard output for others
				return false
			}
		}
		u.writes = list
		return true
	}
	switch f.operands {
	case noOperands:
		return true
	case data:
		for _, o := range list {
			if o.pattern {
				return false
			}
		}
		return true
	case pattern:
		if !u.has(f.first...) {
			if len(list) == 0 || !list[0].fixed {
				return false
			}
			list = list[1:]
		}
	case paths, contents, output, revisions:
	}
	for _, o := range list {
		if strings.HasPrefix(o.text, "@") { // an argument file for some programs
			return false
		}
		if o.text == "-" {
			continue
		}
		u.files = append(u.files, o)
		if i := strings.LastIndexByte(o.text, ':'); f.operands == revisions && i >= 0 {
			if magic, _, _ := strings.Cut(o.text, ")"); strings.HasPrefix(magic, ":(") && !plainMagic.MatchString(magic) {
				return false
			}
			u.files = append(u.files, word{text: o.text[i+1:], fixed: true})
			u.rooted = u.rooted || i > 0 && !strings.HasPrefix(o.text[i+1:], "./")
		}
	}
	return true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
