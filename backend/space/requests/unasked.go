package requests

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// Decided is one or more messages that can show a decision about a call.
type Decided interface {
	DecidePermission(p *transcript.ToolPatch, requestID string, options []transcript.PermissionOption, reading jsontext.Value, r transcript.Resolution, now int64)
}

// Unasked shows at a call that the agent didn't ask about it, and stores that in the history. d is what the rules and
// the mode would have decided. found reports that Weft only found changed files.
func (p *Permissions) Unasked(in Decided, id string, call *permission.Call, about *permission.Subject, d permission.Decision, found bool) {
	if d.Verdict == permission.Ask {
		d.Mode = p.mode.Now()
	}
	by := p.Policy().By(d)
	if found {
		by.Found = true
	}
	a := &Permission{ID: p.session.NewID("ask"), Tool: id, Call: *call, About: about}
	r := transcript.Resolution{Outcome: transcript.OutcomeUnasked, By: by}
	in.DecidePermission(&transcript.ToolPatch{ID: id}, a.ID, nil, a.Reading(), r, p.session.Now())
	p.Record(a, r)
	p.step.Changed()
}
