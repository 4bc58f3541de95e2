// Package savedspace reads what the database keeps of a space that was open before: its queue, the options of its members' sessions, and the displays
// that still wait for an answer, which it takes.
package savedspace

import (
	"context"

	"github.com/rs/zerolog"

	"weft/backend/agentnotes"
	"weft/backend/pending"
	"weft/backend/promptqueue"
	"weft/backend/sessionoptions"
	"weft/backend/store"
	"weft/backend/store/pages"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// Reader reads, and answers displays. All of its methods block for the store, and may be called from any goroutine. Their errors are those of the store.
type Reader struct {
	store *store.Store
	notes *agentnotes.Notes
	log   zerolog.Logger
}

// New makes a reader. notes know what the user last chose for an agent in any space.
func New(st *store.Store, notes *agentnotes.Notes, log zerolog.Logger) Reader {
	return Reader{store: st, notes: notes, log: log}
}

// State is a space's state as it was when it was read.
type State struct {
	Reader
	spaceID string
	snap    *pages.Snapshot
}

// State reads a space's state.
func (r Reader) State(ctx context.Context, spaceID string) (State, error) {
	snap, err := r.store.Pages.Snapshot(ctx, spaceID, 1)
	return State{Reader: r, spaceID: spaceID, snap: snap}, err
}

// Displays returns the displays of a space that wait for the user's answer; not nil.
func (r Reader) Displays(ctx context.Context, spaceID string) ([]pending.Request, error) {
	open, err := r.store.Unfinished.Displays(ctx, spaceID)
	waits := []pending.Request{}
	for _, o := range open {
		waits = append(waits, pending.Kept(&o.Call))
	}
	return waits, err
}

// Title is what a space is called, "" where it is not known.
func (r Reader) Title(spaceID string) string {
	space, err := r.store.Spaces.Get(context.Background(), spaceID)
	if err != nil {
		return ""
	}
	return space.Title
}

// part returns a part of the state as it was last stored, nil if it never was.
func (s State) part(ctx context.Context, key transcript.StateKey) ([]byte, error) {
	if ref := s.snap.StateRefs[string(key)]; ref != nil {
		raw, _, err := s.store.Blobs.Bytes(ctx, ref.Hash)
		return raw, err
	}
	return s.snap.State[string(key)], nil
}

// Queue returns the prompts that wait. One that can't be read is empty, and logged.
func (s State) Queue(ctx context.Context) (promptqueue.Queue, error) {
	raw, err := s.part(ctx, transcript.StateQueue)
	if err != nil || raw == nil {
		return promptqueue.Queue{}, err
	}
	queue, err := promptqueue.Read(raw)
	if err != nil {
		s.log.Warn().Err(err).Str("space", s.spaceID).Msg("the stored queue cannot be read")
	}
	return queue, nil
}

// Options returns the options that a member's session last offered with its agent, with what was in force then: or else what the user last chose for
// the agent anywhere.
func (s State) Options(ctx context.Context, memberID, agentID string) (sessionoptions.Options, error) {
	raw, err := s.part(ctx, transcript.StateSession.Of(memberID))
	if err != nil {
		return sessionoptions.Options{}, err
	}
	if o, ok := sessionoptions.Stored(raw, agentID); ok {
		return o, nil
	}
	values, err := s.notes.Choices(ctx, agentID)
	return sessionoptions.New(values), err
}

// Offered returns what a member's agent can do, as it last said it; nothing if it has never run in the space.
func (s State) Offered(ctx context.Context, memberID, agentID string) (sessionoptions.Can, error) {
	raw, err := s.part(ctx, transcript.StateSession.Of(memberID))
	if err != nil {
		return sessionoptions.Can{}, err
	}
	return sessionoptions.StoredCan(raw, agentID), nil
}

// Cost returns what a member's session has cost, as the agent last reported it.
func (s State) Cost(ctx context.Context, memberID string) (usage.Cost, error) {
	raw, err := s.part(ctx, transcript.StateUsage.Of(memberID))
	if err != nil {
		return usage.Cost{}, err
	}
	return usage.CostOf(raw), nil
}
