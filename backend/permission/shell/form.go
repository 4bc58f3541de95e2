package shell

import (
	"slices"
	"strings"
)

// A form is a known way to call a program: which options it may have, and what its operands are. A command that is in the form of its
// program does what the form says and nothing else; see [know].
type form struct {
	acts     bool     // it does more than to read, so that only a rule that names the whole form covers it
	opts     Options  // every option that it may have; any other one, and any abbreviation, is asked about
	digits   bool     // -5 is an option
	style    style    // how options are written
	early    bool     // options end at the first operand
	operands operands // what its operands are
	first    []string // with pattern: options with one of which the first operand isn't a pattern; they stand before it
	most     int      // operands, 0: any number
	named    int      // so many operands belong to what it does, -1: all of them
	noEnd    bool     // "--" isn't known to end the options
	after    Options  // options behind "--" that another program gets; nil: operands stand there
	filter   bool     // without files it only passes on its input
	deep     func(*Use) bool
	check    func(*Use) bool
	read     func(*Use, []word) bool // instead of all this
}

// style is how options are written.
type style byte

const (
	clusters style = iota // as getopt reads them: -abc, and the value of an option may be in its word
	apart                 // letters without values make clusters, and an option with a value is a word of its own
	whole                 // each one is a word with one dash or two, as package flag of Go reads them
)

// operands is what the operands of a form are.
type operands byte

const (
	noOperands operands = iota
	data                // text that names no file
	paths               // files
	contents            // files, and no folders, because it follows links in these
	output              // files that it writes
	pattern             // data first, then files
	revisions           // names of commits, and files
)

// Options are those that a program or a form of it may have, by how they are written.
type Options map[string]value

// TakesValue reports whether the next word is the value of an option, and whether the option is one of these at all.
func (o Options) TakesValue(option string) (takes, known bool) {
	v, known := o[option]
	return v == needed || v == fromFile, known
}

// value is whether an option has a value.
type value byte

const (
	noValue  value = iota
	needed         // -n 5, -n5, --lines 5, --lines=5
	attached       // -U5, --color=always; never the next word
	number         // -j, -j4, -j 4
	fromFile       // as needed; the value is a file
	pair           // two words follow
)

// optionsOf reads options from a text in which ":" behind an option says that it needs a value, "?" that it may have one attached, "~" a
// number, "@" that its value is a file and "::" that two words follow.
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

// program is what is known of a program: forms by their subcommand (of one word or two), "" without one.
type program struct {
	global   Options  // before the subcommand, harmless ones
	packages []string // files that make a folder a package of its own, whose code a form that acts would run
	forms    map[string]*form
}

// word is a word of a command.
type word struct {
	text    string
	fixed   bool // text is what the program gets
	glob    bool // the shell makes names of files of it, if there are such
	pattern bool // it is one of these, and text is a simple pattern for files that doesn't begin with a dash: any number of words, or none
}

// counts reports whether the number of operands decides what they are. None of them may be a pattern then, which is any number of words, and no
// option may follow one, because some versions of a program take it for an operand.
func (f *form) counts() bool {
	return f.early || f.operands == output || f.most > 0 && f.operands == paths
}

// form finds the form that words call, and how many words name it.
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

// read holds words against the options and operands of the form.
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

// readAfter reads what another program gets.
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

// option reads one word that holds one or more options, and returns the words behind it and behind their values. It is not ok if the form has
// no such option.
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
				// What begins with a dash is taken for another option by some programs.
				if len(rest) == 0 || !rest[0].fixed || strings.HasPrefix(rest[0].text, "-") && !digits(rest[0].text[1:]) {
					return false
				}
				if val, rest = rest[0].text, rest[1:]; f.operands == paths && strings.HasPrefix(val, "@") {
					return false // a list of arguments, for some
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
	if v, known := f.opts[name]; known && (strings.HasPrefix(text, "--") || !has || f.style == whole) {
		return rest, take(name, v, val, has) && (!has || v != number)
	}
	if f.style == whole && strings.HasPrefix(name, "--") {
		if v, known := f.opts[name[1:]]; known {
			return rest, take(name[1:], v, val, has)
		}
	}
	if f.style == whole || strings.HasPrefix(text, "--") {
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
		return rest, v != pair && f.style != apart && take(name, v, text[i+1:], i+1 < len(text))
	}
	return rest, true
}

// sort tells the files among the operands.
func (u *Use) sort() bool {
	f := u.form
	if f.most > 0 && len(u.operands) > f.most || f.operands == noOperands && len(u.operands) > 0 {
		return false
	}
	list := u.operands
	if f.operands == output {
		for _, o := range list {
			if !o.fixed || o.text == "" || o.text == "-" { // "-" is a file to some, and the output to others
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
		if strings.HasPrefix(o.text, "@") { // a list of arguments, for some
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
