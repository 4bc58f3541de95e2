package review

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
	"weft/backend/store"
	"weft/backend/store/reviews"
)

// row is the review state of a file.
type row struct {
	Base  snapshots.State `json:"base"`
	Agent snapshots.State `json:"agent"`
	Made  string          `json:"made,omitzero"`
}

// allowInvalid allows invalid UTF-8, because folder names are bytes.
var allowInvalid = jsontext.AllowInvalidUTF8(true)

func encode(v any) jsontext.Value {
	b, err := json.Marshal(v, allowInvalid)
	if err != nil {
		panic(err) // states are plain structs
	}
	return b
}

func stateOf(raw []byte) (s snapshots.State) {
	if json.Unmarshal(raw, &s, allowInvalid) != nil {
		s = snapshots.State{Kind: snapshots.Unknown}
	}
	return s
}

// rowOf decodes a row. It returns nil if there is none.
func rowOf(raw []byte) *row {
	var w *row
	if len(raw) == 0 || json.Unmarshal(raw, &w, allowInvalid) != nil {
		return nil
	}
	return w
}

// fileRow returns the row of a stored file, or nil.
func fileRow(f *reviews.File) *row {
	if f == nil {
		return nil
	}
	return &row{stateOf(f.Base), stateOf(f.Agent), f.Made}
}

// statesIn returns every state in a column of the store.
func statesIn(raw []byte) []snapshots.State {
	if w := rowOf(raw); w != nil && w.Base.Kind != "" {
		return []snapshots.State{w.Base, w.Agent}
	}
	return []snapshots.State{stateOf(raw)}
}

// recorder stores what turns and decisions did to files, and what needs review. Its methods are safe for concurrent
// use.
type recorder struct {
	store    *reviews.Reviews
	contents *contents
	now      func() time.Time
	onChange func(spaceID string)                                    // see [Options].OnChange
	onFound  func(spaceID, runID string, paths []string, alone bool) // see [Options].OnFound; may be nil

	updates locks // by space; held while its changes are read and updated, so that updates don't mix
}

// at returns the current time in unix ms.
func (r *recorder) at() int64 { return r.now().UnixMilli() }

// row returns what needs review in a file, or nil.
func (r *recorder) row(ctx context.Context, spaceID, path string) (w *row, err error) {
	err = r.store.View(ctx, spaceID, func(tx *reviews.Tx) error {
		f, err := tx.File(path)
		w = fileRow(f)
		return err
	})
	return w, err
}

// report records changes of a turn, and calls onChange and onFound.
func (r *recorder) report(ctx context.Context, t *turn, list []snapshots.Change, alone bool) error {
	if err := r.record(ctx, t, list); err != nil && store.CodeOf(err) != store.CodeNotFound {
		return err
	}
	r.onChange(t.space)
	if r.onFound != nil {
		var paths []string
		for i := range list {
			if !snapshots.FolderPath(list[i].Path) {
				paths = append(paths, list[i].Path)
			}
		}
		if len(paths) > 0 {
			r.onFound(t.space, t.runID, paths, alone)
		}
	}
	return nil
}

// recorded reports whether a change of a file has been recorded for a turn.
func (r *recorder) recorded(ctx context.Context, t *turn, path string) bool {
	unlock, err := r.updates.lock(ctx, t.space)
	if err != nil {
		return false
	}
	defer unlock()
	_, ok := t.recorded[path]
	return ok
}

// record stores what a turn did to files. Everything expensive happens before the transaction, because the store is
// shared.
func (r *recorder) record(ctx context.Context, t *turn, list []snapshots.Change) error {
	unlock, err := r.updates.lock(ctx, t.space)
	if err != nil {
		return err
	}
	defer unlock()
	// A scan of the folder and a look at a single file may find the same change before either has recorded it. If it
	// were recorded twice, it would look as if someone had reverted it in between.
	list = slices.DeleteFunc(slices.Clone(list), func(c snapshots.Change) bool {
		last, ok := t.recorded[c.Path]
		return ok && last.When == c.When && last.Before.Same(c.Before) && last.After.Same(c.After)
	})
	if len(list) == 0 {
		return nil
	}
	touches := make([]reviews.Touch, len(list))
	was := make([]*reviews.File, len(list))
	err = r.store.View(ctx, t.space, func(tx *reviews.Tx) error {
		for i, c := range list {
			touch, ok, err := tx.Touch(t.id, c.Path)
			if err != nil {
				return err
			}
			if was[i], err = tx.File(c.Path); err != nil {
				return err
			}
			if !ok {
				touch = reviews.Touch{TurnID: t.id, Path: c.Path, Before: encode(c.Before), Was: encode(fileRow(was[i]))}
			}
			touch.After = encode(left(&c))
			touches[i] = touch
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows := make([]prepared, len(list))
	for i, c := range list {
		now := row{Base: stateOf(touches[i].Before), Agent: c.After, Made: touches[i].Made}
		if f := was[i]; f != nil {
			now.Base, now.Made = stateOf(f.Base), f.Made
			if agent := stateOf(f.Agent); !agent.Same(c.Before) && c.Before.Kind != snapshots.Unknown {
				now.Base = r.contents.rebase(ctx, now.Base, agent, c.Before)
			}
		} else if c.Before.Kind != snapshots.Unknown {
			// The user has decided about the earlier changes of this turn.
			now.Base = c.Before
		}
		rows[i] = r.prepare(ctx, c.Path, &now)
	}
	err = r.store.Change(ctx, t.space, func(tx *reviews.Tx) error {
		for i := range touches {
			if err := tx.PutTouch(touches[i]); err != nil {
				return err
			}
			if err := rows[i].put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		if t.recorded == nil {
			t.recorded = map[string]snapshots.Change{}
		}
		for _, c := range list {
			t.recorded[c.Path] = c
		}
	}
	return err
}

// left returns what a turn has left of a file, unknown if someone has changed it since.
func left(c *snapshots.Change) snapshots.State {
	if c.Later {
		return snapshots.State{Kind: snapshots.Unknown}
	}
	return c.After
}

// prepared is the review state of a file, ready to be stored.
type prepared struct {
	file reviews.File
	none bool
}

// prepare computes the stored form of a row. A row that is nil or has no difference removes the file from the review.
func (r *recorder) prepare(ctx context.Context, path string, w *row) prepared {
	p := prepared{file: reviews.File{Path: path}, none: w == nil || w.Base.Same(w.Agent)}
	if p.none {
		return p
	}
	p.file = reviews.File{Path: path, Made: w.Made, Base: encode(w.Base), Agent: encode(w.Agent), At: r.at()}
	if base, agent, ok := r.contents.texts(ctx, w.Base, w.Agent); ok {
		p.file.Added, p.file.Removed = hunk.Counts(hunk.Diff(hunk.Lines(base), hunk.Lines(agent)))
	}
	return p
}

func (p *prepared) put(tx *reviews.Tx) error {
	if p.none {
		return tx.DropFile(p.file.Path)
	}
	return tx.PutFile(p.file)
}
