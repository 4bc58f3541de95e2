package runs

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent/failure"
	"weft/backend/base/fault"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/owner"
	"weft/backend/space/requests"
	"weft/backend/space/savedspace"
	"weft/backend/store/pages"
)

// ToShow is a display that an agent wants to show.
type ToShow struct {
	From  MemberKey // of the run
	To    string    // the space that shows it
	Tool  string
	Title string
	Input jsontext.Value // the arguments to draw
	Sent  jsontext.Value // the arguments as the agent sent them
	Draw  jsontext.Value // how to draw it; nil if the tool has a component
	Await bool           // the call waits for the user's answer
	Open  bool           // the user can answer, but the call doesn't wait
}

// MemberKey identifies a member of a space.
type MemberKey struct{ SpaceID, MemberID string }

// Shown is the result of showing a display.
type Shown struct {
	Answer jsontext.Value // the user's answer
	State  string         // shown, answered, cancelled, expired
	Call   string         // id of the run's call in its own space; "" if it has none
	Fill   Fill           // nil if the display waits for an answer
}

// Fill ends the call of a display that doesn't wait, with a result or an error.
type Fill func(result jsontext.Value, err error)

// Show shows a display in the space d.To, in the message of the run in progress of d.From. With Await it blocks until
// the user has answered or ctx ends. If ctx ends first, the state is "expired" and a later answer is sent to the agent
// as a prompt. Errors: *Error (no_run, not_member, no_space).
func (ts Tools) Show(ctx context.Context, d ToShow) (Shown, error) {
	s, r, err := ts.runIn(d.From)
	if err != nil {
		return Shown{}, err
	}
	away := d.To != d.From.SpaceID
	if away {
		if _, err = ts.memberOf(ctx, s, d.To); err != nil {
			ts.Pass(d.From, d.Tool, d.Sent)
			return Shown{}, err
		}
	}
	title := ""
	if away {
		title = ts.quotedTitle(d.To)
	}
	shown := displays.New(displays.Display{
		Request: s.w.newID("ask"), Tool: d.Tool, Title: d.Title, Input: d.Input, Open: d.Open, At: ts.m.now(), RunID: r.id, SpaceID: d.From.SpaceID, MemberID: d.From.MemberID,
	})
	in := s.spaceRuntime
	s.Lock()
	gate, g, late := s.claimed(ctx, d.Tool, d.Sent)
	if s.run != r {
		s.Unlock()
		return Shown{}, errNoRun
	}
	c, call, drawn := gate.TakeDisplay(g, d.To)
	if !away {
		if g != nil { // a mention may have ended its message meanwhile
			shown.Fold = s.turns.With(g.ID)
		}
		if shown.Fold == nil || shown.Fold.RunID != r.id {
			shown.Fold = r.currentFold()
		}
		if g != nil {
			shown.Call, g.Drawn = g.ID, true
		} else if late != nil {
			late.Drawn = true
		}
		s.draw(shown, d.Await, displays.EncodeDrawn(d.Draw, nil))
		s.changed()
		stored := s.Unstored()
		s.Unlock()
		select {
		case <-stored:
		case <-ctx.Done(): // handled below
		}
	} else {
		if !drawn {
			c = r.in(d.To)
		}
		if shown.Call = call; g != nil {
			gate.UndrawHere(g)
		}
		gate.Retitle(g, gatedrafts.ShownIn(d.Title, title), d.Input)
		if !d.Await && g != nil { // the row shows a summary, because the result is for the agent
			words := gatedrafts.Shown
			s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.ID, Summary: &words}}, ts.m.now())
		}
		mine := ""
		if g != nil {
			mine = g.ID
		}
		from := r.place(mine)
		s.Flush() // the other space may be slow
		s.Unlock()
		err := c.Now(ctx, func(t target, f *transcript.Fold) {
			in, shown.Fold = t.spaceRuntime, f
			from.SpaceName = c.HomeTitle()
			t.draw(shown, d.Await, displays.EncodeDrawn(d.Draw, from))
			t.changed()
		})
		if err != nil && (!d.Await || shown.Expire()) { // it may be drawn later
			return Shown{}, err
		}
	}
	out := Shown{State: "shown"}
	switch {
	case !away:
		out.Call = shown.Call
	case g != nil:
		out.Call = g.ID
	}
	if !d.Await {
		out.Fill = func(result jsontext.Value, err error) { in.fill(shown, result, err) }
		return out, nil
	}
	select {
	case answer, ok := <-shown.Answer():
		return out.answered(answer, ok), nil
	case <-ctx.Done():
	}
	if !shown.Expire() { // the answer arrived at the same moment
		answer, ok := <-shown.Answer()
		return out.answered(answer, ok), nil
	}
	out.State = "expired"
	return out, nil
}

// answered returns s with the user's answer, or as cancelled if ok is false.
func (s Shown) answered(answer jsontext.Value, ok bool) Shown {
	if s.Answer, s.State = answer, "answered"; !ok {
		s.State = "cancelled"
	}
	return s
}

// runIn returns a member's run in progress. Error: no_run.
func (ts Tools) runIn(from MemberKey) (*Session, *run, error) {
	s := ts.m.known(from.SpaceID, from.MemberID)
	if s != nil {
		s.Lock()
		defer s.Unlock()
		if s.run != nil && !s.run.turn.Stopping() {
			return s, s.run, nil
		}
	}
	return nil, nil, errNoRun
}

var errNoRun = newError("no_run", "The run that this is for has ended.")

// quotedTitle returns the title of a space for use in a sentence.
func (ts Tools) quotedTitle(spaceID string) string {
	title := ts.m.saved.Title(spaceID)
	if title == "" {
		return "another space"
	}
	return "“" + title + "”"
}

// draw adds a display to its message. The lock is held.
func (r *spaceRuntime) draw(d *displays.Display, await bool, drawn jsontext.Value) {
	r.displays.Draw(d, await, drawn, func() string { return r.w.newID("display") }, r.m.now())
}

// fill ends a display that doesn't wait for the user.
func (r *spaceRuntime) fill(d *displays.Display, result jsontext.Value, err error) {
	r.Lock()
	defer r.Unlock()
	r.displays.Fill(d, result, err, r.m.now())
	r.Flush()
}

// Recall loads the displays that have been waiting for an answer since before Weft started, so that [Manager.State]
// includes them for spaces that aren't open. It blocks for reads.
func (rs Requests) Recall(ctx context.Context) error {
	spaces, err := rs.m.opt.Store.Unfinished.SpacesWithDisplays(ctx)
	if err != nil {
		return err
	}
	for _, id := range spaces {
		waits, err := rs.m.saved.Displays(ctx, id)
		if err != nil {
			return err
		}
		rs.m.spaces.Recall(id, requests.OldestWaits(waits))
		rs.m.opt.OnChange(id)
	}
	return nil
}

// leaveDisplays keeps the unanswered displays of a run that ends. The lock is held.
func (r *spaceRuntime) leaveDisplays(runID string) {
	for _, d := range r.displays.Leave(runID) {
		r.Effect(d.End)
	}
	r.Touched()
}

// AnswerDisplay sends the user's answer to a display, or cancels the display. If the agent waits, the answer becomes the
// result of its call; otherwise it is sent as a prompt. Errors: not_waiting if the display can't be answered or no longer, invalid.
func (rs Requests) AnswerDisplay(ctx context.Context, spaceID, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	if !cancel && (len(answer) == 0 || len(answer) > requests.MaxAnswer || !answer.IsValid() || answer.Kind() == 'n') {
		return newError("invalid", "The answer isn't JSON, or it is longer than 64 KB.")
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
			return nil, nil, requests.ErrNotWaiting
		}
		next = r.answerDisplay(d, answer, cancel)
		return nil, nil, nil
	}})
	if !next || err != nil {
		return err
	}
	return r.sendLateAnswer(ctx, messageID, toolCallID, pages.Asker{Source: d.SpaceID, MemberID: d.MemberID}, d.Late(answer, cancel))
}

// answerDisplay resolves an open display and passes the answer to the agent once it is stored. next reports whether no
// agent waits: the caller must send the answer as a prompt. The lock is held.
func (r *spaceRuntime) answerDisplay(d *displays.Display, answer jsontext.Value, cancel bool) (next bool) {
	next, hand := r.displays.Resolve(d, answer, requests.AnswerSummary(answer), cancel, r.m.now())
	r.Afterwards(func() {
		if hand() {
			return
		}
		r.w.Run(func() { // the agent has stopped waiting
			asker := pages.Asker{Source: d.SpaceID, MemberID: d.MemberID}
			if err := r.sendLateAnswer(context.Background(), d.Fold.ID, d.Call, asker, d.Late(answer, cancel)); err != nil {
				r.m.opt.Log.Warn().Err(err).Str("space", r.id).Msg("couldn't send an answer to the agent")
			}
		})
	})
	r.changed()
	return next
}

// sendLateAnswer sends an answer as a prompt to the agent that showed the display, in the agent's space. If that fails,
// the display says so.
func (r *spaceRuntime) sendLateAnswer(ctx context.Context, messageID, toolCallID string, to pages.Asker, l displays.Late) error {
	var err error = errNoMember
	if to.Source != "" {
		_, _, err = r.m.Prompts().Send(ctx, to.Source, []string{to.MemberID}, l.Prompt())
	}
	if err == nil {
		return nil
	}
	stored := r.Settled(ctx)
	if stored == nil {
		stored = r.m.saved.Unsent(ctx, r.id, messageID, toolCallID, r.m.now())
	}
	if stored != nil {
		r.m.opt.Log.Warn().Err(stored).Str("space", r.id).Msg("couldn't store that an answer wasn't sent to the agent")
	}
	if fault.CodeOf(err) == fault.NotFound {
		return nil // the member is gone; the display shows the answer and that it wasn't sent
	}
	f := failure.Of(err)
	return newError(f.Code, "Your answer is saved, but couldn't be sent to the agent. Send it as a prompt. {{reason}}", f.Sentence()).Because(err)
}

// answerKept stores the answer to a display of a run that has ended, and sends it to the agent as a prompt.
func (rs Requests) answerKept(ctx context.Context, r *spaceRuntime, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	kept, err := r.takeKept(ctx, messageID, toolCallID, answer, cancel)
	if err != nil {
		return err
	}
	rs.m.opt.OnChange(r.id)
	return r.sendLateAnswer(ctx, messageID, toolCallID, kept.Asker, displays.Late{Tool: kept.Call.Name, Title: kept.Call.Title, Input: kept.Call.Input, Answer: answer, Cancel: cancel})
}

// takeKept stores the answer to such a display and removes it from those that wait. It blocks for a commit. Error:
// not_waiting.
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
	r.kept = slices.DeleteFunc(slices.Clone(r.kept), func(w requests.Wait) bool { return w.RequestID == toolCallID })
	r.changed()
	return kept, nil
}
