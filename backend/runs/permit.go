package runs

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// ToPermit is a tool of the gateway that acts, before it does.
type ToPermit struct {
	From    Seat   // of the run
	Tool    string // as agents call it
	Key     string // as the user's rules do, see [permission.Rule]
	Kind    string // of tool
	Input   jsontext.Value
	Sent    jsontext.Value // as the agent sent it
	Command []string       // that it runs, in Dir; nil if it runs none
	Dir     string
	Call    string // the display that it is, in the own space; "" if it is none
	Again   bool   // the user wants a call once more that had failed: that is the permission for it
}

// Permit asks whether a tool of the gateway may act, as an agent asks for its own tools: the user's rules and the mode of the
// space decide, or the user does, in the run of From, at the call that the agent shows. It blocks until then. Errors: *Error (no_run, denied, cancelled).
func (m *Manager) Permit(ctx context.Context, p ToPermit) error {
	if p.Again {
		return m.permitAgain(ctx, p)
	}
	s, r, err := m.runIn(p.From)
	if err != nil {
		return err
	}
	stored, err := s.permit(ctx, r, p)
	if stored == nil {
		return err
	}
	return cmp.Or(err, owner.Await(ctx, stored)) // before it acts
}

// permit is [Manager.Permit] for a run; stored is closed once the decision is stored, nil where there was none.
func (s *Session) permit(ctx context.Context, r *run, p ToPermit) (stored <-chan struct{}, err error) {
	m := s.m
	s.Lock()
	defer s.Unlock()
	patch := &transcript.ToolPatch{ID: p.Call}
	if p.Call == "" {
		if g, _ := s.claimed(ctx, p.Tool, p.Sent); g != nil {
			patch.ID = g.ID
		} else {
			patch = p.row(s.newID("tool"))
		}
	}
	if s.run != r || r.stopping {
		return nil, errNoRun
	}
	if patch.Announced {
		s.part(r)
	}
	answer := make(chan requests.Outcome, 1)
	a := &requests.Permission{
		ID: s.newID("ask"), Options: requests.Options, Tool: patch.ID, At: m.now(), Tell: func(o requests.Outcome) { answer <- o },
		Call: permission.Call{Kind: p.Kind, Title: p.Tool, Tool: p.Key, Input: p.does(), Sent: p.other()},
	}
	a.Describe(s.place())
	if how, ok := s.policy().Judge(a); ok {
		s.turns.DecidePermission(patch, a.ID, a.Options, a.Reading(), how, m.now())
		s.noteDecision(a, how)
		s.endRow(p, patch, how)
		return s.Unstored(), p.denied(how)
	}
	s.permissions.Add(a)
	s.turns.AskPermission(patch, a.ID, a.Options, a.Reading(), m.now())
	s.Flush()
	s.changed()
	s.Unlock()
	var said requests.Outcome
	select {
	case said = <-answer:
		s.Lock()
	case <-ctx.Done():
		s.Lock()
		if s.permissions.IsOpen(a) {
			s.withdraw(a)
		}
		s.Flush()
		return nil, &Error{Code: "cancelled", Message: "The call was cancelled before the user said whether " + p.Tool + " may run.", Err: ctx.Err()}
	}
	how := transcript.Resolution{Outcome: said.Outcome.Outcome, OptionID: said.Outcome.OptionID}
	s.endRow(p, patch, how)
	return s.Unstored(), p.denied(how)
}

// row is a call of Weft's own for the request, where the agent shows none.
func (p *ToPermit) row(id string) *transcript.ToolPatch {
	title := "Permission for " + p.Tool
	return &transcript.ToolPatch{ID: id, Announced: true, Name: &p.Tool, Title: &title, Kind: &p.Kind, Input: p.Input}
}

// endRow ends the call of [ToPermit.row]; that of the agent continues. The lock is held.
func (s *Session) endRow(p ToPermit, patch *transcript.ToolPatch, how transcript.Resolution) {
	if patch.Announced && p.denied(how) == nil {
		done := transcript.StatusCompleted
		s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: patch.ID, Status: &done}}, s.m.now())
	}
}

// does is what the tool does, in the form in which rules read it.
func (p *ToPermit) does() jsontext.Value {
	if p.Command == nil {
		return p.Input
	}
	b, err := json.Marshal(map[string]any{"command": p.Command, "cwd": p.Dir}, json.Deterministic(true))
	if err != nil {
		return p.Input // never: texts only
	}
	return b
}

// other is what the tool was called with, where that is not what it does.
func (p *ToPermit) other() jsontext.Value {
	if p.Command == nil {
		return nil
	}
	return p.Input
}

// denied is what the agent reads of an answer, nil if it allows.
func (p *ToPermit) denied(how transcript.Resolution) error {
	switch {
	case requests.Allowed(how):
		return nil
	case how.By != nil && how.By.Who == "mode":
		return &Error{Code: "denied", Message: "The space is read-only, so " + p.Tool + " was not run."}
	case how.By != nil && how.By.Who == "rule":
		return &Error{Code: "denied", Message: "A rule of the user refuses " + p.Tool + ", so it was not run."}
	case how.Outcome == "selected":
		return &Error{Code: "denied", Message: "The user did not allow " + p.Tool + ", so it was not run."}
	}
	return &Error{Code: "cancelled", Message: "Nobody said whether " + p.Tool + " may run, so it was not."}
}
