package review

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/review/hunk"
	"weft/backend/review/snapshots"
	"weft/backend/store"
	"weft/backend/store/reviews"
)

// row is what needs review of a file.
type row struct {
	Base  snapshots.State `json:"base"`
	Agent snapshots.State `json:"agent"`
	Made  string          `json:"made,omitzero"`
}

// odd: names of folders are bytes.
var odd = jsontext.AllowInvalidUTF8(true)

func encode(v any) jsontext.Value {
	b, err := json.Marshal(v, odd)
	if err != nil {
		panic(err) // states are plain structs
	}
	return b
}

func stateOf(raw []byte) (s snapshots.State) {
	if json.Unmarshal(raw, &s, odd) != nil {
		s = snapshots.State{Kind: snapshots.Unknown}
	}
	return s
}

// rowOf reads a row, nil where it says that there is none.
func rowOf(raw []byte) *row {
	var w *row
	if len(raw) == 0 || json.Unmarshal(raw, &w, odd) != nil {
		return nil
	}
	return w
}

// fileRow is the row of a file of the store, nil if there is none.
func fileRow(f *reviews.File) *row {
	if f == nil {
		return nil
	}
	return &row{stateOf(f.Base), stateOf(f.Agent), f.Made}
}

// statesIn returns every state that a column of the store holds.
func statesIn(raw []byte) []snapshots.State {
	if w := rowOf(raw); w != nil && w.Base.Kind != "" {
		return []snapshots.State{w.Base, w.Agent}
	}
	return []snapshots.State{stateOf(raw)}
}

// tell notes changes for the turns that they belong to. named is the turn whose agent named the files,
// nil where they were found on disk: then they belong to every turn in progress, unless the agent of
// another one named them.
func (p *place) tell(list []snapshots.Change, named *turn) error {
	p.mu.Lock()
	turns := slices.Collect(maps.Values(p.turns))
	p.mu.Unlock()
	if named != nil {
		turns = []*turn{named}
	}
	for _, t := range turns {
		var mine []snapshots.Change
		for _, c := range list {
			if named != nil || p.belongs(t, &c) {
				mine = append(mine, c)
			}
		}
		if len(mine) == 0 {
			continue
		}
		if err := p.r.record(p.r.ctx, t, mine); err != nil && store.CodeOf(err) != store.CodeNotFound {
			return err
		}
		p.r.opt.OnChange(t.space)
		if p.r.opt.OnFound != nil {
			paths := make([]string, len(mine))
			for i := range mine {
				paths[i] = mine[i].Path
			}
			p.r.opt.OnFound(t.space, t.runID, paths, len(turns) == 1)
		}
	}
	return nil
}

// slack is how far clocks of files may be behind.
const slack = 20_000_000 // ns

// belongs reports whether a change that was found on disk is one of a turn. What it was before may not be
// known by then.
func (p *place) belongs(t *turn, c *snapshots.Change) bool {
	p.mu.Lock()
	by := p.claims[c.Path]
	others := len(by) > 0 && !by[t.space]
	p.mu.Unlock()
	if others {
		return false
	}
	if c.Before.Kind == snapshots.Unknown || t.late && c.Pass < t.pass.Load() {
		// Nobody had looked at it when the turn began; its time tells whether it changed since.
		if c.When < t.since-slack {
			return false
		}
		c.Before = snapshots.State{Kind: snapshots.Unknown}
	}
	return true
}

// record notes what a turn did to files. What it means for the review is worked out before the
// transaction: the store serves everybody.
func (r *Room) record(ctx context.Context, t *turn, list []snapshots.Change) error {
	unlock, err := r.noting.lock(ctx, t.space)
	if err != nil {
		return err
	}
	defer unlock()
	// A look at the whole folder and one at a single file may find the same change before either has noted
	// it as seen. Told twice, it would pass for someone's that has put it back in between.
	list = slices.DeleteFunc(slices.Clone(list), func(c snapshots.Change) bool {
		last, ok := t.told[c.Path]
		return ok && last.When == c.When && last.Before.Same(c.Before) && last.After.Same(c.After)
	})
	if len(list) == 0 {
		return nil
	}
	touches := make([]reviews.Touch, len(list))
	was := make([]*reviews.File, len(list))
	err = r.opt.Store.Reviews.View(ctx, t.space, func(tx *reviews.Tx) error {
		for i, c := range list {
			touch, ok, err := tx.Touch(t.id, c.Path)
			if err != nil {
				return err
			}
			if was[i], err = tx.File(c.Path); err != nil {
				return err
			}
			if !ok {
				touch = reviews.Touch{TurnID: t.id, Path: c.Path, Made: c.Made, Before: encode(c.Before), Was: encode(fileRow(was[i]))}
			}
			touch.After = encode(c.After)
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
				now.Base = r.rebase(ctx, now.Base, agent, c.Before)
			}
		} else if c.Before.Kind != snapshots.Unknown {
			// What needed review before in this turn was decided since.
			now.Base = c.Before
		}
		rows[i] = r.prepare(ctx, c.Path, &now)
	}
	err = r.opt.Store.Reviews.Change(ctx, t.space, func(tx *reviews.Tx) error {
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
		if t.told == nil {
			t.told = map[string]snapshots.Change{}
		}
		for _, c := range list {
			t.told[c.Path] = c
		}
	}
	return err
}

// prepared is what needs review of a file, ready to be stored.
type prepared struct {
	file reviews.File
	none bool
}

// prepare readies what needs review of a file; nil or a row without a difference is nothing.
func (r *Room) prepare(ctx context.Context, path string, w *row) prepared {
	p := prepared{file: reviews.File{Path: path}, none: w == nil || w.Base.Same(w.Agent)}
	if p.none {
		return p
	}
	p.file = reviews.File{Path: path, Made: w.Made, Base: encode(w.Base), Agent: encode(w.Agent), At: r.now()}
	if base, agent, ok := r.texts(ctx, w.Base, w.Agent); ok {
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

// rebase returns the base when someone has changed what the agent left: what they did is theirs.
func (r *Room) rebase(ctx context.Context, base, agent, present snapshots.State) snapshots.State {
	if present.Kind != snapshots.File || base.Kind != snapshots.File && base.Kind != snapshots.Absent {
		return present
	}
	b, a, ok := r.texts(ctx, base, agent)
	now, _, fine := r.texts(ctx, present, present)
	if !ok || !fine || agent.Kind != snapshots.File {
		return present
	}
	change := hunk.Compare(b, a)
	out, err := r.put(change.Rebase(now))
	if err != nil {
		return present
	}
	if base.Kind == snapshots.Absent && out.Size == 0 {
		return base
	}
	out.Mode = base.Mode
	if present.Mode != agent.Mode || base.Kind == snapshots.Absent {
		out.Mode = present.Mode
	}
	return out
}

// put keeps the bytes of a text; the mode is for the caller to fill in.
func (r *Room) put(text []byte) (snapshots.State, error) {
	hash, err := r.snapshots.Put(text)
	return snapshots.State{Kind: snapshots.File, Hash: hash, Size: int64(len(text)), Text: true}, err
}

// texts returns two states as texts; ok is false if one of them cannot be shown as lines or is not kept.
// What is absent is an empty text.
func (r *Room) texts(ctx context.Context, a, b snapshots.State) (one, two []byte, ok bool) {
	if one, ok = r.text(ctx, a); !ok {
		return nil, nil, false
	}
	two, ok = r.text(ctx, b)
	return one, two, ok
}

func (r *Room) text(ctx context.Context, s snapshots.State) ([]byte, bool) {
	switch {
	case s.Kind == snapshots.Absent:
		return nil, true
	case s.Kind != snapshots.File || !s.Text && s.Size > 0:
		return nil, false
	}
	return r.bytes(ctx, s)
}

// bytes returns what a file or link held.
func (r *Room) bytes(ctx context.Context, s snapshots.State) ([]byte, bool) {
	if s.Kind != snapshots.File && s.Kind != snapshots.Link {
		return nil, false
	}
	data, ok, err := r.snapshots.Get(ctx, s.Hash)
	if err != nil {
		r.opt.Log.Error().Err(err).Msg("kept bytes cannot be read")
	}
	return data, ok && err == nil
}
