package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Reading is what a request would do, as Weft understands it. It contains every argument of the call, except those
// that are null or empty, the space's folder as the working directory of a command, and text of files that the call's
// diffs show (decision 0016).
type Reading struct {
	Commands []Run          `json:"commands,omitempty"` // in the order of the request
	Folder   string         `json:"folder,omitzero"`    // working directory of the commands, absolute; empty if it is the folder of the space
	Outside  bool           `json:"outside,omitzero"`   // Folder is outside of the space's folder
	Env      []Argument     `json:"env,omitempty"`      // environment variables of the commands
	Raises   []Argument     `json:"raises,omitempty"`   // arguments that escalate rights or turn off a protection
	Files    []files.Target `json:"files,omitempty"`    // read or changed files
	Other    []Argument     `json:"other,omitempty"`    // all other arguments of the call; JSON unless they are text
	Unclear  string         `json:"unclear,omitzero"`   // why rules can't decide; see [Subject]
	Kind     string         `json:"kind,omitzero"`      // what the request does: execute, edit, read, …
	Diff     bool           `json:"diff,omitzero"`      // the call also shows changes of files
	Misfits  []string       `json:"misfits,omitempty"`  // files to which a patch in the arguments doesn't apply in their current state
	Titled   bool           `json:"titled,omitzero"`    // Weft made the call's title, because the agent sent only arguments
	Title    string         `json:"title,omitzero"`     // the agent's title, if nothing else names what would be done: no command, file or change
}

// Run is a command that would be started.
type Run struct {
	// Line is the command line that Shell gets, unchanged. For a program with a list of arguments, it is the list,
	// quoted so that a POSIX shell would read the same words.
	Line  string   `json:"line"`
	Shell string   `json:"shell,omitzero"` // the program and options that read Line, unchanged; "" if the agent chooses
	Args  []string `json:"args,omitempty"` // program and arguments, if they were sent as a list
	Stdin string   `json:"stdin,omitzero"`
	Runs  []string `json:"runs,omitempty"` // programs that Line starts, in order, including wrappers; at most 32
}

// String returns the command as one line, including its shell if it is known.
func (r *Run) String() string {
	if r.Shell != "" {
		return r.Shell + " " + shell.Quote([]string{r.Line})
	}
	return r.Line
}

// Argument is a named value that the agent sent.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Reading returns what the user is shown of the request. The caller must not change it.
func (s *Subject) Reading() *Reading { return s.read.get() }

// lazyReading is a reading that computes the programs its commands start when it is first read.
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

// nameRuns sets Runs. This is as expensive as everything else together, and no decision depends on it.
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

// maxReading is the approximate size limit of a reading, in bytes of JSON. A longer one is cut at its least important
// end and marked as unclear.
const maxReading = 256 << 10

// maxEntries limits the number of commands, and of files.
const maxEntries = 1 << 10

// readRuns returns the commands of a call, and reads the words of each into sh.
func (in *input) readRuns(sh *shell.Script) (list []Run) {
	start := sh.Dir
	for i := range in.commands {
		c := &in.commands[i]
		first := len(list)
		for _, line := range c.texts {
			sh.Dir = start // each line runs in its own shell
			if len(c.args) > 0 {
				// The agent may start the program with these arguments, or join them to a line for a shell. Both must
				// be harmless.
				sh.ReadWords(append(strings.Fields(line), c.args...))
				list = append(list, newRun(append([]string{line}, c.args...)))
				continue
			}
			r := Run{Line: line, Shell: c.shell}
			if c.shell != "" {
				if base := shell.BaseName(c.shell); !shell.IsShell(base) || !shell.IsSystemProgram(c.shell, base) {
					sh.MarkUnclear(unclear.Form)
				}
			}
			before := len(sh.Commands)
			sh.Read(line)
			if len(sh.Commands) == before {
				sh.MarkUnclear(unclear.Form)
			}
			list = append(list, r)
		}
		for _, words := range c.lists {
			sh.Dir = start
			sh.ReadWords(words)
			list = append(list, newRun(words))
		}
		if len(list) == first { // the call asks for a command that can't be read
			sh.MarkUnclear(unclear.Form)
		} else {
			list[first].Stdin = c.stdin
		}
	}
	return list
}

// newRun returns the run of a program with arguments. If the program is a shell with a script, Line is the script.
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

// place sets the working directory of the commands in r, and returns it relative to the space's folder. A reading has
// one working directory: a second one is shown as another argument, and makes the request unclear.
func (in *input) place(r *Reading, f files.Folder, sh *shell.Script) (dir string) {
	for i := range in.commands {
		c := &in.commands[i]
		if c.dir == "" {
			continue
		}
		if in.commands[0].dir != c.dir {
			sh.MarkUnclear(unclear.Form)
			in.other = append(in.other, Argument{Name: c.dirIn, Value: c.dir})
			continue
		}
		if i > 0 {
			continue
		}
		at := f.File(c.dir, "")
		if at.Real == "" {
			sh.MarkUnclear(unclear.Outside)
		}
		dir = at.Real
		t := f.Target(c.dir)
		if dir == "." && (c.dir == "." || filepath.Clean(c.dir) == f.Named || filepath.Clean(c.dir) == f.Real) {
			continue // the space's folder
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

// cut limits the reading to [maxReading], keeping the most important parts. It returns false if something was removed.
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
	for i := range r.Commands { // Args repeat Line
		r.Commands[i].Args = b.texts(r.Commands[i].Args)
	}
	r.Title = b.text(r.Title)
	r.Other = b.arguments(r.Other)
	return !b.short
}

// budget is the number of bytes that the rest of a reading may use.
type budget struct {
	left  int
	short bool // something did not fit
}

// entry is the approximate size of the JSON around a text.
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
