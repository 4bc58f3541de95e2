package requests

import (
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/toolcalls"
)

// Calls are the agent's own tool calls. The user is asked about an operation at the call that shows it.
type Calls struct {
	Open  toolcalls.Open
	Shown actions.Shown
}

// Consent decides whether an operation is carried out: by the user's rules, the mode of the space, an earlier answer
// of the user to the same operation, or an agent mode that the user chose. Otherwise the user is asked. noted is the
// turn's record of the operation, or nil.
//
// If the user is asked, it returns the request, and [Permissions.Consented] must be called later. Otherwise err is nil
// if the operation is allowed, or a sentence for the agent, and recorded reports whether the decision must be stored
// before anything is done. It sets o.At to the call at which the operation is shown.
func (p *Permissions) Consent(o *Operation, noted *actions.Action, calls Calls) (w *Waiting, recorded bool, err error) {
	a := &Permission{Noted: noted, Options: ownOptions, Call: o.Call, At: p.session.Now(), Operation: o, Action: &o.Action}
	a.Describe(p.session.Place)
	if o.Kind == actions.Edit && a.Outside() {
		return nil, false, fault.New("outside", "{{path}} is outside the space's folder, or a broken link, so it wasn't changed.", o.Files[0])
	}
	line := transcript.ToolPatch{ID: p.callFor(o, calls)}
	if how, ok := p.Policy().Judge(a); ok {
		if o.At = line.ID; a.Tool != "" {
			o.At = a.Tool
		}
		if err = Refused(how); err == nil && !o.ShowsFile(calls.Shown[line.ID], p.session.Place.Folder) && p.withChange(&line, o, calls) {
			p.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &line}, p.session.Now())
		}
		if how.By == nil || how.By.Who != "answered" && how.By.Who != "default" {
			if err != nil && line.ID != "" { // the agent reports the refusal as an error itself
				p.withChange(&line, o, calls)
				a.ID, a.Tool, a.Line = p.session.NewID("ask"), line.ID, &line
				p.session.Turns.DecidePermission(&line, a.ID, a.Options, a.Reading(), how, p.session.Now())
				p.step.Flush()
			}
			p.Record(a, how)
			recorded = true
		}
		return nil, recorded, err
	}
	if _, open := p.step.Turn(); !open {
		return nil, false, fault.New("no_run", "Weft can ask the user for permission only during a turn, so this wasn't done.")
	}
	if !p.open.Hold(o) {
		return nil, false, fault.New("too_many", "The user hasn't answered your other requests yet, so this wasn't done. Wait for those answers first.")
	}
	answer := make(chan Outcome, 1)
	a.ID, a.Tell = p.session.NewID("ask"), func(how Outcome) { answer <- how }
	w = &Waiting{Permission: a, Answer: answer}
	if a.Behind = p.open.Alike(a); a.Behind != nil {
		line = transcript.ToolPatch{ID: a.Behind.Tool}
	}
	if line.ID == "" {
		line = o.Row
		line.ID, line.Announced, line.Input, line.Kind = p.session.NewID("tool"), true, a.Call.Input, &a.Call.Kind
		w.Row = line.ID
	} else if call := calls.Open[line.ID]; call != nil && a.Behind == nil {
		p.withChange(&line, o, calls)
		a.Call.Titled = call.Titled // the title is the agent's
		a.Describe(p.session.Place)
	}
	o.At, a.Tool, a.Line = line.ID, line.ID, &line
	p.open.Add(a)
	if a.Behind == nil {
		if w.Row != "" {
			p.step.Resume()
		}
		p.show(a)
		p.step.Flush()
	}
	return w, false, nil
}

// show shows an open request to the user.
func (p *Permissions) show(a *Permission) {
	p.session.Turns.AskPermission(a.Line, a.ID, a.Options, a.Reading(), p.session.Now())
	p.step.Changed()
}

// Consented ends the wait for an answer about an operation. It returns why the operation isn't carried out, or nil.
// changed reports that the text of the file has changed; canceled is why the agent no longer waits, or nil.
func (p *Permissions) Consented(w *Waiting, changed bool, canceled error) error {
	p.open.Release(w.Operation)
	if w.How.Outcome != "selected" && canceled != nil {
		return canceled
	}
	if err := Refused(w.How); err != nil {
		return err
	}
	return p.Policy().Still(w.Permission, changed)
}

// callFor returns the agent's open call to which an operation belongs, or "" if it shows none.
func (p *Permissions) callFor(o *Operation, calls Calls) string {
	if o.At != "" && calls.Open[o.At] != nil {
		return o.At
	}
	id, fit := "", actions.NoFit
	for one, call := range calls.Open {
		if p.open.AsksAbout(one) {
			continue
		}
		f := o.FitOf(&call.Call, calls.Shown[one], p.session.Place)
		switch best := calls.Open[id]; {
		case f == actions.NoFit || f < fit || f == actions.MayBe && call.Done > 0:
		case f > fit || call.Done < best.Done || call.Done == best.Done && call.Order < best.Order:
			id, fit = one, f
		}
	}
	if id == "" || fit == actions.MayBe && p.several(o, calls) {
		return ""
	}
	calls.Open[id].Done++
	return id
}

// withChange adds the file change of an operation to an open call of the agent that doesn't show exactly this change.
// It returns false if there is nothing to add.
func (p *Permissions) withChange(line *transcript.ToolPatch, o *Operation, calls Calls) bool {
	call := calls.Open[line.ID]
	if call == nil || o.Kind != actions.Edit || o.Unchanged() || o.ShownAmong(calls.Shown[line.ID], p.session.Place.Folder) {
		return false
	}
	if line.Content = o.Row.Content; len(call.Paths) == 0 {
		line.Locations = o.Row.Locations
	}
	calls.Shown.Update(line, true)
	return true
}

// several reports whether an operation may belong to more than one call, because the calls don't say what they do.
func (p *Permissions) several(o *Operation, calls Calls) bool {
	n := 0
	for id, call := range calls.Open {
		if call.Done == 0 && !p.open.AsksAbout(id) && o.FitOf(&call.Call, calls.Shown[id], p.session.Place) == actions.MayBe {
			n++
		}
	}
	return n > 1
}

// EndRow completes a row that Weft added, with the result of its operation.
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

// Own returns the resolution that allows a request for one of Weft's own tools without asking the user: such a tool
// either changes nothing, or asks the user itself when it is called. ok is false if there is no turn, the agent offers
// no option for it, or a rule rejects the tool.
func (p *Permissions) Own(a *Permission, tool string) (r transcript.Resolution, ok bool) {
	if _, open := p.step.Turn(); !open {
		return r, false
	}
	r, ok = a.Answered(permission.Allow, &transcript.By{Who: "own", Effect: string(permission.Allow)})
	bare := permission.Describe(&permission.Call{Kind: "other", Title: tool}, p.session.Place)
	d := p.session.Rules().Decide(bare, permission.AskAlways)
	return r, ok && d.Verdict != permission.Rejected
}
