package requests

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// Error is an error for the user or the agent.
type Error = fault.Error

// GatewayCall is a call of a gateway tool that needs permission.
type GatewayCall struct {
	Tool    string // name for agents
	Key     string // name in the user's rules; see [permission.Rule]
	Kind    string // kind of tool
	Input   jsontext.Value
	Sent    jsontext.Value // Input as the agent sent it
	Command []string       // the command that it runs in Dir, or nil
	Dir     string
	Call    string // its display, in the calling space, or ""
	Again   bool   // the user repeats a failed call, which permits it
}

// Waiting is a request of Weft itself that waits for the user.
type Waiting struct {
	*Permission
	Row    string         // the call that shows it if Weft added that, otherwise ""
	Answer <-chan Outcome // receives the answer once
}

// Permit decides whether a gateway tool may run: by the user's rules and the mode, otherwise the user is asked. shown
// is the agent's call that shows it, or "". It returns the request if the user is asked, otherwise the resolution.
func (p *Permissions) Permit(c *GatewayCall, shown string) (*Waiting, transcript.Resolution) {
	call := &transcript.ToolPatch{ID: shown}
	if shown == "" {
		call = c.row(p.session.NewID("tool"))
		p.step.Resume()
	}
	answer := make(chan Outcome, 1)
	a := c.request(&p.session)
	a.Tool, a.At, a.Tell = call.ID, p.session.Now(), func(o Outcome) { answer <- o }
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

// PermitAgain decides whether a gateway tool may run again, as the user wants. Rules and the mode can still refuse it.
// The error is a sentence for the agent.
func (p *Permissions) PermitAgain(c *GatewayCall) error {
	if how, ok := p.Policy().Judge(c.request(&p.session)); ok {
		return c.Denied(how)
	}
	return nil
}

// Permitted completes the row that Weft added for a call that is allowed. A row of the agent continues.
func (p *Permissions) Permitted(c *GatewayCall, w *Waiting, how transcript.Resolution) {
	if w.Row != "" && c.Denied(how) == nil {
		done := transcript.StatusCompleted
		p.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: w.Row, Status: &done}}, p.session.Now())
	}
}

// request returns the permission request for the call.
func (c *GatewayCall) request(s *Session) *Permission {
	a := &Permission{ID: s.NewID("ask"), Options: ownOptions, Call: c.Asks()}
	a.Describe(s.Place)
	return a
}

// Asks returns the call that the request is about.
func (c *GatewayCall) Asks() permission.Call {
	return permission.Call{Kind: c.Kind, Title: c.Tool, Tool: c.Key, Input: c.does(), Sent: c.other()}
}

// row returns a row for the request, for a call that the agent doesn't show.
func (c *GatewayCall) row(id string) *transcript.ToolPatch {
	title := fault.Text("Permission for {{tool}}", c.Tool)
	return &transcript.ToolPatch{ID: id, Announced: true, Name: &c.Tool, Title: &title, Kind: &c.Kind, Input: c.Input}
}

// does returns what the tool does, in the form that rules read.
func (c *GatewayCall) does() jsontext.Value {
	if c.Command == nil {
		return c.Input
	}
	b, err := json.Marshal(map[string]any{"command": c.Command, "cwd": c.Dir}, json.Deterministic(true))
	if err != nil {
		return c.Input // can't happen with strings
	}
	return b
}

// other returns the arguments of the tool if they aren't what it does.
func (c *GatewayCall) other() jsontext.Value {
	if c.Command == nil {
		return nil
	}
	return c.Input
}

// Resolution returns the resolution for an outcome that the agent got.
func Resolution(said Outcome) transcript.Resolution {
	return transcript.Resolution{Outcome: said.Outcome.Outcome, OptionID: said.Outcome.OptionID}
}

// Denied returns the error that the agent gets, or nil if the call is allowed.
func (c *GatewayCall) Denied(how transcript.Resolution) error {
	switch {
	case isAllowed(how):
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

// Canceled returns the error that the agent gets if the call was canceled before the user answered.
func (c *GatewayCall) Canceled(why error) error {
	return fault.New("cancelled", "The call was canceled before the user decided whether {{tool}} may run.", c.Tool).Because(why)
}
