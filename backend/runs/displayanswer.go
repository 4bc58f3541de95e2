package runs

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/asking"
	"weft/backend/displays"
	"weft/backend/failure"
	"weft/backend/owner"
	"weft/backend/pending"
	"weft/backend/requests"
	"weft/backend/savedspace"
	"weft/backend/store/pages"
)

// AnswerDisplay gives the user's answer to a display, or none with cancel. An agent that waits gets it as the result of its call; one that does
// not (any more) gets it as its next prompt. Errors: not_waiting where the display cannot be answered (any more), invalid.
func (rs Requests) AnswerDisplay(ctx context.Context, spaceID, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	if !cancel && (len(answer) == 0 || len(answer) > requests.MaxAnswer || !answer.IsValid() || answer.Kind() == 'n') {
		return &Error{Code: "invalid", Message: "The answer is no JSON, or it is longer than 64 KB."}
	}
	r, err := rs.m.runtime(ctx, spaceID)
	if err != nil {
		return err
	}
	r.Lock()
	d := r.displays.Find(messageID, toolCallID)
	r.Unlock()
	if d == nil {
		return rs.answerKept(ctx, r, messageID, toolCallID, answer, cancel)
	}
	next := false
	err = r.Do(owner.Command{Final: true, Change: func() (then, undo func(), err error) {
		if !r.displays.Takes(d, cancel) {
			return nil, nil, asking.ErrNotWaiting
		}
		r.answerDisplay(d, answer, cancel)
		next = d.Next()
		return nil, nil, nil
	}})
	if !next || err != nil {
		return err
	}
	return rs.m.Prompts().tellLate(ctx, d.SpaceID, d.MemberID, d.Late(answer, cancel))
}

// answerDisplay gives the user's answer to an open display. The agent learns of it once that is stored. The lock is held.
func (r *spaceRuntime) answerDisplay(d *displays.Display, answer jsontext.Value, cancel bool) {
	hand := r.displays.Resolve(d, answer, requests.AnswerSummary(answer), cancel, r.m.now())
	r.Afterwards(func() {
		if hand() {
			return
		}
		r.w.Run(func() { // the agent has stopped waiting in the meantime
			if err := r.m.Prompts().tellLate(context.Background(), d.SpaceID, d.MemberID, d.Late(answer, cancel)); err != nil {
				r.m.opt.Log.Warn().Err(err).Str("space", r.id).Msg("an agent couldn't be told of an answer")
			}
		})
	})
	r.changed()
}

// tellLate gives an agent an answer that it does not wait for.
func (ps Prompts) tellLate(ctx context.Context, spaceID, memberID string, l displays.Late) error {
	_, _, err := ps.Send(ctx, spaceID, []string{memberID}, l.Prompt())
	if errors.Is(err, errNoMember) {
		return nil // it is gone; the answer stands where it was given
	}
	if err != nil {
		f := failure.Of(err)
		return &Error{Code: f.Code, Err: err, Message: "Your answer is saved, but the agent couldn't be told. Tell it with a prompt. " + f.Message}
	}
	return nil
}

// answerKept answers a display of a run that has ended. The agent is told with its next prompt.
func (rs Requests) answerKept(ctx context.Context, r *spaceRuntime, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	kept, err := r.takeKept(ctx, messageID, toolCallID, answer, cancel)
	if err != nil {
		return err
	}
	rs.m.opt.OnChange(r.id)
	if kept.Source == "" {
		return nil
	}
	return rs.m.Prompts().tellLate(ctx, kept.Source, kept.MemberID, displays.Late{Tool: kept.Call.Name, Title: kept.Call.Title, Input: kept.Call.Input, Answer: answer, Cancel: cancel})
}

// takeKept stores the answer to a display that nobody has answered yet. It blocks for a commit. Error: not_waiting.
func (r *spaceRuntime) takeKept(ctx context.Context, messageID, toolCallID string, answer jsontext.Value, cancel bool) (pages.KeptDisplay, error) {
	r.answering.Lock()
	defer r.answering.Unlock()
	if err := r.Settled(ctx); err != nil {
		return pages.KeptDisplay{}, err
	}
	kept, err := r.m.saved.AnswerDisplay(ctx, savedspace.DisplayAnswer{SpaceID: r.id, MessageID: messageID, Call: toolCallID, Answer: answer, Cancel: cancel, At: r.m.now()})
	if err != nil {
		return kept, err
	}
	r.Lock()
	defer r.Unlock()
	r.kept = slices.DeleteFunc(slices.Clone(r.kept), func(w pending.Request) bool { return w.RequestID == toolCallID })
	r.changed()
	return kept, nil
}
