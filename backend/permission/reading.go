package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/clip"
	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Reading is what a request would do, as Weft reads it. Each argument of the call is somewhere in it, but for those that are
// null or empty, the folder of the space as the folder of a command, and texts of files that the call's diffs show (decision 0016).
type Reading struct {
	Commands []Run          `json:"commands,omitempty"` // in the order of the request
	Folder   string         `json:"folder,omitzero"`    // absolute; in which the commands run, where it isn't the folder of the space
	Outside  bool           `json:"outside,omitzero"`   // Folder is outside of the space's folder
	Env      []Argument     `json:"env,omitempty"`      // variables that are set for the commands
	Raises   []Argument     `json:"raises,omitempty"`   // arguments that raise rights or switch off a protection
	Files    []files.Target `json:"files,omitempty"`    // that are read or changed
	Other    []Argument     `json:"other,omitempty"`    // every other argument of the call, as JSON where it isn't text
	Unclear  string         `json:"unclear,omitzero"`   // why rules can't decide, as [Subject] has it
	Kind     string         `json:"kind,omitzero"`      // what the request does: execute, edit, read …
	Diff     bool           `json:"diff,omitzero"`      // the call shows changes to files as well
	Misfits  []string       `json:"misfits,omitempty"`  // files that a patch among the arguments doesn't fit, as they are now
	Titled   bool           `json:"titled,omitzero"`    // the call's title is Weft's, as the agent gave it none but its arguments
	Title    string         `json:"title,omitzero"`     // the agent's title, where nothing but that names what would be done: no command, no file, no change
}

// Run is a command that would be started.
type Run struct {
	// Line is the command line, verbatim, that Shell is handed. For a program with a list of arguments it is these, quoted so that a
	// POSIX shell would read the same words.
	Line  string   `json:"line"`
	Shell string   `json:"shell,omitzero"` // the program and its options that read Line, verbatim; "" where the agent chooses
	Args  []string `json:"args,omitempty"` // program and arguments, where they came as a list
	Stdin string   `json:"stdin,omitzero"`
	Runs  []string `json:"runs,omitempty"` // programs that Line starts, wrappers included, in order; at most 32
}

// String is the command in a line: with the shell that reads it, where it is known.
func (r *Run) String() string {
	if r.Shell != "" {
		return r.Shell + " " + shell.Quote([]string{r.Line})
	}
	return r.Line
}

// Argument is a named value, as the agent sent it.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Reading is what the user is shown of the request. It must not be changed.
func (s *Subject) Reading() *Reading { return s.read.get() }

// lazyReading is a reading whose commands name the programs that they start once it is asked for.
type lazyReading struct {
	reading *Reading
	named   bool
}

func (r *lazyReading) get() *Reading {
	if !r.named {
		r.named = true
		for i := range r.reading.Commands {
			r.reading.Commands[i].nameRuns()
		}
	}
	return r.reading
}

// nameRuns fills in Runs, which costs as much as all the rest and decides nothing.
func (r *Run) nameRuns() {
	switch {
	case len(r.Args) > 0:
		r.Runs = shell.ProgramsOf(r.Args)
	case r.Shell != "":
		r.Runs = append([]string{r.Shell}, shell.ProgramsIn(r.Line)...)
	default:
		r.Runs = shell.ProgramsIn(r.Line)
	}
}

// maxReading is about the largest reading, in bytes of JSON. A longer one is cut, at its least important end, and unclear.
const maxReading = 256 << 10

// maxEntries is how many commands and how many files it has at most.
const maxEntries = 1 << 10

// readRuns makes the commands of a call, with what the words of each say to sh.
func (in *input) readRuns(sh *shell.Script) (list []Run) {
	start := sh.Dir
	for i := range in.commands {
		c := &in.commands[i]
		first := len(list)
		for _, line := range c.texts {
			sh.Dir = start // each has a shell of its own
			if len(c.args) > 0 {
				// The command is started with these arguments, or joined with them for a shell: both have to be harmless.
				sh.ReadWords(append(strings.Fields(line), c.args...))
				list = append(list, newRun(append([]string{line}, c.args...)))
				continue
			}
			r := Run{Line: line, Shell: c.shell}
			if c.shell != "" {
				if base := shell.BaseName(c.shell); !shell.IsShell(base) || !shell.IsSystemProgram(c.shell, base) {
					sh.Doubt(unclear.Form)
				}
			}
			before := len(sh.Commands)
			sh.Read(line)
			if len(sh.Commands) == before {
				sh.Doubt(unclear.Form)
			}
			list = append(list, r)
		}
		for _, words := range c.lists {
			sh.Dir = start
			sh.ReadWords(words)
			list = append(list, newRun(words))
		}
		if len(list) == first { // a command was asked for that cannot be read
			sh.Doubt(unclear.Form)
		} else {
			list[first].Stdin = c.stdin
		}
	}
	return list
}

// newRun is a program with its arguments. Where that is a shell with a script, the script is its line.
func newRun(words []string) Run {
	r := Run{Line: shell.Quote(words), Args: words}
	if len(words) < 3 || !shell.IsShell(shell.BaseName(words[0])) {
		return r
	}
	last := len(words) - 1
	for i, word := range words[1:last] {
		switch {
		case word == "--login" || word == "--norc" || word == "--noprofile":
		case len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "leux") == "":
		case i+2 == last && len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "leux") == "c":
			r.Line, r.Shell = words[last], shell.Quote(words[:last])
		default:
			return r
		}
	}
	return r
}

// place notes in which folder the commands run, and returns it as seen from the space's. A call has one reading, so that a second
// folder is shown among the other arguments, and nothing is clear then.
func (in *input) place(r *Reading, f files.Folder, sh *shell.Script) (dir string) {
	for i := range in.commands {
		c := &in.commands[i]
		if c.dir == "" {
			continue
		}
		if in.commands[0].dir != c.dir {
			sh.Doubt(unclear.Form)
			in.other = append(in.other, Argument{Name: c.dirIn, Value: c.dir})
			continue
		}
		if i > 0 {
			continue
		}
		at := f.File(c.dir, "")
		if at.Real == "" {
			sh.Doubt(unclear.Outside)
		}
		dir = at.Real
		t := f.Target(c.dir)
		if dir == "." && (c.dir == "." || filepath.Clean(c.dir) == f.Named || filepath.Clean(c.dir) == f.Real) {
			continue // the space's own
		}
		r.Folder, r.Outside = t.Real, t.Outside
		if r.Folder == "" {
			r.Folder = c.dir
			if !filepath.IsAbs(c.dir) && !strings.HasPrefix(c.dir, "~") {
				r.Folder = filepath.Join(f.Named, c.dir)
			}
		}
		if !strings.HasSuffix(r.Folder, c.dir) {
			in.other = append(in.other, Argument{Name: c.dirIn, Value: c.dir})
		}
	}
	return dir
}

// cut holds the reading below [maxReading], taking first what matters most. It reports false if something had to go.
func (r *Reading) cut() bool {
	b := budget{left: maxReading, short: len(r.Commands) > maxEntries || len(r.Files) > maxEntries}
	r.Commands, r.Files = r.Commands[:min(len(r.Commands), maxEntries)], r.Files[:min(len(r.Files), maxEntries)]
	for i := range r.Commands {
		c := &r.Commands[i]
		c.Line, c.Shell, c.Stdin = b.text(c.Line), b.text(c.Shell), b.text(c.Stdin)
	}
	r.Folder = b.text(r.Folder)
	r.Raises, r.Env = b.arguments(r.Raises), b.arguments(r.Env)
	for i := range r.Files {
		r.Files[i].Path, r.Files[i].Real = b.text(r.Files[i].Path), b.text(r.Files[i].Real)
	}
	r.Misfits = b.texts(r.Misfits)
	for i := range r.Commands { // they repeat the line
		r.Commands[i].Args = b.texts(r.Commands[i].Args)
	}
	r.Title = b.text(r.Title)
	r.Other = b.arguments(r.Other)
	return !b.short
}

// budget is how much of a reading is left.
type budget struct {
	left  int
	short bool // something did not fit
}

// entry is about what the names around a text take.
const entry = 32

func (b *budget) text(s string) string {
	if s == "" {
		return s
	}
	n, size := clip.FitJSON(s, b.left-entry)
	if n < len(s) {
		b.short, b.left = true, 0
		return s[:n]
	}
	b.left -= size + entry
	return s
}

func (b *budget) texts(list []string) []string {
	for i := range list {
		if b.left < entry {
			b.short = true
			return slices.Clip(list[:i])
		}
		if short := b.text(list[i]); len(short) < len(list[i]) {
			return append(slices.Clone(list[:i]), short)
		}
	}
	return list
}

func (b *budget) arguments(list []Argument) []Argument {
	for i := range list {
		if b.left < 2*entry {
			b.short = true
			return list[:i]
		}
		list[i].Name, list[i].Value = b.text(list[i].Name), b.text(list[i].Value)
	}
	return list
}
