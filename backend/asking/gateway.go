package asking

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// Error is a failure that the user or the agent is told.
type Error = fault.Error

// GatewayCall is a call of a tool of the gateway that acts, before it does.
type GatewayCall struct {
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

// Waiting is a request of Weft's own that the user was asked about.
type Waiting struct {
	*requests.Permission
	Row    string                  // the call that shows it, if that is one of Weft's own; else ""
	Answer <-chan requests.Outcome // gets the answer, once
}

// Permit decides whether a tool of the gateway may act, as an agent asks for its own tools: by the user's rules and the mode, or the user is asked.
// Shown is the agent's call that it is, "" if none is shown. It returns the request if the user is asked, else how it was decided.
func (p *Permissions) Permit(c *GatewayCall, shown string) (*Waiting, transcript.Resolution) {
	call := &transcript.ToolPatch{ID: shown}
	if shown == "" {
		call = c.row(p.session.NewID("tool"))
		p.step.Resume()
	}
	answer := make(chan requests.Outcome, 1)
	a := c.request(&p.session)
	a.Tool, a.At, a.Tell = call.ID, p.session.Now(), func(o requests.Outcome) { answer <- o }
	w := &Waiting{Permission: a, Answer: answer}
	if call.Announced {
		w.Row = call.ID
	}
	if how, ok := p.Policy().Judge(a); ok {
		p.session.Turns.DecidePermission(call, a.ID, a.Options, a.Reading(), how, p.session.Now())
		p.Record(a, how)
		p.Permitted(c, w, how)
		return nil, how
	}
	p.open.Add(a)
	p.session.Turns.AskPermission(call, a.ID, a.Options, a.Reading(), p.session.Now())
	p.step.Flush()
	p.step.Changed()
	return w, transcript.Resolution{}
}

// PermitAgain decides whether a tool of the gateway may act once more, as the user wants: rules and the mode can still refuse it. It returns what
// the agent reads then.
func (p *Permissions) PermitAgain(c *GatewayCall) error {
	if how, ok := p.Policy().Judge(c.request(&p.session)); ok {
		return c.Denied(how)
	}
	return nil
}

// Permitted ends the row of a call that may act; the row of the agent continues.
func (p *Permissions) Permitted(c *GatewayCall, w *Waiting, how transcript.Resolution) {
	if w.Row != "" && c.Denied(how) == nil {
		done := transcript.StatusCompleted
		p.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: w.Row, Status: &done}}, p.session.Now())
	}
}

// request returns the request for the call.
func (c *GatewayCall) request(s *Session) *requests.Permission {
	a := &requests.Permission{
		ID: s.NewID("ask"), Options: requests.Options,
		Call: permission.Call{Kind: c.Kind, Title: c.Tool, Tool: c.Key, Input: c.does(), Sent: c.other()},
	}
	a.Describe(s.Place)
	return a
}

// row returns a call of Weft's own for the request, where the agent shows none.
func (c *GatewayCall) row(id string) *transcript.ToolPatch {
	title := fault.Text("Permission for {{tool}}", c.Tool)
	return &transcript.ToolPatch{ID: id, Announced: true, Name: &c.Tool, Title: &title, Kind: &c.Kind, Input: c.Input}
}

// does returns what the tool does, in the form in which rules read it.
func (c *GatewayCall) does() jsontext.Value {
	if c.Command == nil {
		return c.Input
	}
	b, err := json.Marshal(map[string]any{"command": c.Command, "cwd": c.Dir}, json.Deterministic(true))
	if err != nil {
		return c.Input // never: texts only
	}
	return b
}

// other returns what the tool was called with, where that is not what it does.
func (c *GatewayCall) other() jsontext.Value {
	if c.Command == nil {
		return nil
	}
	return c.Input
}

// Resolution returns how a request has ended that the agent is answered so.
func Resolution(said requests.Outcome) transcript.Resolution {
	return transcript.Resolution{Outcome: said.Outcome.Outcome, OptionID: said.Outcome.OptionID}
}

// Denied returns what the agent reads of an answer, nil if it allows.
func (c *GatewayCall) Denied(how transcript.Resolution) error {
	switch {
	case requests.Allowed(how):
		return nil
	case how.By != nil && how.By.Who == "mode":
		return fault.New("denied", "The space is read-only, so {{tool}} wasn't run.", c.Tool)
	case how.By != nil && how.By.Who == "rule":
		return fault.New("denied", "The user's rules reject {{tool}}, so it wasn't run.", c.Tool)
	case how.Outcome == "selected":
		return fault.New("denied", "The user didn't allow {{tool}}, so it wasn't run.", c.Tool)
	}
	return fault.New("cancelled", "No one decided whether {{tool}} may run, so it wasn't run.", c.Tool)
}

// Canceled returns what the agent reads of a call that was canceled before the user has answered.
func (c *GatewayCall) Canceled(why error) error {
	return fault.New("cancelled", "The call was canceled before the user decided whether {{tool}} may run.", c.Tool).Because(why)
}
