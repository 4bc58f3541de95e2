package review

import (
	"context"

	"github.com/rs/zerolog"

	"weft/backend/review/hunk"
	"weft/backend/review/snapshots"
)

// contents reads and keeps what files held, by their states. It is safe for concurrent use.
type contents struct {
	snapshots *snapshots.Store
	log       zerolog.Logger
}

// put keeps the bytes of a text; the mode is for the caller to fill in.
func (c *contents) put(text []byte) (snapshots.State, error) {
	hash, err := c.snapshots.Put(text)
	return snapshots.State{Kind: snapshots.File, Hash: hash, Size: int64(len(text)), Text: true}, err
}

// texts returns two states as texts; ok is false if one of them cannot be shown as lines or is not kept.
// What is absent is an empty text.
func (c *contents) texts(ctx context.Context, a, b snapshots.State) (one, two []byte, ok bool) {
	if one, ok = c.text(ctx, a); !ok {
		return nil, nil, false
	}
	two, ok = c.text(ctx, b)
	return one, two, ok
}

func (c *contents) text(ctx context.Context, s snapshots.State) ([]byte, bool) {
	switch {
	case s.Kind == snapshots.Absent:
		return nil, true
	case s.Kind != snapshots.File || !s.Text && s.Size > 0:
		return nil, false
	}
	return c.bytes(ctx, s)
}

// bytes returns what a file or link held.
func (c *contents) bytes(ctx context.Context, s snapshots.State) ([]byte, bool) {
	if s.Kind != snapshots.File && s.Kind != snapshots.Link {
		return nil, false
	}
	data, ok, err := c.snapshots.Get(ctx, s.Hash)
	if err != nil {
		c.log.Error().Err(err).Msg("kept bytes cannot be read")
	}
	return data, ok && err == nil
}

// kept reports whether the bytes of a file or link are stored. A state of another kind has none.
func (c *contents) kept(ctx context.Context, s snapshots.State) bool {
	return s.Kind != snapshots.File && s.Kind != snapshots.Link || c.snapshots.Kept(ctx, s.Hash)
}

// rebase returns the base when someone has changed what the agent left: what they did is theirs.
func (c *contents) rebase(ctx context.Context, base, agent, present snapshots.State) snapshots.State {
	if present.Kind != snapshots.File || base.Kind != snapshots.File && base.Kind != snapshots.Absent {
		return present
	}
	b, a, ok := c.texts(ctx, base, agent)
	now, _, fine := c.texts(ctx, present, present)
	if !ok || !fine || agent.Kind != snapshots.File {
		return present
	}
	change := hunk.Compare(b, a)
	out, err := c.put(change.Rebase(now))
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

// undone returns what a file held before the diffs that a tool call told.
func (c *contents) undone(ctx context.Context, now snapshots.State, told []fragment) (snapshots.State, error) {
	unknown := snapshots.State{Kind: snapshots.Unknown}
	text, ok := c.text(ctx, now)
	if !ok || len(told) == 0 || now.Kind != snapshots.File {
		return unknown, nil
	}
	before, absent, ok := takeBack(text, told)
	if absent {
		return snapshots.State{Kind: snapshots.Absent}, nil
	}
	if !ok {
		return unknown, nil
	}
	state, err := c.put(before)
	state.Mode = now.Mode
	return state, err
}

// reason returns why two states of a file cannot be compared line by line, see [File].Reason.
func (c *contents) reason(ctx context.Context, base, agent snapshots.State) string {
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
		case s.Kind == snapshots.File && !c.snapshots.Kept(ctx, s.Hash):
			return "not_kept"
		}
	}
	return ""
}
