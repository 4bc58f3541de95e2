package permission

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Call is a permission request as an agent made it.
type Call struct {
	Kind    string
	Title   string
	Input   jsontext.Value // nil if the agent sent none
	Sent    jsontext.Value // the arguments as the agent sent them, if Weft derived Input from them
	Paths   []string       // of the call's locations
	Diffs   []string       // paths of the changes that the call shows
	Texts   []string       // both sides of these changes, as far as they are known
	Misfits []string       // files to which its patch doesn't apply in their current state
	Titled  bool           // Weft made Title, because the agent's title says less than Weft knows
	Called  string         // the agent's title, if Titled
	Long    bool           // the arguments were too long to keep
	Tool    string         // see [Rule]; "" for the agent's own tools, whatever their names
}

// Place is the origin of a request.
type Place struct {
	SpaceID string
	Folder  string // absolute
	AgentID string
	Disk    *files.View // nil reads the disk
}

// Subject is what a request is about, as far as Weft can tell for certain.
type Subject struct {
	Place
	Kind string // what the request does; "other" if that isn't known
	Said string // the kind according to the agent
	Tool string // as in [Call]
	Line string // the commands as the user sees them, "" if there are none
	// Unclear is why rules about commands and files can't allow the request, or "": syntax, long, outside, raises,
	// arguments, dynamic, form, setting, package or repository. For the first five, no rule can.
	Unclear string

	Commands []shell.Command
	Files    []files.File // touched by the tool
	Writes   []files.File // written by commands and redirections
	Git      bool         // the request may change a git folder, and so what git runs; no rule allows that
	Reads    []files.File // read by commands of known programs

	real  string      // the folder with symbolic links resolved
	reach reach       // what else the request touches
	read  lazyReading // what the user sees
}

// reach is what a request may touch in addition to the files that it names.
type reach struct {
	deep      bool         // a command reads the contents of whole folders
	within    []string     // folders in which a tool reaches files that aren't named, relative to the space's folder
	maybe     []files.File // files that the values of options may name
	unsettled bool         // a command may change where a file in Writes leads
}

// Describe analyzes a request. It resolves symbolic links, and reads the disk for what isn't in the view of its place.
func Describe(c *Call, at Place) *Subject {
	s := &Subject{Place: at, Said: c.Kind, Tool: c.Tool}
	if !knownKind(s.Said) {
		s.Said = "other"
	}
	s.Kind = s.Said
	f := files.Open(at.Folder, at.Disk)
	in := readInput(c, f)
	s.real = f.Real
	r := &Reading{Diff: len(c.Diffs) > 0}
	sh := shell.New(f)
	dir := ""
	if len(in.commands) > 0 {
		// It runs a command, whatever the agent calls it.
		s.Kind = "execute"
		dir = in.place(r, f, sh)
		sh.Dir = dir
		r.Commands = in.readRuns(sh)
		s.Line = lineOf(r.Commands)
		if c.Tool != "" && c.Kind != "execute" {
			sh.MarkUnclear(unclear.Form) // something other than the agent's shell runs it, in an unknown way
		}
	} else if len(c.Diffs) > 0 && !changesFiles(s.Kind) {
		s.Kind = "edit"
	} else if in.written != "" && !changesFiles(s.Kind) {
		s.Kind = in.written
	}
	sh.Settle(dir)
	s.Commands, s.Writes, s.Reads = sh.Commands, sh.Writes, sh.Reads
	s.reach = reach{deep: sh.Deep, maybe: sh.Maybe, unsettled: sh.UnsettledWrites}
	s.markUnclear(sh.Unclear)
	s.files(f, r, c, in.paths)
	for i := range s.Writes {
		t := f.Target(s.Writes[i].Named)
		t.Write = true
		r.Files = append(r.Files, t)
	}
	s.gitFolders(f)
	s.markUnclear(in.unclear)
	switch {
	case in.unknownMember && (readsOnly(s.Kind) || changesFiles(s.Kind)),
		(s.Kind == "think" || s.Kind == "fetch") && len(s.Files) > 0,
		(s.Kind == "read" || changesFiles(s.Kind)) && len(s.Files) == 0:
		s.markUnclear(unclear.Form) // only the agent says what the call does
	}
	if s.Line == "" && touchesFiles(s.Kind) {
		s.reachesWithin(f)
	}
	if c.Long {
		s.markUnclear(unclear.Long)
	}
	if s.Kind == "move" && len(s.Files) < 2 {
		s.markUnclear(unclear.Form)
	}
	in.addRaw(c.Sent)
	r.Env, r.Raises, r.Other, r.Kind = in.env, in.raises, in.other, s.Kind
	if len(r.Commands) == 0 && len(r.Files) == 0 && !r.Diff {
		if r.Title = c.Title; c.Titled {
			r.Title = c.Called
		}
	}
	if !r.cut() {
		s.markUnclear(unclear.Long)
	}
	if s.Line == "" && s.Unclear == unclear.Form {
		s.Unclear = unclear.Arguments // a rule about a kind may allow unclear commands, but not this
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

// markUnclear records why the request can't be judged. The gravest reason is kept.
func (s *Subject) markUnclear(why string) { s.Unclear = unclear.Graver(s.Unclear, why) }

// About returns what the request is about: its commands, or its files, one per line.
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

// files records the files that the tool touches.
func (s *Subject) files(f files.Folder, r *Reading, c *Call, more []string) {
	seen := map[string]bool{}
	for _, p := range slices.Concat(c.Paths, c.Diffs, more) {
		if p == "" || seen[p] {
			continue
		}
		seen[p] = true
		if len(s.Files) >= files.Max {
			s.markUnclear(unclear.Long)
			r.Files = append(r.Files, files.Target{Path: p, Outside: true, Write: changesFiles(s.Kind)}) // its location isn't checked
			continue
		}
		file := f.File(p, "")
		if file.Real == "" {
			s.markUnclear(unclear.Outside)
		}
		t := f.Target(p)
		t.Write = changesFiles(s.Kind) || slices.Contains(c.Diffs, p)
		if slices.Contains(s.Files, file) { // the same file, spelled in two ways
			if !s.shows(r, f, &t) {
				r.Files = append(r.Files, t)
			}
			continue
		}
		s.Files, r.Files = append(s.Files, file), append(r.Files, t)
	}
}

// gitFolders marks the files in git folders, and the request if it changes one of them.
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
		s.Git = s.Git || file.Git && (i >= len(s.Files) || !readsOnly(s.Kind) || !readsOnly(s.Said))
	}
}

// shows reports whether the reading already has the file under another spelling, and the user needn't be warned about
// it.
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

// reachesWithin records where a tool reaches files that the request doesn't name.
func (s *Subject) reachesWithin(f files.Folder) {
	if len(s.Files) == 0 {
		s.reach.within = []string{""}
	}
	for i := range s.Files {
		file := &s.Files[i]
		switch {
		case strings.ContainsAny(file.Named, "*?[{"):
			s.reach.within = append(s.reach.within, "") // many tools treat it as a pattern
		case file.Real != "" && f.IsDir(file.Real):
			s.reach.within = append(s.reach.within, files.Fold(strings.TrimPrefix(file.Real+"/", "./")))
		}
	}
}

// changesFiles reports whether tools of that kind change files.
func changesFiles(kind string) bool { return kind == "edit" || kind == "delete" || kind == "move" }

// readsOnly reports whether tools of that kind only read.
func readsOnly(kind string) bool {
	return kind == "read" || kind == "search" || kind == "fetch" || kind == "think"
}
