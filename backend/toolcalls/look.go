package toolcalls

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/patch"
	"weft/backend/pathname"
	"weft/backend/transcript"
)

// Bounds of what is read for one call.
const (
	maxPatchFiles = 64
	maxWhole      = 256 << 10 // bytes of both sides of a diff with the whole file; of longer ones it has what changes
	aroundChange  = 40        // lines of a longer one before and behind that
)

// Disk is what a look reads.
type Disk interface {
	// Exists reports whether there is something at an absolute path that the agent may see.
	Exists(path string) bool
	// Text returns the text of the file at an absolute path. ok is false if there is none.
	Text(path string) (text string, ok bool)
}

// Look says which files have to be read to show what a call changes, and holds what was found.
type Look struct {
	told   *transcript.ToolPatch
	as     Reported
	folder string
	number int // of the looks of a session

	files []patch.File // of the patch in the arguments; nil if there is none to be looked at
	input uint64       // of these
	made  *patched     // found

	parts []part // diffs whose place in their files is not known
}

// Read reads the files. It blocks for the disk, is called once, and needs no lock.
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
	input   uint64 // of the arguments
	reads   int    // how often the files were looked at for it
	title   string
	kind    string
	diffs   []transcript.Content // of the files that it fits
	misfits []string             // files that it doesn't fit, as they are now
	shown   bool                 // the diffs are in the conversation
	before  bool                 // diffs of earlier arguments are
	theirs  bool                 // the agent shows diffs of its own
}

// since takes over what was known of the call by earlier arguments.
func (p *patched) since(was *patched) {
	if was != nil {
		p.reads, p.theirs, p.before = p.reads+was.reads, was.theirs, was.shown || was.before
	}
}

// applying finds out what a patch does with the files of a folder.
type applying struct {
	folder string
	disk   Disk
	status transcript.Status
	out    *patched
	now    map[string]*string // the files as the patch leaves them until now, nil for none
}

// apply fills in what the patch does. The diffs are left out of a call that is replayed.
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
		a.out.misfits = nil // the files have gone on since
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

// shortIn returns what a file is called in a folder; one outside of it keeps its name.
func shortIn(folder, name string) string {
	if rel, err := filepath.Rel(folder, fullIn(folder, name)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// change adds the diff of one file. It reports false if the patch doesn't fit it. What has run has changed the file already.
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
	case f.Op == patch.Update: // some write a new file as the change of an empty one
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
		// What can't be read may fit or not: its patch is shown as text, and nothing is wrong with it.
		return !there && f.Op == patch.Update && (!filepath.IsLocal(shortIn(a.folder, path)) || a.disk.Exists(path))
	}
	a.now[path] = nil
	if f.Op != patch.Delete {
		a.now[to] = &text
	}
	if old == text && there && f.Op == patch.Update {
		return true // it only moves
	}
	before, after, line := narrowed(old, text)
	diff := transcript.Content{Type: "diff", Path: to, OldText: before, NewText: after, NewFile: !there, Line: line}
	for i := range a.out.diffs {
		if d := &a.out.diffs[i]; d.Path == path && len(before)+len(after) == len(old)+len(text) { // one that is changed twice
			d.NewText, d.Path = after, to
			return true
		}
	}
	a.out.diffs = append(a.out.diffs, diff)
	return true
}

// narrowed leaves out what is the same at the beginning and the end of a long file; line is that at which the rest begins, 0 for the first.
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
