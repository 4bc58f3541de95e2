package actions

import (
	"path/filepath"
	"slices"

	"weft/backend/fault"
	"weft/backend/permission"
)

// The most that is kept and reported of a turn.
const (
	maxFound       = 1024 // files that wait to be judged
	maxFoundGroups = 50
	maxFoundFiles  = 64 // of one group
)

// Found is the files of a space's folder that were found to have changed during a turn, and what of them nobody was asked about.
type Found struct {
	boxed    bool            // the agent runs in a sandbox, which holds it
	mode     permission.Mode // when the agent got the prompt
	rules    *permission.Set
	commands bool            // a command of the agent was reported as not asked about
	files    map[string]bool // files whose change was reported as not asked about
	acted    bool            // a call of the agent may have changed files, and Weft had no say in it
	waiting  []string        // files that are not judged yet
	shared   bool            // another run worked in the folder
	groups   int             // that were reported
}

// FoundGroup is files that were found and that the user should have been asked about, for one reason.
type FoundGroup struct {
	Call     permission.Call // that changed them
	Decision permission.Decision
	// Certain reports that it was this agent: no other run worked in the folder, and the agent made a call that may have changed
	// files, or had asked about one of these and was refused.
	Certain bool
}

// Begin notes what is in force when the agent gets the prompt. Boxed reports that it runs in a sandbox.
func (f *Found) Begin(boxed bool, mode permission.Mode, rules *permission.Set) {
	f.boxed, f.mode, f.rules, f.shared = boxed, mode, rules, false
}

// Ended notes that a call has ended which may have changed files, or not.
func (f *Found) Ended(e *Ended) { f.acted = f.acted || e.MayChange() }

// Reported notes that a call was reported as not asked about: it is the reason for what it changed.
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

// Add takes files that were found; the paths are slash-separated and relative to the folder. Alone reports that no other run can have changed them.
func (f *Found) Add(paths []string, alone bool) {
	f.shared = f.shared || !alone
	for _, path := range paths {
		if len(f.waiting) < maxFound && !slices.Contains(f.waiting, path) {
			f.waiting = append(f.waiting, path)
		}
	}
}

// Waiting reports whether there are files that are not judged yet.
func (f *Found) Waiting() bool { return len(f.waiting) > 0 }

// Weigh judges the files that were found by the rules and the mode that are in force now. Ok reports that there are some that nobody was
// asked about and that the user should have been asked about.
func (t *Turn) Weigh(at permission.Place, rules *permission.Set, mode permission.Mode) (g FoundGroup, ok bool) {
	f := &t.Found
	found := f.waiting
	f.waiting = nil
	if f.boxed || f.commands || mode != f.mode || rules != f.rules || f.groups >= maxFoundGroups || mode != permission.ReadOnly && !rules.Refuses() || t.excusesAll() {
		return g, false
	}
	for _, path := range found {
		full := Path(at.Folder, filepath.FromSlash(path))
		if f.files[full] || t.excuses(full) || len(g.Call.Paths) >= maxFoundFiles {
			continue
		}
		one := permission.Describe(&permission.Call{Kind: Edit, Paths: []string{path}}, at)
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
	g.Certain = !f.shared && f.acted
	return g, true
}
