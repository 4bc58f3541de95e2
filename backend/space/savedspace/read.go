// Package savedspace reads what the database stores of a space that isn't open: its queue, the options of its members'
// sessions, and the displays that still wait for an answer. It also stores answers to these.
package savedspace

import (
	"context"

	"github.com/rs/zerolog"

	"weft/backend/conversation/transcript"
	"weft/backend/llm/usage"
	"weft/backend/space/agentnotes"
	"weft/backend/space/promptqueue"
	"weft/backend/space/requests"
	"weft/backend/space/sessionoptions"
	"weft/backend/store"
	"weft/backend/store/pages"
)

// Reader reads saved spaces and answers their displays. Its methods block for the store, return its errors, and may be
// called from any goroutine.
type Reader struct {
	store *store.Store
	notes *agentnotes.Notes
	log   zerolog.Logger
}

// New returns a Reader. notes has the options that the user last chose for an agent in any space.
func New(st *store.Store, notes *agentnotes.Notes, log zerolog.Logger) Reader {
	return Reader{store: st, notes: notes, log: log}
}

// State is a snapshot of a space's state.
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

// Displays returns the displays of a space that wait for the user's answer. The result is never nil.
func (r Reader) Displays(ctx context.Context, spaceID string) ([]requests.Wait, error) {
	open, err := r.store.Unfinished.Displays(ctx, spaceID)
	waits := []requests.Wait{}
	for _, o := range open {
		waits = append(waits, requests.KeptWait(&o.Call))
	}
	return waits, err
}

// Title returns the title of a space, or "" if it is unknown.
func (r Reader) Title(spaceID string) string {
	space, err := r.store.Spaces.Get(context.Background(), spaceID)
	if err != nil {
		return ""
	}
	return space.Title
}

// part returns the last stored value of a part of the state, or nil if there is none.
func (s State) part(ctx context.Context, key transcript.StateKey) ([]byte, error) {
	if ref := s.snap.StateRefs[string(key)]; ref != nil {
		raw, _, err := s.store.Blobs.Bytes(ctx, ref.Hash)
		return raw, err
	}
	return s.snap.State[string(key)], nil
}

// Queue returns the queued prompts. If the queue can't be decoded, Queue logs that and returns an empty one.
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

// Options returns the options and values that a member's session with the agent last reported, or else what the user
// last chose for the agent in any space.
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

// Offered returns the capabilities that a member's agent last reported, or none if it never ran in the space.
func (s State) Offered(ctx context.Context, memberID, agentID string) (sessionoptions.Can, error) {
	raw, err := s.part(ctx, transcript.StateSession.Of(memberID))
	if err != nil {
		return sessionoptions.Can{}, err
	}
	return sessionoptions.StoredCan(raw, agentID), nil
}

// Cost returns the cost of a member's session, as its agent last reported it.
func (s State) Cost(ctx context.Context, memberID string) (usage.Cost, error) {
	raw, err := s.part(ctx, transcript.StateUsage.Of(memberID))
	if err != nil {
		return usage.Cost{}, err
	}
	return usage.CostOf(raw), nil
}
