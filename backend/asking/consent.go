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
// sentence for the agent, and recorded whether the decision has to be stored before anything is done. O.At is the call at which the operation is shown.
func (p *Permissions) Consent(o *requests.Operation, noted *actions.Action, calls Calls) (w *Waiting, recorded bool, err error) {
	a := &requests.Permission{Noted: noted, Options: requests.Options, Call: o.Call, At: p.session.Now(), Operation: o, Action: &o.Action}
	a.Describe(p.session.Place)
	if o.Kind == actions.Edit && a.Outside() {
		return nil, false, fault.New("outside", "{{path}} is outside the space's folder, or a broken link, so it wasn't changed.", o.Files[0])
	}
	line := transcript.ToolPatch{ID: p.callFor(o, calls)}
	if how, ok := p.Policy().Judge(a); ok {
		if o.At = line.ID; a.Tool != "" {
			o.At = a.Tool
		}
		if err = requests.Refused(how); err == nil && !o.ShowsFile(calls.Shown[line.ID], p.session.Place.Folder) && p.withChange(&line, o, calls) {
			p.session.Turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &line}, p.session.Now())
		}
		if how.By == nil || how.By.Who != "answered" && how.By.Who != "default" {
			if err != nil && line.ID != "" { // the agent tells it as an error of its own
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
	answer := make(chan requests.Outcome, 1)
	a.ID, a.Tell = p.session.NewID("ask"), func(how requests.Outcome) { answer <- how }
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
		a.Call.Titled = call.Titled // what it says is the agent's
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

// show puts an open request before the user.
func (p *Permissions) show(a *requests.Permission) {
	p.session.Turns.AskPermission(a.Line, a.ID, a.Options, a.Reading(), p.session.Now())
	p.step.Changed()
}

// Consented ends the wait for an answer about an operation, and returns why it isn't carried out, nil if it is. Changed reports that the file has another
// text by now; canceled is why the agent doesn't wait any more, nil if it does. It follows links on disk.
func (p *Permissions) Consented(w *Waiting, changed bool, canceled error) error {
	p.open.Release(w.Operation)
	if w.How.Outcome != "selected" && canceled != nil {
		return canceled
	}
	if err := requests.Refused(w.How); err != nil {
		return err
	}
	return p.Policy().Still(w.Permission, changed)
}

// callFor returns the open call of the agent that an operation is done for, "" if the agent shows none.
func (p *Permissions) callFor(o *requests.Operation, calls Calls) string {
	if o.At != "" && calls.Open[o.At] != nil {
		return o.At
	}
	id, fit := "", actions.NoFit
	for one, call := range calls.Open {
		if p.open.AsksAbout(one) {
			continue
		}
		f := o.FitOf(&call.Call, calls.Shown[one], p.session.Place.Folder)
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

// withChange adds the change of a file that Weft is asked to make to what is shown of an open call of the agent, where that doesn't show just this. It reports
// false where there is nothing to add.
func (p *Permissions) withChange(line *transcript.ToolPatch, o *requests.Operation, calls Calls) bool {
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

// several reports whether an operation may be done for one of several calls that don't say what they do.
func (p *Permissions) several(o *requests.Operation, calls Calls) bool {
	n := 0
	for id, call := range calls.Open {
		if call.Done == 0 && !p.open.AsksAbout(id) && o.FitOf(&call.Call, calls.Shown[id], p.session.Place.Folder) == actions.MayBe {
			n++
		}
	}
	return n > 1
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
