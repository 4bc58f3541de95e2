package asking

import (
	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// Calls are the agent's own calls: an operation is asked about at the one that shows it.
type Calls struct {
	Open  toolcalls.Open
	Shown actions.Shown
}

// Consent decides whether an operation is carried out: by the user's rules and the mode of the space, by what the user has answered about it already, by
// a mode of the agent that the user chose, or the user is asked. Noted is what the turn keeps of it, nil for nothing.
//
// It returns the request if the user is asked; [Permissions.Consented] must follow. Otherwise err says whether the operation is refused, as a
// sentence for the agent, and recorded whether the decision has to be stored before anything is done.
func (p *Permissions) Consent(o *requests.Operation, noted *actions.Action, calls Calls) (w *Waiting, recorded bool, err error) {
	a := &requests.Permission{Noted: noted, Options: requests.Options, Call: o.Call, At: p.session.Now(), Operation: o, Action: &o.Action}
	a.Describe(p.session.Place)
	if o.Kind == actions.Edit && a.Outside() {
		return nil, false, fault.New("outside", "{{path}} is outside the space's folder, or a broken link, so it wasn't changed.", o.Files[0])
	}
	if how, ok := p.Policy().Judge(a); ok {
		if how.By == nil || how.By.Who != "answered" && how.By.Who != "default" {
			p.Record(a, how)
			recorded = true
		}
		return nil, recorded, requests.Refused(how)
	}
	if _, open := p.step.Turn(); !open {
		return nil, false, fault.New("no_run", "Weft can ask the user for permission only during a turn, so this wasn't done.")
	}
	if !p.open.Hold(o) {
		return nil, false, fault.New("too_many", "The user hasn't answered your other requests yet, so this wasn't done. Wait for those answers first.")
	}
	call := p.shownFor(a, calls)
	answer := make(chan requests.Outcome, 1)
	a.ID, a.Tool, a.Tell = p.session.NewID("ask"), call.ID, func(how requests.Outcome) { answer <- how }
	w = &Waiting{Permission: a, Answer: answer}
	if call.Announced {
		p.step.Resume()
		w.Row = call.ID
	}
	p.open.Add(a)
	p.session.Turns.AskPermission(call, a.ID, a.Options, a.Reading(), p.session.Now())
	p.step.Flush()
	p.step.Changed()
	return w, false, nil
}

// Consented ends the wait for an answer about an operation, and returns why it isn't carried out, nil if it is. Changed reports that the file has another
// text by now; canceled is why the agent doesn't wait any more, nil if it does. It follows links on disk.
func (p *Permissions) Consented(w *Waiting, changed bool, canceled error) error {
	p.open.Release(w.Operation)
	if w.How.Outcome != "selected" && canceled != nil {
		return canceled
	}
	if err := requests.Refused(w.How); err != nil {
		if w.How.Outcome == "selected" {
			w.Row = "" // it says already that it was rejected
		}
		return err
	}
	return p.Policy().Still(w.Permission, changed)
}

// shownFor returns the call at which an operation is asked about: that of the agent which shows just this, else a row of Weft's own.
func (p *Permissions) shownFor(a *requests.Permission, calls Calls) *transcript.ToolPatch {
	if at := a.Operation.At; at != "" && calls.Open[at] != nil {
		return &transcript.ToolPatch{ID: at}
	}
	for id, call := range calls.Open {
		if a.Operation.ShownBy(&call.Call, calls.Shown[id], p.session.Place.Folder) && !p.open.AsksAbout(id) {
			return &transcript.ToolPatch{ID: id}
		}
	}
	row := a.Operation.Row
	row.ID, row.Announced, row.Input, row.Kind = p.session.NewID("tool"), true, a.Call.Input, &a.Call.Kind
	return &row
}

// EndRow ends a row of Weft's own with the result of its operation.
func (p *Permissions) EndRow(id string, err error) {
	if p.session.Turns.With(id) == nil {
		return
	}
	status := transcript.StatusCompleted
	row := &transcript.ToolPatch{ID: id, Status: &status}
	if err != nil {
		words := err.Error()
		status, row.Error = transcript.StatusFailed, &words
	}
	p.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: row}, p.session.Now())
	p.step.Flush()
}

// Own returns how a request for one of Weft's own tools is allowed without asking the user: such a tool changes nothing, or asks the user itself when its
// call arrives. Ok is false if it isn't allowed: there is no turn, the agent has no option for it, or a rule rejects the tool.
func (p *Permissions) Own(a *requests.Permission, tool string) (r transcript.Resolution, ok bool) {
	if _, open := p.step.Turn(); !open {
		return r, false
	}
	r, ok = a.Answered(permission.Allow, &transcript.By{Who: "own", Effect: string(permission.Allow)})
	bare := permission.Describe(&permission.Call{Kind: "other", Title: tool}, p.session.Place)
	d := p.session.Rules().Decide(bare, permission.AskAlways)
	return r, ok && d.Verdict != permission.Rejected
}
