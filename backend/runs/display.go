package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/store"
	"weft/backend/transcript"
)

// display is one that waits for the person, in the room of the space in which it stands.
type display struct {
	id     string // of the request
	call   string
	tool   string
	title  string
	at     int64            // unix ms
	fold   *transcript.Fold // of its message
	source Seat             // of the run
	runID  string
	answer chan jsontext.Value // gets the answer, once, while somebody waits for it
	late   bool                // nobody does any more
}

// DisplayOutput is the output of a display's call.
type DisplayOutput struct {
	Answer jsontext.Value `json:"answer,omitzero"`
	State  string         `json:"state"` // shown, answered, cancelled
	By     string         `json:"by,omitzero"`
	At     int64          `json:"at,omitzero"`   // unix ms
	Late   bool           `json:"late,omitzero"` // the agent is told with its next prompt
}

// ToShow is a display as an agent asks for it.
type ToShow struct {
	From  Seat   // of the run
	To    string // the space where it is to stand
	Tool  string
	Title string
	Input jsontext.Value // what is drawn
	Sent  jsontext.Value // as the agent sent it
	Await bool           // a person has to answer
}

// Seat is a member of a space, as the gateway knows it.
type Seat struct{ SpaceID, MemberID string }

// Shown is what became of a display.
type Shown struct {
	Answer jsontext.Value // of the person
	State  string         // shown, answered, cancelled, expired
	Call   string         // of the run where it stands in its own space, or that is it there; "" if there is none
	Fill   Fill           // of one that does not wait
}

// Fill ends the call of a display that is not answered by a person: with a result, or with why there is none.
type Fill func(result jsontext.Value, err error)

// Show draws a display in a space: in the message of the run that goes on in From. With Await it blocks until the person has
// answered or ctx ends; then state is "expired" and the answer will be the agent's next prompt. Errors: *Error (no_run, not_member, no_space).
func (m *Manager) Show(ctx context.Context, d ToShow) (Shown, error) {
	s, r, err := m.runIn(d.From)
	if err != nil {
		return Shown{}, err
	}
	away := d.To != d.From.SpaceID
	var as Member
	if away {
		if as, err = m.memberOf(ctx, s, d.To); err != nil {
			m.Pass(d.From, d.Tool, d.Sent)
			return Shown{}, err
		}
	}
	shown := &display{id: newID("ask"), tool: d.Tool, title: d.Title, at: m.now(), source: d.From, runID: r.id, answer: make(chan jsontext.Value, 1)}
	target := s.room
	s.mu.Lock()
	g, late := s.claimed(ctx, d.Tool, d.Sent)
	if s.run != r {
		s.mu.Unlock()
		return Shown{}, errNoRun
	}
	c, call := g.takeAway(d.To)
	if !away {
		if g != nil { // its message may have ended meanwhile, with a mention
			shown.fold = s.turns.With(g.id)
		}
		if shown.fold == nil || shown.fold.RunID != r.id {
			shown.fold = s.part(r)
		}
		if g != nil {
			shown.call, g.display, g.run = g.id, true, r.id
		} else if late != nil {
			late.drawn = true
		}
		s.draw(shown, d)
		s.flush()
		s.mu.Unlock()
	} else {
		if c == nil {
			c = r.in(s, d.To, as)
		}
		if shown.call = call; g != nil {
			s.undrawHere(g)
		}
		s.retitle(g, "Show “"+d.Title+"” in "+m.named(d.To))
		s.flush() // it may wait there for long
		s.mu.Unlock()
		err := c.now(ctx, func(t *room, f *transcript.Fold) {
			target, shown.fold = t, f
			t.draw(shown, d)
		})
		if err != nil {
			return Shown{}, err
		}
	}
	m.opt.OnChange(d.To)
	out := Shown{State: "shown"}
	switch {
	case !away:
		out.Call = shown.call
	case g != nil:
		out.Call = g.id
	}
	if !d.Await {
		out.Fill = func(result jsontext.Value, err error) { target.fill(shown, result, err) }
		return out, nil
	}
	select {
	case answer, ok := <-shown.answer:
		return out.answered(answer, ok), nil
	case <-ctx.Done():
	}
	target.mu.Lock()
	defer target.mu.Unlock()
	select {
	case answer, ok := <-shown.answer: // it came at the same moment
		return out.answered(answer, ok), nil
	default:
		shown.late = true
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

// runIn answers the run of a member that goes on.
func (m *Manager) runIn(from Seat) (*Session, *run, error) {
	s := m.known(from.SpaceID, from.MemberID)
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.run != nil && !s.run.stopping {
			return s, s.run, nil
		}
	}
	return nil, nil, errNoRun
}

var errNoRun = &Error{Code: "no_run", Message: "There is no run in progress that this could belong to."}

// retitle says in the agent's own call what became of it. The mutex is held.
func (s *Session) retitle(g *gateCall, title string) {
	if g != nil {
		s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: g.id, Title: &title}}, s.m.now())
		g.titled = true
	}
}

// named is a space as it is called in a sentence.
func (m *Manager) named(spaceID string) string {
	space, err := m.opt.Store.Space(context.Background(), spaceID)
	if err != nil || space.Title == "" {
		return "another space"
	}
	return "“" + space.Title + "”"
}

// draw puts a display into its message. The mutex is held.
func (r *room) draw(d *display, want ToShow) {
	kind, title, now := transcript.KindDisplay, d.title, r.m.now()
	p := &transcript.ToolPatch{ID: d.call, Name: &d.tool, Title: &title, Kind: &kind, Input: want.Input}
	if d.call == "" {
		d.call = newID("display")
		p.ID, p.Announced = d.call, true
	}
	switch {
	case want.Await:
		d.fold.AskDisplay(p, d.id, now)
		r.displays[d.id] = d
	default:
		running := transcript.StatusRunning
		p.Status = &running
		d.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, now)
	}
}

// fill ends a display that nobody has to answer.
func (r *room) fill(d *display, result jsontext.Value, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	status, words := transcript.StatusCompleted, ""
	p := &transcript.ToolPatch{ID: d.call, Status: &status, Summary: &words}
	if err != nil {
		status, words = transcript.StatusFailed, err.Error()
		p.Error = &words
	} else {
		p.Output = encodeOutput(DisplayOutput{Answer: result, State: "shown", At: r.m.now()})
	}
	d.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, r.m.now())
	r.flush()
}

func encodeOutput(o DisplayOutput) jsontext.Value {
	b, err := json.Marshal(o)
	if err != nil {
		return jsontext.Value(`{"state":"` + o.State + `"}`) // the answer is no JSON; the gateway and the service check that
	}
	return b
}

// AnswerDisplay gives the person's answer to a display, or none with cancel. An agent that waits gets it as the result of its call; one that does
// not any more gets it as its next prompt. Errors: not_waiting where the display is not open (any more), invalid.
func (m *Manager) AnswerDisplay(ctx context.Context, spaceID, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	if !cancel && (len(answer) == 0 || len(answer) > maxAnswer || !answer.IsValid() || answer.Kind() == 'n') {
		return &Error{Code: "invalid", Message: "The answer is no JSON, or it is longer than 64 KB."}
	}
	r, err := m.room(ctx, spaceID)
	if err != nil {
		return err
	}
	r.mu.Lock()
	var d *display
	for _, open := range r.displays {
		if open.call == toolCallID && open.fold.ID == messageID {
			d = open
		}
	}
	if d == nil {
		r.mu.Unlock()
		return m.answerKept(ctx, r, messageID, toolCallID, answer, cancel)
	}
	if err := r.ready(); err != nil {
		r.mu.Unlock()
		return err
	}
	delete(r.displays, d.id)
	now := m.now()
	is := answerOf(answer, cancel, d.late, now)
	d.fold.ResolvePermission(d.id, transcript.Resolution{Outcome: "selected", OptionID: is.option}, now)
	d.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: d.call, Status: &is.status, Output: is.output, Summary: &is.summary}}, now)
	unsaved := r.answerSaved() // stored before the agent learns of it
	r.stuck.after(func() {
		if !d.late && !cancel {
			d.answer <- answer
		}
		close(d.answer)
	})
	late := d.late
	r.mu.Unlock()
	m.opt.OnChange(spaceID)
	if !late || unsaved != nil {
		return unsaved
	}
	return m.tellLate(ctx, d.source, d.tool, d.title, answer, cancel)
}

// answered is a person's answer to a display as its call keeps it.
type answered struct {
	option  string // of its request
	status  transcript.Status
	summary string
	output  jsontext.Value
}

// answerOf is an answer that is given now, in unix ms, or none with cancel.
func answerOf(answer jsontext.Value, cancel, late bool, now int64) answered {
	out := DisplayOutput{Answer: answer, State: "answered", By: "person", At: now, Late: late}
	if cancel {
		out.State, out.Answer = "cancelled", nil
		return answered{transcript.DisplayCancel, transcript.StatusRejected, "", encodeOutput(out)}
	}
	return answered{transcript.DisplayAnswer, transcript.StatusCompleted, answerSummary(answer), encodeOutput(out)}
}

// tellLate gives an agent an answer that it does not wait for any more.
func (m *Manager) tellLate(ctx context.Context, to Seat, tool, title string, answer jsontext.Value, cancel bool) error {
	text := fmt.Sprintf("I have answered “%s” (%s), which you showed earlier: %s", title, tool, answer)
	if cancel {
		text = fmt.Sprintf("I will not answer “%s” (%s), which you showed earlier.", title, tool)
	}
	_, _, err := m.Send(ctx, to.SpaceID, []string{to.MemberID}, text)
	if errors.Is(err, errNoMember) {
		return nil // it is gone; the answer stands where it was given
	}
	if err != nil {
		f := Failure(err)
		return &Error{Code: f.Code, Err: err, Message: "Your answer is saved, but the agent couldn't be told. Tell it with a prompt. " + f.Message}
	}
	return nil
}

// answerKept answers a display of a run that ended with the app. The agent is told with its next prompt.
func (m *Manager) answerKept(ctx context.Context, r *room, messageID, toolCallID string, answer jsontext.Value, cancel bool) error {
	open, err := r.takeKept(ctx, messageID, toolCallID, answer, cancel)
	if err != nil {
		return err
	}
	m.opt.OnChange(r.id)
	if open.Source == "" {
		return nil
	}
	return m.tellLate(ctx, Seat{open.Source, open.MemberID}, open.Call.Name, open.Call.Title, answer, cancel)
}

// takeKept stores the answer to a display that nobody has answered yet. It blocks for a commit. Error: not_waiting.
func (r *room) takeKept(ctx context.Context, messageID, toolCallID string, answer jsontext.Value, cancel bool) (store.OpenDisplay, error) {
	r.answering.Lock()
	defer r.answering.Unlock()
	r.mu.Lock()
	r.flush()
	r.mu.Unlock()
	if err := r.m.opt.Store.Flush(ctx, r.id); err != nil { // it may have been answered a moment ago
		return store.OpenDisplay{}, err
	}
	open, found, err := r.m.opt.Store.OpenDisplay(ctx, r.id, messageID, toolCallID)
	if err != nil {
		return open, err
	}
	if !found {
		return open, errNotWaiting
	}
	is := answerOf(answer, cancel, true, r.m.now())
	var bodies []transcript.Body
	for _, p := range open.Call.Permissions {
		if p.Outcome == "" {
			bodies = append(bodies, &transcript.PermissionResolved{
				At: open.At, ToolCallID: toolCallID, RequestID: p.RequestID, Outcome: "selected", OptionID: is.option, Status: is.status,
			})
		}
	}
	bodies = append(bodies, &transcript.ToolCallEnd{At: open.At, ToolCallID: toolCallID, Status: is.status, Summary: is.summary, Output: is.output})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush()
	r.kept = nil
	return open, r.m.append(ctx, r.id, messageID, nil, bodies...)
}

// Recall finds the displays that wait since before the start in spaces that nobody has opened yet, so that [Manager.State] tells them. It blocks for reads.
func (m *Manager) Recall(ctx context.Context) error {
	spaces, err := m.opt.Store.SpacesWithDisplays(ctx)
	if err != nil {
		return err
	}
	for _, id := range spaces {
		waits, err := m.waitingDisplays(ctx, id)
		if err != nil {
			return err
		}
		m.mu.Lock()
		if len(waits) > 0 && m.rooms[id] == nil {
			m.recalled[id] = waits
		}
		m.mu.Unlock()
		m.opt.OnChange(id)
	}
	return nil
}

func (m *Manager) waitingDisplays(ctx context.Context, spaceID string) ([]Wait, error) {
	open, err := m.opt.Store.OpenDisplays(ctx, spaceID)
	waits := []Wait{}
	for _, o := range open {
		waits = append(waits, Wait{RequestID: o.Call.ID, Title: o.Call.Title, Kind: transcript.KindDisplay, At: o.Call.StartedAt})
	}
	return waits, err
}

// keptDisplays are the displays that wait since before the app was started. The mutex is held.
func (r *room) keptDisplays() []Wait {
	if r.kept == nil {
		r.kept = []Wait{}
		open, err := r.m.waitingDisplays(context.Background(), r.id)
		if err != nil {
			r.m.opt.Log.Warn().Err(err).Str("space", r.id).Msg("displays that wait are not known")
		}
		for _, w := range open {
			if !r.shows(w.RequestID) {
				r.kept = append(r.kept, w)
			}
		}
	}
	return r.kept
}

func (r *room) shows(call string) bool {
	for _, d := range r.displays {
		if d.call == call {
			return true
		}
	}
	return false
}

// leaveDisplays is for the end of a run: what it has shown and nobody has answered waits on, and its answer will be the agent's
// next prompt; what was withdrawn with the run has ended. The mutex is held.
func (r *room) leaveDisplays(runID string) {
	for id, d := range r.displays {
		switch {
		case d.runID != runID:
		case d.fold.Waits(d.id):
			d.late = true
		default:
			delete(r.displays, id)
			close(d.answer)
		}
	}
}
