package review

import (
	"context"

	"github.com/rs/zerolog"

	"weft/backend/changes/review/hunk"
	"weft/backend/changes/review/snapshots"
)

// contents stores and reads file contents by their states. It is safe for concurrent use.
type contents struct {
	snapshots *snapshots.Store
	log       zerolog.Logger
}

// put stores a text and returns its state. The caller sets the mode.
func (c *contents) put(text []byte) (snapshots.State, error) {
	hash, err := c.snapshots.Put(text)
	return snapshots.State{Kind: snapshots.File, Hash: hash, Size: int64(len(text)), Text: true}, err
}

// texts returns the text of two states. An absent file is an empty text. ok is false if one of them isn't text or
// isn't stored.
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

// bytes returns the content of a file or link.
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

// kept reports whether the content of a state is stored. A state of another kind has no content.
func (c *contents) kept(ctx context.Context, s snapshots.State) bool {
	return s.Kind != snapshots.File && s.Kind != snapshots.Link || c.snapshots.Kept(ctx, s.Hash)
}

// rebase returns the new base after someone has edited what the agent left, so that the edit isn't counted as the
// agent's.
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

// stateBefore returns the state of a file before the diffs that a tool call reported.
func (c *contents) stateBefore(ctx context.Context, now snapshots.State, reported []fragment) (snapshots.State, error) {
	unknown := snapshots.State{Kind: snapshots.Unknown}
	text, ok := c.text(ctx, now)
	if !ok || len(reported) == 0 || now.Kind != snapshots.File {
		return unknown, nil
	}
	before, absent, ok := revertFragments(text, reported)
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

// reason returns why two states of a file can't be compared line by line; see [File].Reason.
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
