package runs

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/displays"
	"weft/backend/pending"
	"weft/backend/transcript"
)

// ToShow is a display as an agent asks for it.
type ToShow struct {
	From  MemberKey // of the run
	To    string    // the space where it is to stand
	Tool  string
	Title string
	Input jsontext.Value // what is drawn
	Sent  jsontext.Value // as the agent sent it
	Draw  jsontext.Value // how it is drawn, nil where its own component does it
	Await bool           // the user has to answer
	Open  bool           // the user can answer, and nobody waits for it
}

// MemberKey is a member of a space, as the gateway knows it.
type MemberKey struct{ SpaceID, MemberID string }

// Shown is what became of a display.
type Shown struct {
	Answer jsontext.Value // of the user
	State  string         // shown, answered, cancelled, expired
	Call   string         // of the run that shows it in its own space, or that is it there; "" if there is none
	Fill   Fill           // of one that does not wait
}

// Fill ends the call of a display that is not answered by the user: with a result, or with why there is none.
type Fill func(result jsontext.Value, err error)

// Show draws a display in a space: in the message of the run in progress in From. With Await it blocks until the user has
// answered or ctx ends; then state is "expired" and the answer will be the agent's next prompt. Errors: *Error (no_run, not_member, no_space).
func (ts Tools) Show(ctx context.Context, d ToShow) (Shown, error) {
	s, r, err := ts.runIn(d.From)
	if err != nil {
		return Shown{}, err
	}
	away := d.To != d.From.SpaceID
	var as Member
	if away {
		if as, err = ts.memberOf(ctx, s, d.To); err != nil {
			ts.Pass(d.From, d.Tool, d.Sent)
			return Shown{}, err
		}
	}
	title := ""
	if away {
		title = ts.named(d.To)
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
		if g != nil { // its message may have ended meanwhile, with a mention
			shown.Fold = s.turns.With(g.ID)
		}
		if shown.Fold == nil || shown.Fold.RunID != r.id {
			shown.Fold = r.part()
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
		case <-ctx.Done(): // seen to below
		}
	} else {
		if !drawn {
			c = r.in(s, d.To, as)
		}
		if shown.Call = call; g != nil {
			gate.UndrawHere(g)
		}
		gate.Retitle(g, "Show “"+d.Title+"” in "+title, d.Input)
		if !d.Await && g != nil { // its result is for the agent
			words := "Shown"
			s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.ID, Summary: &words}}, ts.m.now())
		}
		mine := ""
		if g != nil {
			mine = g.ID
		}
		from := r.place(mine)
		s.Flush() // it may wait there for long
		s.Unlock()
		err := c.Now(ctx, func(t target, f *transcript.Fold) {
			in, shown.Fold = t.spaceRuntime, f
			t.draw(shown, d.Await, displays.EncodeDrawn(d.Draw, from))
			t.changed()
		})
		if err != nil {
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
	in.Lock()
	defer in.Unlock()
	select {
	case answer, ok := <-shown.Answer(): // it came at the same moment
		return out.answered(answer, ok), nil
	default:
		shown.Expire()
		out.State = "expired"
		return out, nil
	}
}

// answered is the display with its answer; ok is false where there will be none.
func (s Shown) answered(answer jsontext.Value, ok bool) Shown {
	if s.Answer, s.State = answer, "answered"; !ok {
		s.State = "cancelled"
	}
	return s
}

// runIn returns the run of a member that is in progress.
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

var errNoRun = &Error{Code: "no_run", Message: "There is no run in progress that this could belong to."}

// named is a space as it is called in a sentence.
func (ts Tools) named(spaceID string) string {
	title := ts.m.saved.Title(spaceID)
	if title == "" {
		return "another space"
	}
	return "“" + title + "”"
}

// draw puts a display into its message. The lock is held.
func (r *spaceRuntime) draw(d *displays.Display, await bool, drawn jsontext.Value) {
	r.displays.Draw(d, await, drawn, func() string { return r.w.newID("display") }, r.m.now())
}

// fill ends a display that nobody has to answer.
func (r *spaceRuntime) fill(d *displays.Display, result jsontext.Value, err error) {
	r.Lock()
	defer r.Unlock()
	r.displays.Fill(d, result, err, r.m.now())
	r.Flush()
}

// Recall finds the displays that wait since before the start in spaces that nobody has opened yet, so that [Manager.State] tells them. It blocks for reads.
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
		rs.m.spaces.Recall(id, pending.Oldest(waits))
		rs.m.opt.OnChange(id)
	}
	return nil
}

// leaveDisplays is for the end of a run: what it has shown and nobody has answered waits on. The lock is held.
func (r *spaceRuntime) leaveDisplays(runID string) {
	for _, d := range r.displays.Leave(runID) {
		r.Effect(d.End)
	}
	r.Touched()
}
