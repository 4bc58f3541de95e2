package conversation

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/callview"
	"weft/backend/conversation/transcript"
	"weft/backend/space/runs"
	"weft/backend/store"
	"weft/backend/store/pages"
	stored "weft/backend/store/spaces"
)

// Transcripts reads the transcripts of spaces.
type Transcripts struct {
	store  *store.Store
	runs   *runs.Manager
	spaces *spaces.Spaces
	looks  func() callview.Looks // the user's rules about calls
	log    zerolog.Logger
}

// NewTranscripts returns the transcripts of the spaces of a store.
func NewTranscripts(st *store.Store, manager *runs.Manager, all *spaces.Spaces, looks func() callview.Looks, log zerolog.Logger) *Transcripts {
	return &Transcripts{store: st, runs: manager, spaces: all, looks: looks, log: log}
}

// The sizes of pages, in segments.
const (
	firstPage = 60
	maxState  = 1 << 20 // maximum size of one part of the state in a snapshot
)

// OpenSpace returns a space with the last page of its transcript, its state, and the current position in its events. A
// call whose input is still being written has its beginning in `inputText`, up to 1 MB.
func (s *Transcripts) OpenSpace(ctx context.Context, req ref.SpaceRef) (Snapshot, error) {
	for try := 1; ; try++ {
		state := spaces.DoingNow(s.spaces, req.SpaceID)
		before := state.Runs
		row, snap, err := s.snapshot(ctx, req.SpaceID)
		if err != nil {
			return Snapshot{}, err
		}
		// If a run has begun or ended since, it contradicts the page.
		if now := spaces.DoingNow(s.spaces, req.SpaceID); now.Ends == state.Ends && slices.EqualFunc(before, now.Runs, sameRun) {
			state = now
		} else if try < 5 {
			continue
		}
		snap.Space = s.spaces.View(row, state)
		snap.Runs = make([]Run, len(before))
		for i, run := range before {
			snap.Runs[i] = Run{ID: run.ID, MessageID: run.MessageID, AgentID: run.AgentID, MemberID: run.MemberID, StartedAt: run.StartedAt, Stopping: run.Stopping(), SpaceID: run.Home}
			if snap.Run == nil && run.Home == "" {
				snap.Run = &snap.Runs[i]
			}
		}
		return snap, nil
	}
}

func sameRun(a, b runs.RunState) bool { return a.ID == b.ID && a.MessageID == b.MessageID }

func (s *Transcripts) snapshot(ctx context.Context, spaceID string) (row stored.Space, out Snapshot, err error) {
	s.fold(ctx, spaceID)
	snap, err := s.store.Pages.Snapshot(ctx, spaceID, firstPage)
	if err != nil {
		return row, out, err
	}
	if snap.State == nil {
		snap.State = map[string]jsontext.Value{}
	}
	for key, ref := range snap.StateRefs {
		if ref.Size > maxState {
			continue
		}
		raw, _, err := s.store.Blobs.Bytes(ctx, ref.Hash)
		if err != nil {
			return row, out, err
		}
		snap.State[key] = raw
	}
	return snap.Space, Snapshot{Epoch: snap.Epoch, Seq: snap.Seq, Page: snap.Page, State: snap.State}, nil
}

// fold folds a space's events into its rows, so that reads of the rows are current. If that fails, the rows are older,
// and reads return their position.
func (s *Transcripts) fold(ctx context.Context, spaceID string) {
	if err := s.store.Events.Flush(ctx, spaceID); err != nil {
		s.log.Warn().Err(err).Msg("the journal could not be folded before it is read")
	}
}

// Page returns segments before, after or around a position, and the `epoch` and `seq` of the last event that they
// include. Later events continue a message that is still being written.
func (s *Transcripts) Page(ctx context.Context, req PageRequest) (Page, error) {
	s.fold(ctx, req.SpaceID)
	if req.Limit < 1 || req.Limit > 500 {
		req.Limit = firstPage
	}
	if req.Around != nil {
		return s.store.Pages.Around(ctx, req.SpaceID, req.Around.MessageID, req.Around.Segment, req.Limit)
	}
	if req.After != nil {
		return s.store.Pages.After(ctx, req.SpaceID, *req.After, req.Limit)
	}
	return s.store.Pages.Before(ctx, req.SpaceID, req.Before, req.Limit)
}

// Since returns the events after a position, or says that they are no longer stored one by one.
func (s *Transcripts) Since(_ context.Context, req SinceRequest) (Events, error) {
	events, reset, err := s.store.Events.Since(req.SpaceID, req.Epoch, req.Seq)
	if err != nil {
		return Events{}, err
	}
	out := Events{Epoch: req.Epoch, Seq: req.Seq, Reset: reset, Events: make([]jsontext.Value, len(events))}
	for i := range events {
		raw, err := events[i].JSON()
		if err != nil {
			return Events{}, err
		}
		out.Events[i], out.Seq = raw, events[i].Seq
	}
	return out, nil
}

// GroupItems returns the items `from` to `to` of a tool group.
func (s *Transcripts) GroupItems(ctx context.Context, req GroupItemsRequest) ([]pages.ItemView, error) {
	if req.To-req.From > 500 {
		req.To = req.From + 500
	}
	return s.store.Pages.GroupItems(ctx, req.SpaceID, req.MessageID, req.Segment, req.From, req.To)
}

// ToolDetail returns one tool call with its input, content and output.
func (s *Transcripts) ToolDetail(ctx context.Context, req ToolDetailRequest) (pages.ToolDetail, error) {
	return s.store.Pages.ToolDetail(ctx, req.SpaceID, req.MessageID, req.Segment, req.Item)
}

// SegmentText returns a range of a text segment's bytes, cut at character boundaries.
func (s *Transcripts) SegmentText(ctx context.Context, req SegmentTextRequest) (SegmentTextResult, error) {
	text, start, err := s.store.Pages.SegmentText(ctx, req.SpaceID, req.MessageID, req.Segment, req.From, req.To)
	return SegmentTextResult{Text: text, Start: start}, err
}

// MessageBlocks returns a message as content blocks: `text`, `thinking`, `tool_use`, `tool_result`, `display`. They are
// enough to rebuild the view: a text is one segment, and the blocks between texts are one tool group. It reads the
// whole message.
func (s *Transcripts) MessageBlocks(ctx context.Context, req ref.MessageRef) ([]transcript.Block, error) {
	m, err := s.store.Pages.Message(ctx, req.SpaceID, req.MessageID)
	if err != nil {
		return nil, err
	}
	return transcript.Blocks(m.Segments), nil
}

// MessageParts returns a message as ordered parts: texts, reasoning, content, and tool calls with their arguments and
// results. `kind` and `visibility` of a call are as in the window, with the rules of ToolCalls applied. It reads the
// whole message.
func (s *Transcripts) MessageParts(ctx context.Context, req ref.MessageRef) (transcript.CompositeMessage, error) {
	if err := s.store.Events.Flush(ctx, req.SpaceID); err != nil {
		return transcript.CompositeMessage{}, err
	}
	m, err := s.store.Pages.Message(ctx, req.SpaceID, req.MessageID)
	if err != nil {
		return transcript.CompositeMessage{}, err
	}
	s.looks().Apply(m)
	return transcript.Composite(req.SpaceID, m), nil
}
