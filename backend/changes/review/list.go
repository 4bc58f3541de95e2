package review

import (
	"cmp"
	"context"
	"os"
	"slices"

	"weft/backend/base/fault"
	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store/reviews"
)

// File is a file with changes that need review.
type File struct {
	ID      int64  `json:"id"`
	Path    string `json:"path"`                                                           // relative to the folder
	What    string `json:"what" enum:"added,edited,deleted,renamed,mode,replaced,unknown"` // replaced: a link by a file, or the reverse
	From    string `json:"from"`                                                           // for a renamed file: the old path
	Also    int64  `json:"also"`                                                           // for a renamed file: the ID of the other file
	Version string `json:"version"`                                                        // version that is shown, for the decision
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Shown   bool   `json:"shown"`                                     // it can be compared line by line
	Size    int64  `json:"size"`                                      // present size in bytes
	Reason  string `json:"reason" enum:",binary,large,link,not_kept"` // why it isn't shown
	Changed bool   `json:"changed"`                                   // someone has changed it since the agent did
	Stuck   string `json:"stuck"`                                     // why it can't be restored, or ""
	OldMode string `json:"oldMode"`                                   // as in ls -l, if the mode changed
	NewMode string `json:"newMode"`
}

// Changes is everything that needs review in a space.
type Changes struct {
	Files    []File `json:"files"`
	Coverage string `json:"coverage"` // a sentence about what isn't covered, or ""
	Watching bool   `json:"watching"` // a turn is in progress, or its changes are still being scanned
	// Last is the last undo or rejection, or null if the agent has worked since.
	Last *PutBack `json:"last"`
}

// PutBack is an undo or a rejection that can be redone.
type PutBack struct {
	Turn    int64 `json:"turn"` // for [Reviews.Redo]
	Files   int   `json:"files"`
	Changes int   `json:"changes"` // number of rejected changes, 0 for an undo
	At      int64 `json:"at"`      // unix ms
}

// List returns what needs review in a space, ordered by path. It blocks while it reads each of the files.
func (r *Reviews) List(ctx context.Context, spaceID string) (Changes, error) {
	// This is read before the files: a turn that ends in between either has recorded its changes by then, or counts as
	// in progress.
	out := Changes{Files: []File{}, Watching: r.folders.turn(spaceID) != nil}
	var files []reviews.File
	var last reviews.Turn
	var touches []reviews.Touch
	err := r.store.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		if files, err = tx.Files(); err != nil {
			return err
		}
		if last, _, err = tx.LastTurn("run"); err != nil {
			return err
		}
		newest, n, _, err := tx.NewestTurn()
		if n > 0 && (newest.What == "undo" || newest.What == "reject") {
			out.Last = &PutBack{Turn: newest.ID, Files: n, At: newest.StartedAt}
		}
		if err == nil && out.Last != nil && newest.What == "reject" {
			touches, err = tx.TouchesOf(newest.ID)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	if len(touches) > 0 {
		out.Last.Changes = r.rejected(ctx, touches)
	}
	if last.Late {
		out.Coverage = fault.Text("The last prompt was sent before Weft had read the whole folder. For files that changed right away, the earlier content may be unknown.")
	}
	if p := r.folders.inMemory(ctx, spaceID); p != nil {
		out.Coverage = cmp.Or(p.folder.Coverage(), out.Coverage)
	}
	if len(files) == 0 {
		return out, nil
	}
	p, err := r.folders.find(ctx, spaceID)
	if err != nil {
		return out, err
	}
	root, err := p.open()
	if err != nil {
		return out, err
	}
	defer root.Close()
	if out.Watching {
		if files, err = r.upToDate(ctx, p, root, spaceID, files); err != nil {
			return out, err
		}
	}
	for _, f := range files {
		one := r.contents.view(ctx, f)
		if now, err := p.present(root, f.Path); err == nil {
			one.Changed = !now.Same(stateOf(f.Agent))
		}
		out.Files = append(out.Files, one)
	}
	out.Files = pairRenames(files, out.Files)
	return out, nil
}

// upToDate records the changes of files while a turn is in progress, because they are most likely the agent's and not
// the user's.
func (r *Reviews) upToDate(ctx context.Context, p *trackedFolder, root *os.Root, spaceID string, files []reviews.File) ([]reviews.File, error) {
	stale := false
	for _, f := range files {
		changed, err := p.catchUp(ctx, root, f)
		if err != nil {
			return files, err
		}
		stale = stale || changed
	}
	if !stale {
		return files, nil
	}
	err := r.store.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		files, err = tx.Files()
		return err
	})
	return files, err
}

// catchUp records what has changed in a file since it was last recorded, and reports whether something has.
func (p *trackedFolder) catchUp(ctx context.Context, root *os.Root, f reviews.File) (changed bool, err error) {
	unlock, err := p.files.lock(ctx, f.Path)
	if err != nil {
		return false, err
	}
	defer unlock()
	now, err := p.present(root, f.Path)
	if err != nil || now.Same(stateOf(f.Agent)) {
		return false, nil
	}
	_, err = p.before(f.Path)
	return true, err
}

// view returns a file as it is shown.
func (c *contents) view(ctx context.Context, f reviews.File) File {
	base, agent := stateOf(f.Base), stateOf(f.Agent)
	out := File{ID: f.ID, Path: f.Path, What: changeKind(base, agent), Version: version(base, agent), Added: f.Added, Removed: f.Removed, Size: agent.Size}
	out.Reason = c.reason(ctx, base, agent)
	out.Shown = out.Reason == ""
	if base.Kind == snapshots.File && agent.Kind == snapshots.File && base.Mode != agent.Mode {
		out.OldMode, out.NewMode = base.FileMode().String(), agent.FileMode().String()
	}
	switch {
	case base.Kind == snapshots.Unknown:
		out.Stuck = sentence("Weft hadn't read this file before it changed, so it can't be restored.")
	case (agent.Kind != snapshots.File || base.Hash != agent.Hash) && !c.kept(ctx, base):
		out.Stuck = sentence("It can't be restored. {{reason}}", notKept(base))
	}
	return out
}

// sentence returns a sentence made from a template, which the window translates.
func sentence(template fault.Template, values ...any) string {
	return fault.Say(template, values...).String()
}

// notKept returns why the content of a state isn't stored.
func notKept(s snapshots.State) string {
	if s.Size > snapshots.MaxShown {
		return sentence("This file is too large for Weft to keep.")
	}
	return sentence("The earlier content of this file is no longer stored.")
}

func changeKind(base, agent snapshots.State) string {
	switch {
	case base.Kind == snapshots.Unknown || agent.Kind == snapshots.Unknown:
		return "unknown"
	case base.Kind == snapshots.Absent:
		return "added"
	case agent.Kind == snapshots.Absent:
		return "deleted"
	case base.Kind != agent.Kind:
		return "replaced"
	case base.Hash == agent.Hash:
		return "mode"
	}
	return "edited"
}

// version identifies the two sides of a diff.
func version(base, agent snapshots.State) string {
	return snapshots.Hash(slices.Concat(encode(base), encode(agent)))[:16]
}

// pairRenames merges a deleted file with an added one that has the same content.
func pairRenames(files []reviews.File, list []File) []File {
	gone := map[string]int{} // by hash
	for i, f := range files {
		if list[i].What == "deleted" {
			if base := stateOf(f.Base); base.Kind == snapshots.File && base.Size > 0 {
				gone[base.Hash] = i
			}
		}
	}
	drop := map[int]bool{}
	for i, f := range files {
		if list[i].What != "added" {
			continue
		}
		if from, ok := gone[stateOf(f.Agent).Hash]; ok && !drop[from] {
			list[i].What, list[i].From, list[i].Also = "renamed", list[from].Path, list[from].ID
			list[i].Added, list[i].Removed = 0, 0
			list[i].Changed = list[i].Changed || list[from].Changed
			list[i].Stuck = cmp.Or(list[i].Stuck, list[from].Stuck)
			drop[from] = true
		}
	}
	out := make([]File, 0, len(list))
	for i := range list {
		if !drop[i] {
			out = append(out, list[i])
		}
	}
	return out
}

// rejected counts the changes that a rejection has restored: hunks, or whole files if lines can't be compared.
func (r *Reviews) rejected(ctx context.Context, touches []reviews.Touch) (n int) {
	var gone []snapshots.State // removed files; one of them may be the other half of a rename
	for _, t := range touches {
		if before, after := stateOf(t.Before), stateOf(t.After); after.Kind == snapshots.Absent && before.Kind != snapshots.Absent {
			gone = append(gone, before)
		}
	}
	for i, t := range touches {
		before, after := stateOf(t.Before), stateOf(t.After)
		if snapshots.FolderPath(t.Path) {
			continue
		}
		if at := slices.IndexFunc(gone, after.Same); before.Kind == snapshots.Absent && at >= 0 {
			gone = slices.Delete(gone, at, at+1)
			continue
		}
		one := 1
		if i < maxCompared {
			if a, b, ok := r.contents.texts(ctx, before, after); ok {
				one = max(1, len(hunk.Compare(a, b).Hunks))
			}
		}
		n += one
	}
	return max(1, n)
}
