package actions

import (
	"path/filepath"
	"slices"

	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/permission/files"
)

// Limits per turn.
const (
	maxFound       = 1024 // files to be judged
	maxFoundGroups = 50
	maxFoundFiles  = 64 // per group
)

// Found is the files of a space's folder that were found to have changed during a turn, and which of them the agent
// should have asked about.
type Found struct {
	sandboxed bool            // the agent runs in a sandbox, which confines it
	mode      permission.Mode // when the agent got the prompt
	rules     *permission.Set
	commands  bool            // a command was reported as not asked about
	files     map[string]bool // files that were reported as not asked about
	acted     bool            // a call may have changed files without Weft having a say
	waiting   []string        // files to be judged
	disk      *files.View     // where they lead; nil reads the disk
	shared    bool            // another run worked in the folder
	groups    int             // reported groups
}

// FoundGroup is a group of found files about which the user should have been asked, for the same reason.
type FoundGroup struct {
	Call     permission.Call // the change, as a call
	About    *permission.Subject
	Decision permission.Decision
	// Certain reports that this agent made the change: no other run worked in the folder, and the agent made a call
	// that may have changed files, or was refused one of these files.
	Certain bool
}

// Begin records what is in force when the agent gets the prompt. sandboxed reports that the agent runs in a sandbox.
func (f *Found) Begin(sandboxed bool, mode permission.Mode, rules *permission.Set) {
	f.sandboxed, f.mode, f.rules, f.shared = sandboxed, mode, rules, false
}

// Ended records an ended call, which may have changed files.
func (f *Found) Ended(e *Ended) { f.acted = f.acted || e.MayChange() }

// Reported records that a call was reported as not asked about, which explains what it changed.
func (f *Found) Reported(about *permission.Subject) {
	f.acted = true
	if about.Line != "" || len(about.Files) == 0 {
		f.commands = true
		return
	}
	if f.files == nil {
		f.files = map[string]bool{}
	}
	for i := range about.Files {
		f.files[Path(about.Folder, about.Files[i].Named)] = true
	}
}

// Add adds found files. The paths are slash-separated and relative to the folder. alone reports that no other run can
// have changed them. disk is where they lead (see [Foresee]), or nil if that isn't known yet.
func (f *Found) Add(paths []string, alone bool, disk *files.View) {
	if f.disk == nil {
		f.disk = disk
	} else {
		f.disk.Take(disk)
	}
	f.shared = f.shared || !alone
	for _, path := range paths {
		if len(f.waiting) < maxFound && !slices.Contains(f.waiting, path) {
			f.waiting = append(f.waiting, path)
		}
	}
}

// Waiting reports whether files are waiting to be judged.
func (f *Found) Waiting() bool { return len(f.waiting) > 0 }

// JudgesFound reports whether the user could have had to be asked about found files, by the rules and the mode in force.
func (t *Turn) JudgesFound(rules *permission.Set, mode permission.Mode) bool {
	f := &t.Found
	return !f.sandboxed && !f.commands && mode == f.mode && rules == f.rules && f.groups < maxFoundGroups &&
		(mode == permission.ReadOnly || rules.Refuses()) && !t.permitsAny()
}

// JudgeFound judges the found files by the rules and the mode in force. ok reports that the user should have been asked
// about some of them, and wasn't.
func (t *Turn) JudgeFound(at permission.Place, rules *permission.Set, mode permission.Mode) (g FoundGroup, ok bool) {
	f := &t.Found
	found := f.waiting
	if f.disk != nil {
		at.Disk = f.disk
	}
	f.waiting, f.disk = nil, nil
	if !t.JudgesFound(rules, mode) {
		return g, false
	}
	for _, path := range found {
		full := Path(at.Folder, filepath.FromSlash(path))
		if f.files[full] || t.permits(full) || len(g.Call.Paths) >= maxFoundFiles {
			continue
		}
		call := edit(path)
		one := permission.Describe(&call, at)
		d := rules.Decide(one, mode)
		if d.Verdict != permission.Rejected || g.Decision.Rule != nil && (d.Rule == nil || d.Rule.ID != g.Decision.Rule.ID) {
			continue
		}
		g.Decision = d
		g.Call.Paths = append(g.Call.Paths, path)
		f.acted = f.acted || t.asked(full)
	}
	if len(g.Call.Paths) == 0 {
		return g, false
	}
	f.groups++
	slices.Sort(g.Call.Paths)
	g.Call.Kind, g.Call.Title = Edit, fault.Text("Changed {{file}}", g.Call.Paths[0])
	if n := len(g.Call.Paths); n > 1 {
		g.Call.Title = fault.Text("Changed {{n}} files", n)
	}
	g.About = permission.Describe(&g.Call, at)
	g.Certain = !f.shared && f.acted
	return g, true
}
