package toolcalls

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/patch"
	"weft/backend/base/pathname"
	"weft/backend/conversation/transcript"
)

// Limits for one call.
const (
	maxPatchFiles = 64
	maxWhole      = 256 << 10 // bytes of both sides of a diff with the whole file; a larger diff has only what changes
	aroundChange  = 40        // context lines of a larger diff
)

// Disk is the disk access of a look.
type Disk interface {
	// Exists reports whether a file or folder exists at an absolute path that the agent may see.
	Exists(path string) bool
	// Text returns the text of the file at an absolute path. ok is false if there is none.
	Text(path string) (text string, ok bool)
}

// Look names the files that must be read to show what a call changes, and holds the results.
type Look struct {
	told   *transcript.ToolPatch
	as     Reported
	folder string
	number int // sequence number in the session

	files []patch.File // files of the patch in the arguments; nil if there is no patch to apply
	input uint64       // hash of the arguments
	made  *patched     // result

	parts []part // diffs at unknown lines
}

// reads returns for how many diffs and patched files something has to be read.
func (l *Look) reads() int { return len(l.parts) + len(l.files) }

// Snapshot is what a look has read. Another look at the same files can take its results from it.
type Snapshot struct {
	disk   Disk // nil once it is complete
	texts  map[string]*string
	exists map[string]bool
	missed bool // something was asked for that isn't in it
}

// Snapshot reads the files, and returns what it read. It blocks on the disk and needs no lock.
func (l *Look) Snapshot(disk Disk) *Snapshot {
	s := &Snapshot{disk: disk, texts: map[string]*string{}, exists: map[string]bool{}}
	l.Read(s)
	s.disk = nil
	return s
}

// From takes the results of a look from a snapshot, and reports whether it had all of them. It doesn't block. s may be
// nil.
func (l *Look) From(s *Snapshot) bool {
	if s == nil {
		return false
	}
	s.missed = false
	l.Read(s)
	return !s.missed
}

// Exists implements [Disk].
func (s *Snapshot) Exists(path string) bool {
	there, known := s.exists[path]
	switch {
	case known:
	case s.disk == nil:
		s.missed = true
	default:
		there = s.disk.Exists(path)
		s.exists[path] = there
	}
	return there
}

// Text implements [Disk].
func (s *Snapshot) Text(path string) (text string, ok bool) {
	known, read := s.texts[path]
	switch {
	case read && known != nil:
		return *known, true
	case read:
	case s.disk == nil:
		s.missed = true
	default:
		if text, ok = s.disk.Text(path); ok {
			known = &text
		}
		s.texts[path] = known
	}
	return text, ok
}

// Read reads the files. It blocks on the disk and needs no lock.
func (l *Look) Read(disk Disk) {
	for i := range l.parts {
		l.parts[i].find(l.folder, disk)
	}
	if l.files == nil {
		return
	}
	status := transcript.StatusPending
	if l.told.Status != nil {
		status = *l.told.Status
	}
	l.made = &patched{input: l.input, reads: 1}
	a := &applying{folder: l.folder, disk: disk, status: status, out: l.made, now: map[string]*string{}}
	a.apply(l.files, l.as.Replayed)
}

// patched is what the patch in a call's arguments would change.
type patched struct {
	input   uint64 // hash of the arguments
	reads   int    // how often files were read for this call
	title   string
	kind    string
	diffs   []transcript.Content // of the files to which it applies
	misfits []string             // files to which it doesn't apply in their current state
	shown   bool                 // the diffs are in the conversation
	before  bool                 // diffs of earlier arguments are in the conversation
	theirs  bool                 // the agent shows diffs itself
}

// since takes over the state of the patch of earlier arguments.
func (p *patched) since(was *patched) {
	if was != nil {
		p.reads, p.theirs, p.before = p.reads+was.reads, was.theirs, was.shown || was.before
	}
}

// applying applies a patch to copies of the files of a folder.
type applying struct {
	folder string
	disk   Disk
	status transcript.Status
	out    *patched
	now    map[string]*string // the files after the patch so far; nil for a deleted file
}

// apply fills in a.out. A replayed call gets no diffs.
func (a *applying) apply(files []patch.File, replayed bool) {
	disk := &patch.Disk{Folder: a.folder, Exists: a.disk.Exists}
	verbs := map[string]int{}
	var names []string
	for i := range files[:min(len(files), maxPatchFiles)] {
		f := &files[i]
		name := disk.Locate(f.Path, f.Prefixed)
		to := name
		if f.To != "" {
			to = disk.Locate(f.To, f.Prefixed)
		}
		verb, short := patchVerb(f), shortIn(a.folder, name)
		if to != name {
			short += " → " + shortIn(a.folder, to)
		}
		if verbs[verb]++; !slices.Contains(names, short) {
			names = append(names, short)
		}
		if !replayed && !a.change(f, fullIn(a.folder, name), fullIn(a.folder, to)) {
			a.out.misfits = append(a.out.misfits, short)
		}
	}
	if a.status.Ended() {
		a.out.misfits = nil // the files may have changed since
	}
	verb := "Change"
	if len(verbs) == 1 {
		for verb = range verbs {
		}
	}
	a.out.kind = map[string]string{"Delete": "delete", "Move": "move"}[verb]
	if a.out.kind == "" {
		a.out.kind = "edit"
	}
	if a.out.title = verb + " " + names[0]; len(names) > 1 {
		a.out.title = verb + " " + strconv.Itoa(len(names)) + " files"
	}
}

func patchVerb(f *patch.File) string {
	switch {
	case f.Op == patch.Add:
		return "Add"
	case f.Op == patch.Delete:
		return "Delete"
	case f.To != "" && len(f.Hunks) == 0:
		return "Move"
	}
	return "Edit"
}

// fullIn returns the absolute path of a file that an agent names.
func fullIn(folder, name string) string {
	full, _ := pathname.From(folder, filepath.FromSlash(name))
	return filepath.Clean(full)
}

// shortIn returns a file's path relative to the folder. A file outside keeps its name.
func shortIn(folder, name string) string {
	if rel, err := filepath.Rel(folder, fullIn(folder, name)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// change adds the diff of one file. It returns false if the patch doesn't apply. A call that has run has already
// changed the file.
func (a *applying) change(f *patch.File, path, to string) bool {
	var old string
	var there bool
	if known, seen := a.now[path]; seen {
		if there = known != nil; there {
			old = *known
		}
	} else {
		old, there = a.disk.Text(path)
	}
	ran := a.status == transcript.StatusRunning || a.status == transcript.StatusCompleted
	var text string
	err := patch.ErrMisfit
	switch {
	case a.status == transcript.StatusCompleted:
	case there || f.Op == patch.Add:
		text, err = f.Apply(old)
	case f.Op == patch.Update: // some patches create a file as an update of an empty one
		if text, err = f.Apply(""); text == "" && len(f.Hunks) > 0 {
			err = patch.ErrMisfit
		}
	}
	if err != nil && ran {
		after, ok := a.disk.Text(to)
		if text = after; ok || f.Op == patch.Delete {
			old, err = f.Revert(after)
			there = f.Op != patch.Add
		}
	} else if err == nil && a.status == transcript.StatusRunning && f.Op == patch.Add && text == old {
		old, there = "", false // it has just been written
	}
	if err != nil {
		// A patch of an unreadable file may apply or not. It is shown as text, without an error.
		return !there && f.Op == patch.Update && (!filepath.IsLocal(shortIn(a.folder, path)) || a.disk.Exists(path))
	}
	a.now[path] = nil
	if f.Op != patch.Delete {
		a.now[to] = &text
	}
	if old == text && there && f.Op == patch.Update {
		return true // it only moves the file
	}
	before, after, line := narrowed(old, text)
	diff := transcript.Content{Type: "diff", Path: to, OldText: before, NewText: after, NewFile: !there, Line: line}
	for i := range a.out.diffs {
		if d := &a.out.diffs[i]; d.Path == path && len(before)+len(after) == len(old)+len(text) { // a file that is changed twice
			d.NewText, d.Path = after, to
			return true
		}
	}
	a.out.diffs = append(a.out.diffs, diff)
	return true
}

// narrowed removes the common lines at the beginning and end of a long file. line is the first remaining line, or 0
// for the first line of the file.
func narrowed(old, now string) (before, after string, line int) {
	if len(old)+len(now) <= maxWhole || old == "" || now == "" {
		return old, now, 0
	}
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(now, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	head, tail = max(0, head-aroundChange), max(0, tail-aroundChange)
	if head > 0 {
		line = head + 1
	}
	return strings.Join(a[head:len(a)-tail], ""), strings.Join(b[head:len(b)-tail], ""), line
}
