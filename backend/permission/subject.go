package permission

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Call is a request as an agent made it.
type Call struct {
	Kind    string
	Title   string
	Input   jsontext.Value // the tool's arguments, nil if the agent sends none
	Sent    jsontext.Value // as the agent sent them, where Input is what Weft makes of them
	Paths   []string       // of its locations
	Diffs   []string       // paths of the changes that it shows
	Texts   []string       // both sides of these, as far as they are known
	Misfits []string       // files that its patch doesn't fit, as they are now
	Titled  bool           // Title is Weft's, as the agent's says less than is known
	Called  string         // the agent's title then
	Long    bool           // its arguments were too long to be kept
	Tool    string         // see [Rule]; "" for a tool of the agent's own, whatever it is called
}

// Place is where a request is made.
type Place struct {
	SpaceID string
	Folder  string // absolute
	AgentID string
}

// Subject is what a request is about, as far as it can be told for certain.
type Subject struct {
	Place
	Kind string // what it does; "other" if nobody knows
	Said string // the kind that the agent gave it
	Tool string // as in [Call]
	Line string // its commands as they are shown, "" if there are none
	// Unclear is why rules about commands and files cannot allow it, "" if they can: syntax, long, outside, raises, arguments, dynamic,
	// form, setting, package or repository. With one of the first five no rule can.
	Unclear string

	Commands []shell.Command
	Files    []files.File // that the tool touches
	Writes   []files.File // that a command, or a redirection of one, writes
	Git      bool         // it may change a git folder, and so what git runs: no rule allows that
	Reads    []files.File // that commands of known programs read

	real  string      // the folder with links followed
	reach reach       // what it touches besides
	read  lazyReading // what the user is shown
}

// reach is what a request may touch besides the files that it names.
type reach struct {
	deep      bool         // a command reads the contents of whole folders
	within    []string     // folders in which a tool reaches files that are not named, from the folder
	maybe     []files.File // files that the values of options would name
	unsettled bool         // a command may decide where a file of Writes leads
}

// Describe reads a request. It looks at the disk to follow links.
func Describe(c *Call, at Place) *Subject {
	s := &Subject{Place: at, Said: c.Kind, Tool: c.Tool}
	if !knownKind(s.Said) {
		s.Said = "other"
	}
	s.Kind = s.Said
	f := files.Open(at.Folder)
	in := readInput(c, f)
	s.real = f.Real
	r := &Reading{Diff: len(c.Diffs) > 0}
	sh := shell.New(f)
	dir := ""
	if len(in.commands) > 0 {
		// Whatever the agent calls it: it runs a command.
		s.Kind = "execute"
		dir = in.place(r, f, sh)
		sh.Dir = dir
		r.Commands = in.readRuns(sh)
		s.Line = lineOf(r.Commands)
		if c.Tool != "" && c.Kind != "execute" {
			sh.Doubt(unclear.Form) // someone else runs it, who knows how
		}
	} else if len(c.Diffs) > 0 && !changes(s.Kind) {
		s.Kind = "edit"
	} else if in.written != "" && !changes(s.Kind) {
		s.Kind = in.written
	}
	sh.Settle(dir)
	s.Commands, s.Writes, s.Reads = sh.Commands, sh.Writes, sh.Reads
	s.reach = reach{deep: sh.Deep, maybe: sh.Maybe, unsettled: sh.UnsettledWrites}
	s.doubt(sh.Unclear)
	s.files(f, r, c, in.paths)
	for i := range s.Writes {
		t := f.Target(s.Writes[i].Named)
		t.Write = true
		r.Files = append(r.Files, t)
	}
	s.gitFolders(f)
	s.doubt(in.unclear)
	switch {
	case in.strange && (looks(s.Kind) || changes(s.Kind)),
		(s.Kind == "think" || s.Kind == "fetch") && len(s.Files) > 0,
		(s.Kind == "read" || changes(s.Kind)) && len(s.Files) == 0:
		s.doubt(unclear.Form) // what it does is no more than what the agent says
	}
	if s.Line == "" && touchesFiles(s.Kind) {
		s.reachesWithin(f)
	}
	if c.Long {
		s.doubt(unclear.Long)
	}
	if s.Kind == "move" && len(s.Files) < 2 {
		s.doubt(unclear.Form)
	}
	in.sent(c.Sent)
	r.Env, r.Raises, r.Other, r.Kind = in.env, in.raises, in.other, s.Kind
	if len(r.Commands) == 0 && len(r.Files) == 0 && !r.Diff {
		if r.Title = c.Title; c.Titled {
			r.Title = c.Called
		}
	}
	if !r.cut() {
		s.doubt(unclear.Long)
	}
	if s.Line == "" && s.Unclear == unclear.Form {
		s.Unclear = unclear.Arguments // a rule about a kind answers for commands that aren't clear, not for this
	}
	r.Unclear, r.Misfits, r.Titled = s.Unclear, c.Misfits, c.Titled
	s.read.reading = r
	return s
}

func lineOf(runs []Run) string {
	lines := make([]string, len(runs))
	for i := range runs {
		lines[i] = runs[i].String()
	}
	return strings.Join(lines, "\n")
}

// doubt notes why a request cannot be judged; the graver reason stays.
func (s *Subject) doubt(why string) { s.Unclear = unclear.Graver(s.Unclear, why) }

// About is what the request is about in a line or more: its command, or the files.
func (s *Subject) About() string {
	if s.Line != "" {
		return s.Line
	}
	var b strings.Builder
	for i, f := range s.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Named)
	}
	return b.String()
}

// files notes the files that the tool touches.
func (s *Subject) files(f files.Folder, r *Reading, c *Call, more []string) {
	seen := map[string]bool{}
	for _, p := range slices.Concat(c.Paths, c.Diffs, more) {
		if p == "" || seen[p] {
			continue
		}
		seen[p] = true
		if len(s.Files) >= files.Max {
			s.doubt(unclear.Long)
			r.Files = append(r.Files, files.Target{Path: p, Outside: true, Write: changes(s.Kind)}) // where it leads was not looked at
			continue
		}
		file := f.File(p, "")
		if file.Real == "" {
			s.doubt(unclear.Outside)
		}
		t := f.Target(p)
		t.Write = changes(s.Kind) || slices.Contains(c.Diffs, p)
		if slices.Contains(s.Files, file) { // it is spelled in two ways
			if !s.shows(r, f, &t) {
				r.Files = append(r.Files, t)
			}
			continue
		}
		s.Files, r.Files = append(s.Files, file), append(r.Files, t)
	}
}

// gitFolders notes which files lie in a git folder, and whether the request changes one.
func (s *Subject) gitFolders(f files.Folder) {
	touched := make([]*files.File, 0, len(s.Files)+len(s.Writes))
	for i := range s.Files {
		touched = append(touched, &s.Files[i])
	}
	for i := range s.Writes {
		touched = append(touched, &s.Writes[i])
	}
	f.MarkGit(touched)
	for i, file := range touched {
		s.Git = s.Git || file.Git && (i >= len(s.Files) || !looks(s.Kind) || !looks(s.Said))
	}
}

// shows reports whether a reading has a file already, that is spelled in another way there and is none that the user is warned of.
func (s *Subject) shows(r *Reading, f files.Folder, t *files.Target) bool {
	plain := func(t *files.Target) bool { return t.Real == "" && !t.Outside }
	for i := range r.Files {
		if o := &r.Files[i]; plain(t) && plain(o) && f.Full(o.Path) == f.Full(t.Path) {
			o.Write = o.Write || t.Write
			return true
		}
	}
	return false
}

// reachesWithin notes where a tool reaches files that the request doesn't name.
func (s *Subject) reachesWithin(f files.Folder) {
	if len(s.Files) == 0 {
		s.reach.within = []string{""}
	}
	for i := range s.Files {
		file := &s.Files[i]
		switch {
		case strings.ContainsAny(file.Named, "*?[{"):
			s.reach.within = append(s.reach.within, "") // a pattern to many tools
		case file.Real != "" && f.IsDir(file.Real):
			s.reach.within = append(s.reach.within, files.Fold(strings.TrimPrefix(file.Real+"/", "./")))
		}
	}
}

// changes reports whether tools of a kind change files.
func changes(kind string) bool { return kind == "edit" || kind == "delete" || kind == "move" }

// looks reports whether tools of a kind change nothing.
func looks(kind string) bool {
	return kind == "read" || kind == "search" || kind == "fetch" || kind == "think"
}
