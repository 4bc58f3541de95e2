package review

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"weft/backend/review/hunk"
	"weft/backend/review/snapshots"
	"weft/backend/store/reviews"
)

// File is a file with changes to review.
type File struct {
	ID      int64  `json:"id"`
	Path    string `json:"path"`                                                           // from the folder
	What    string `json:"what" enum:"added,edited,deleted,renamed,mode,replaced,unknown"` // added, edited, deleted, renamed, mode, replaced (a link by a file or the reverse), unknown
	From    string `json:"from"`                                                           // of a renamed file
	Also    int64  `json:"also"`                                                           // of a renamed file: the other half
	Version string `json:"version"`                                                        // names what is shown, for the decision
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Shown   bool   `json:"shown"`                                     // it can be compared line by line
	Size    int64  `json:"size"`                                      // bytes now
	Reason  string `json:"reason" enum:",binary,large,link,not_kept"` // why it is not shown: binary, large, link, not_kept
	Changed bool   `json:"changed"`                                   // someone has changed it after the agent
	Stuck   string `json:"stuck"`                                     // why it cannot be put back, "" if it can
	OldMode string `json:"oldMode"`                                   // of a file whose mode bits changed, as ls writes them
	NewMode string `json:"newMode"`
}

// Changes is all that needs review in a space.
type Changes struct {
	Files    []File `json:"files"`
	Coverage string `json:"coverage"` // what is not covered, a sentence; "" if everything is
	Watching bool   `json:"watching"` // a turn is in progress or being looked at
	// Last is what was put back last, null if the agent has worked since.
	Last *PutBack `json:"last"`
}

// PutBack is an undo or a rejection that can be taken back.
type PutBack struct {
	Turn  int64 `json:"turn"` // for [Room.Redo]
	Files int   `json:"files"`
	At    int64 `json:"at"` // unix ms
}

// List returns what needs review in a space, by path. It blocks for a look at each of the files.
func (r *Room) List(ctx context.Context, spaceID string) (Changes, error) {
	out := Changes{Files: []File{}}
	var files []reviews.File
	var last reviews.Turn
	err := r.opt.Store.Reviews.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		if files, err = tx.Files(); err != nil {
			return err
		}
		if last, _, err = tx.LastTurn("run"); err != nil {
			return err
		}
		newest, n, _, err := tx.NewestTurn()
		if n > 0 && (newest.What == "undo" || newest.What == "reject") {
			out.Last = &PutBack{newest.ID, n, newest.StartedAt}
		}
		return err
	})
	if err != nil {
		return out, err
	}
	out.Watching = r.turn(spaceID) != nil
	if last.Late {
		out.Coverage = "The last prompt was sent before Weft had read the whole folder. For files that changed right away, the earlier content may be unknown."
	}
	if p := r.inMemory(ctx, spaceID); p != nil {
		out.Coverage = cmp.Or(p.folder.Coverage(), out.Coverage)
	}
	if len(files) == 0 {
		return out, nil
	}
	p, err := r.place(ctx, spaceID)
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
		one := r.view(ctx, f)
		if now, err := p.present(root, f.Path); err == nil {
			one.Changed = !now.Same(stateOf(f.Agent))
		}
		out.Files = append(out.Files, one)
	}
	out.Files = pairRenames(files, out.Files)
	return out, nil
}

// upToDate notes what has changed in files while a turn is in progress: that is the agent's as far as one
// can tell, and no edit of the user.
func (r *Room) upToDate(ctx context.Context, p *place, root *os.Root, spaceID string, files []reviews.File) ([]reviews.File, error) {
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
	err := r.opt.Store.Reviews.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		files, err = tx.Files()
		return err
	})
	return files, err
}

// catchUp notes what has changed in a file since it was noted last, and reports whether that is something.
func (p *place) catchUp(ctx context.Context, root *os.Root, f reviews.File) (changed bool, err error) {
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

// Count returns how many files need review in a space.
func (r *Room) Count(spaceID string) (n int, err error) {
	err = r.opt.Store.Reviews.View(r.ctx, spaceID, func(tx *reviews.Tx) (err error) {
		n, err = tx.CountFiles()
		return err
	})
	return n, err
}

func (r *Room) view(ctx context.Context, f reviews.File) File {
	base, agent := stateOf(f.Base), stateOf(f.Agent)
	out := File{ID: f.ID, Path: f.Path, What: what(base, agent), Version: version(base, agent), Added: f.Added, Removed: f.Removed, Size: agent.Size}
	out.Reason = r.reason(ctx, base, agent)
	out.Shown = out.Reason == ""
	if base.Kind == snapshots.File && agent.Kind == snapshots.File && base.Mode != agent.Mode {
		out.OldMode, out.NewMode = base.FileMode().String(), agent.FileMode().String()
	}
	switch {
	case base.Kind == snapshots.Unknown:
		out.Stuck = "Weft hadn't read this file before it changed, so it can't be restored."
	case (base.Kind == snapshots.File || base.Kind == snapshots.Link) && (agent.Kind != snapshots.File || base.Hash != agent.Hash) && !r.snapshots.Kept(ctx, base.Hash):
		out.Stuck = notKept(base) + ", so it can't be restored."
	}
	return out
}

// notKept says why the bytes of a state are not there.
func notKept(s snapshots.State) string {
	if s.Size > snapshots.MaxShown {
		return "This file is too large for Weft to keep"
	}
	return "The earlier content of this file is no longer stored"
}

func what(base, agent snapshots.State) string {
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

func (r *Room) reason(ctx context.Context, base, agent snapshots.State) string {
	for _, s := range []snapshots.State{base, agent} {
		switch {
		case s.Kind == snapshots.Unknown:
			return "not_kept"
		case s.Kind == snapshots.Link:
			return "link"
		case s.Kind == snapshots.File && s.Size > snapshots.MaxShown:
			return "large"
		case s.Kind == snapshots.File && s.Size > 0 && !s.Text:
			return "binary"
		case s.Kind == snapshots.File && !r.snapshots.Kept(ctx, s.Hash):
			return "not_kept"
		}
	}
	return ""
}

// version names the two sides of what is shown.
func version(base, agent snapshots.State) string {
	return snapshots.Hash(slices.Concat(encode(base), encode(agent)))[:16]
}

// pairRenames joins a file that is gone with one that has the same bytes now.
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

// Hunk is one change of a file, as it is shown. Lines count from 1.
type Hunk struct {
	OldStart int    `json:"oldStart"`
	NewStart int    `json:"newStart"`
	NewLines int    `json:"newLines"`
	Old      string `json:"old"`      // the lines that were there
	Conflict bool   `json:"conflict"` // someone has edited what the agent left
	Now      string `json:"now"`      // of a conflict: what is there now
	NowStart int    `json:"nowStart"`
}

// Diff is what an agent made of a file.
type Diff struct {
	File
	Text  string `json:"text"` // as the agent left it
	Hunks []Hunk `json:"hunks"`
	// Bytes that are no UTF-8 are shown as marks. What is put back are the bytes.
	Odd bool `json:"odd"`
}

// Diff returns the changes of one file.
func (r *Room) Diff(ctx context.Context, spaceID string, id int64) (Diff, error) {
	p, f, err := r.file(ctx, spaceID, id)
	if err != nil {
		return Diff{}, err
	}
	root, err := p.open()
	if err != nil {
		return Diff{}, err
	}
	defer root.Close()
	out := Diff{File: r.view(ctx, *f), Hunks: []Hunk{}}
	now, err := p.present(root, f.Path)
	if err != nil {
		return Diff{}, err
	}
	agent := stateOf(f.Agent)
	out.Changed = !now.Same(agent)
	base, text, ok := r.texts(ctx, stateOf(f.Base), agent)
	if !ok {
		return out, nil
	}
	change := hunk.Compare(base, text)
	in := change.In(text)
	if out.Changed {
		if present, ok := r.text(ctx, now); ok {
			in = change.In(present)
		}
	}
	out.Text, out.Odd = string(text), !utf8.Valid(text) || !utf8.Valid(base)
	for i, h := range change.Hunks {
		at := in.Places[i]
		one := Hunk{OldStart: h.OldStart + 1, NewStart: h.NewStart + 1, NewLines: h.NewEnd - h.NewStart, Old: joined(change.Base[h.OldStart:h.OldEnd]), Conflict: !at.Holds, NowStart: at.Start + 1}
		if one.Conflict {
			one.Now = joined(in.Lines[at.Start:at.End])
		}
		out.Hunks = append(out.Hunks, one)
	}
	return out, nil
}

func joined(lines []string) string {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	b := make([]byte, 0, n)
	for _, l := range lines {
		b = append(b, l...)
	}
	return string(b)
}

func (r *Room) file(ctx context.Context, spaceID string, id int64) (*place, *reviews.File, error) {
	p, err := r.place(ctx, spaceID)
	if err != nil {
		return nil, nil, err
	}
	var f *reviews.File
	err = r.opt.Store.Reviews.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		f, err = tx.FileByID(id)
		return err
	})
	if err == nil && f == nil {
		err = &Error{Code: "not_found", Message: "There is nothing left to review in this file."}
	}
	return p, f, err
}

func moved(path string) string {
	return fmt.Sprintf("%s has changed since you opened it. Refresh and try again.", path)
}
