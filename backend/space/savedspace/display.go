package savedspace

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/displays"
	"weft/backend/space/requests"
	"weft/backend/store/events"
	"weft/backend/store/pages"
)

// DisplayAnswer is the user's answer to a display of a run that has ended.
type DisplayAnswer struct {
	SpaceID, MessageID string
	Call               string         // id of the display's call
	Answer             jsontext.Value // nil with Cancel
	Cancel             bool           // the user dismissed it
	At                 int64          // unix ms
}

// AnswerDisplay stores an answer and returns the display. It blocks for a commit. The caller must not answer a display
// twice at the same time. It fails with not_waiting if the display was already answered, or can't be.
func (r Reader) AnswerDisplay(ctx context.Context, a DisplayAnswer) (pages.KeptDisplay, error) {
	if err := r.store.Events.Flush(ctx, a.SpaceID); err != nil { // an answer may still be in the journal
		return pages.KeptDisplay{}, err
	}
	kept, found, err := r.store.Pages.Display(ctx, a.SpaceID, a.MessageID, a.Call)
	if err != nil {
		return kept, err
	}
	before, open := r.openOutput(ctx, &kept)
	if !found || open && a.Cancel || !open && !kept.Call.AwaitsAnswer() {
		return kept, requests.ErrNotWaiting
	}
	is := displays.Answered(displays.Output{Answer: a.Answer, Result: before.Result, At: a.At}, requests.AnswerSummary(a.Answer), a.Cancel, true, open)
	c := is.Stored(&kept.Call, kept.At, open)
	_, err = r.store.Events.Append(ctx, events.Append{SpaceID: a.SpaceID, At: a.At, MessageID: a.MessageID, Bodies: c.Bodies, Blobs: c.Blobs, Superseded: c.Superseded})
	return kept, err
}

// Unsent stores that the answer to a display could not be sent to the agent. It blocks for a commit.
func (r Reader) Unsent(ctx context.Context, spaceID, messageID, call string, at int64) error {
	if err := r.store.Events.Flush(ctx, spaceID); err != nil {
		return err
	}
	kept, found, err := r.store.Pages.Display(ctx, spaceID, messageID, call)
	if err != nil || !found {
		return err
	}
	c, ok := displays.Unsent(kept.Call.ID, kept.At, r.output(ctx, &kept), kept.Call.OutputRef)
	if !ok {
		return nil
	}
	_, err = r.store.Events.Append(ctx, events.Append{SpaceID: spaceID, At: at, MessageID: messageID, Bodies: c.Bodies, Blobs: c.Blobs, Superseded: c.Superseded})
	return err
}

// output returns the output of a display. It blocks for a read.
func (r Reader) output(ctx context.Context, kept *pages.KeptDisplay) []byte {
	if ref := kept.Call.OutputRef; ref != nil {
		raw, _, err := r.store.Blobs.Bytes(ctx, ref.Hash)
		if err != nil {
			return nil // without it, the state of the display is unknown
		}
		return raw
	}
	return kept.Call.Output
}

// openOutput returns the output of a display that was shown and can still be answered; open is false for others. It
// blocks for a read.
func (r Reader) openOutput(ctx context.Context, kept *pages.KeptDisplay) (out displays.Output, open bool) {
	return displays.Open(&kept.Call, r.output(ctx, kept))
}
