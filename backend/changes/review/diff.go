package review

import (
	"context"
	"unicode/utf8"

	"weft/backend/base/fault"
	"weft/backend/changes/review/hunk"
	"weft/backend/store/reviews"
)

// Hunk is one change of a file as it is shown. Lines are 1-based.
type Hunk struct {
	OldStart int    `json:"oldStart"`
	NewStart int    `json:"newStart"`
	NewLines int    `json:"newLines"`
	Old      string `json:"old"`      // the lines before the change
	Conflict bool   `json:"conflict"` // someone has edited what the agent left
	Now      string `json:"now"`      // for a conflict: the present lines
	NowStart int    `json:"nowStart"`
}

// Diff is what an agent changed in a file.
type Diff struct {
	File
	Text  string `json:"text"` // as the agent left it
	Hunks []Hunk `json:"hunks"`
	// Odd reports that the file isn't valid UTF-8. Invalid bytes are shown as replacement characters, but restored
	// unchanged.
	Odd bool `json:"odd"`
}

// Diff returns the changes of one file.
func (r *Reviews) Diff(ctx context.Context, spaceID string, id int64) (Diff, error) {
	p, f, err := r.file(ctx, spaceID, id)
	if err != nil {
		return Diff{}, err
	}
	root, err := p.open()
	if err != nil {
		return Diff{}, err
	}
	defer root.Close()
	out := Diff{File: r.contents.view(ctx, *f), Hunks: []Hunk{}}
	now, err := p.present(root, f.Path)
	if err != nil {
		return Diff{}, err
	}
	agent := stateOf(f.Agent)
	out.Changed = !now.Same(agent)
	base, text, ok := r.contents.texts(ctx, stateOf(f.Base), agent)
	if !ok {
		return out, nil
	}
	change := hunk.Compare(base, text)
	in := change.In(text)
	if out.Changed {
		if present, ok := r.contents.text(ctx, now); ok {
			in = change.In(present)
		}
	}
	out.Text, out.Odd = string(text), !utf8.Valid(text) || !utf8.Valid(base)
	for i, h := range change.Hunks {
		at := in.Locations[i]
		one := Hunk{OldStart: h.OldStart + 1, NewStart: h.NewStart + 1, NewLines: h.NewEnd - h.NewStart, Old: joined(change.Base[h.OldStart:h.OldEnd]), Conflict: !at.Unchanged, NowStart: at.Start + 1}
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

func (r *Reviews) file(ctx context.Context, spaceID string, id int64) (*trackedFolder, *reviews.File, error) {
	p, err := r.folders.find(ctx, spaceID)
	if err != nil {
		return nil, nil, err
	}
	var f *reviews.File
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) (err error) {
		f, err = tx.FileByID(id)
		return err
	})
	if err == nil && f == nil {
		err = fault.New("not_found", "There is nothing left to review in this file.")
	}
	return p, f, err
}

func changedMessage(path string) string {
	return sentence("{{path}} has changed since you opened it. Refresh and try again.", path)
}
