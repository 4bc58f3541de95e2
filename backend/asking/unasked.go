package asking

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// Decided is a message, or several, in which a decision about a call is shown.
type Decided interface {
	DecidePermission(p *transcript.ToolPatch, requestID string, options []transcript.PermissionOption, reading jsontext.Value, r transcript.Resolution, now int64)
}

// Unasked shows at a call that the user wasn't asked about it, and keeps that in the history. D is what the rules and the mode would have decided: by which the
// agent should have asked, or have left it. Found reports that only files were found that have changed.
func (p *Permissions) Unasked(in Decided, id string, call *permission.Call, about *permission.Subject, d permission.Decision, found bool) {
	if d.Verdict == permission.Ask {
		d.Mode = p.mode.Now()
	}
	by := p.Policy().By(d)
	if found {
		by.Found = true
	}
	a := &requests.Permission{ID: p.session.NewID("ask"), Tool: id, Call: *call, About: about}
	r := transcript.Resolution{Outcome: transcript.OutcomeUnasked, By: by}
	in.DecidePermission(&transcript.ToolPatch{ID: id}, a.ID, nil, a.Reading(), r, p.session.Now())
	p.Record(a, r)
	p.step.Changed()
}
