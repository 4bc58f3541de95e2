package permission

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	Titled  bool           // Title is Weft's, as the agent's was raw arguments
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

	Commands []Command
	Files    []File // that the tool touches
	Writes   []File // that a command, or a redirection of one, writes
	Git      bool   // it may change a git folder, and so what git runs: no rule allows that
	Reads    []File // that commands of known programs read

	real    string   // the folder with links followed
	deep    bool     // a command reads the contents of whole folders
	within  []string // folders in which a tool reaches files that are not named, from the folder
	reading *Reading
	runs    bool // the reading names the programs that its commands start
}

// Describe reads a request. It looks at the disk to follow links.
func Describe(c *Call, at Place) *Subject {
	s := &Subject{Place: at, Said: c.Kind, Tool: c.Tool}
	if !knownKind(s.Said) {
		s.Said = "other"
	}
	s.Kind = s.Said
	f := openFolder(at.Folder)
	in := readInput(c, f)
	s.real = f.real
	r := &Reading{Diff: len(c.Diffs) > 0}
	sh := script{folder: f}
	dir := ""
	if len(in.commands) > 0 {
		// Whatever the agent calls it: it runs a command.
		s.Kind = "execute"
		dir = in.place(r, f, &sh)
		sh.dir = dir
		r.Commands = in.readRuns(&sh)
		s.Line = lineOf(r.Commands)
		if c.Tool != "" && c.Kind != "execute" {
			sh.doubt(unclearForm) // someone else runs it, who knows how
		}
	} else if len(c.Diffs) > 0 && !changes(s.Kind) {
		s.Kind = "edit"
	} else if in.written != "" && !changes(s.Kind) {
		s.Kind = in.written
	}
	s.Commands, s.Writes, s.Reads, s.deep = sh.commands, sh.writes, sh.reads, sh.deep
	s.doubt(sh.unclear)
	s.repositories(f, dir, sh.commands)
	s.files(f, r, c, in.paths)
	for i := range s.Writes {
		t := f.target(s.Writes[i].Named)
		t.Write = true
		r.Files = append(r.Files, t)
	}
	s.gitFolders(f)
	s.doubt(in.unclear)
	switch {
	case in.strange && (looks(s.Kind) || changes(s.Kind)),
		(s.Kind == "think" || s.Kind == "fetch") && len(s.Files) > 0,
		(s.Kind == "read" || changes(s.Kind)) && len(s.Files) == 0:
		s.doubt(unclearForm) // what it does is no more than what the agent says
	}
	if s.Line == "" && touchesFiles(s.Kind) {
		s.reachesWithin(f)
	}
	if c.Long {
		s.doubt(unclearLong)
	}
	if s.Kind == "move" && len(s.Files) < 2 {
		s.doubt(unclearForm)
	}
	in.sent(c.Sent)
	r.Env, r.Raises, r.Other, r.Kind = in.env, in.raises, in.other, s.Kind
	if len(r.Commands) == 0 && len(r.Files) == 0 && !r.Diff {
		r.Title = c.Title
	}
	if !r.cut() {
		s.doubt(unclearLong)
	}
	if s.Line == "" && s.Unclear == unclearForm {
		s.Unclear = unclearArguments // a rule about a kind answers for commands that aren't clear, not for this
	}
	r.Unclear, r.Misfits, r.Titled = s.Unclear, c.Misfits, c.Titled
	s.reading = r
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
func (s *Subject) doubt(why string) {
	if s.Unclear == "" || grave(why) && !grave(s.Unclear) {
		s.Unclear = why
	}
}

// grave reports whether no rule at all may allow what is unclear for that reason.
func grave(why string) bool {
	switch why {
	case unclearSyntax, unclearLong, unclearOutside, unclearRaises, unclearArguments:
		return true
	}
	return false
}

const (
	unclearRaises    = "raises"    // an argument raises rights
	unclearArguments = "arguments" // nobody knows what a tool that isn't said to run commands does with an argument
)

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
func (s *Subject) files(f folder, r *Reading, c *Call, more []string) {
	seen := map[string]bool{}
	for _, p := range slices.Concat(c.Paths, c.Diffs, more) {
		if p == "" || seen[p] {
			continue
		}
		seen[p] = true
		if len(s.Files) >= maxPaths {
			s.doubt(unclearLong)
			r.Files = append(r.Files, Target{Path: p, Outside: true, Write: changes(s.Kind)}) // where it leads was not looked at
			continue
		}
		file := f.file(p, "")
		if file.Real == "" {
			s.doubt(unclearOutside)
		}
		t := f.target(p)
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

// shows reports whether a reading has a file already, that is spelled in another way there and is none that the user is warned of.
func (s *Subject) shows(r *Reading, f folder, t *Target) bool {
	plain := func(t *Target) bool { return t.Real == "" && !t.Outside }
	for i := range r.Files {
		if o := &r.Files[i]; plain(t) && plain(o) && f.full(o.Path) == f.full(t.Path) {
			o.Write = o.Write || t.Write
			return true
		}
	}
	return false
}

// reachesWithin notes where a tool reaches files that the request doesn't name.
func (s *Subject) reachesWithin(f folder) {
	if len(s.Files) == 0 {
		s.within = []string{""}
	}
	for i := range s.Files {
		file := &s.Files[i]
		switch {
		case strings.ContainsAny(file.Named, "*?[{"):
			s.within = append(s.within, "") // a pattern to many tools
		case file.Real != "" && f.isDir(file.Real):
			s.within = append(s.within, strings.ToLower(strings.TrimPrefix(file.Real+"/", "./")))
		}
	}
}

func changes(kind string) bool { return kind == "edit" || kind == "delete" || kind == "move" }
