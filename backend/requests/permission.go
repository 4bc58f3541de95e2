package requests

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/transcript"
)

// Permission is a permission request.
type Permission struct {
	ID        string
	Request   *acp.Request                  // nil: Weft asks
	Tell      func(Outcome)                 // answers it, once; it does not block
	Options   []transcript.PermissionOption // as the agent sent them
	Tool      string                        // id of the call
	Call      permission.Call
	About     *permission.Subject   // as it was read last
	At        int64                 // unix ms
	Operation *Operation            // what Weft itself would do; nil if the agent does it, or the gateway
	Action    *actions.Action       // for comparison with others; nil if it is like no other
	Noted     *actions.Action       // as the turn keeps it, nil for none
	How       transcript.Resolution // how it ended
	// Behind is the open request about the same act that is put before the user in place of this one, nil for none; Line is the call at which this one
	// would be.
	Behind *Permission
	Line   *transcript.ToolPatch

	n int // counts up within the session
}

// Operation is what an agent asks Weft itself to do with a file or a command, before it is done (decision 0017).
type Operation struct {
	actions.Action
	Call permission.Call
	At   string               // the call at which it is shown: the agent's for it, or a row of Weft's; "" if none is known
	Row  transcript.ToolPatch // how it is shown where the agent shows no call for it
	// OwnRow reports that the agent has not shown the call at which it is shown, so that this ends with the operation.
	OwnRow bool
	Now    func() (old string) // the file's text as it is now; nil if none is written. It reads the disk.
	Size   int                 // of what is held while the user thinks, in bytes
	Leads  string              // where the file was when that was allowed: its path below the folder, with links followed
}

// TextNow returns the file's text now. It reads the disk.
func (o *Operation) TextNow() string {
	if o.Now == nil {
		return ""
	}
	return o.Now()
}

// Options of Weft's own requests. An answer is good for that one call: what is always allowed is a rule.
var Options = []transcript.PermissionOption{{ID: "once", Name: fault.Text("Allow once"), Kind: "allow_once"}, {ID: "no", Name: fault.Text("Refuse"), Kind: "reject_once"}}

// Allowed reports whether the answer to one of Weft's own requests is its option that allows.
func Allowed(how transcript.Resolution) bool {
	return how.Outcome == "selected" && how.OptionID == Options[0].ID
}

// Reading returns what the user is shown of the request, as JSON for its event.
func (a *Permission) Reading() jsontext.Value {
	b, err := json.Marshal(a.About.Reading(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // never: texts only
	}
	return b
}

// Describe reads the request again. It looks at the disk to follow links.
func (a *Permission) Describe(at permission.Place) { a.IsAbout(permission.Describe(&a.Call, at)) }

// IsAbout sets what the request is about.
func (a *Permission) IsAbout(about *permission.Subject) {
	a.About = about
	if a.Operation != nil && len(a.About.Files) == 1 {
		a.Operation.Leads = a.About.Files[0].Real
	}
}

// Outside reports whether the request is about one file, which is not in the space's folder.
func (a *Permission) Outside() bool {
	return len(a.About.Files) == 1 && a.About.Files[0].Real == ""
}

// Does reports whether what is asked about runs or writes something, as rules read it.
func (a *Permission) Does() bool {
	return a.About.Line != "" || len(a.About.Commands) > 0 || len(a.About.Writes) > 0
}

// Answered returns how the request ends with the agent's option for an effect. Where it has none to reject with, it is canceled. Ok is
// false where it has none to allow with.
func (a *Permission) Answered(effect permission.Effect, by *transcript.By) (r transcript.Resolution, ok bool) {
	switch i := permission.Option(a.Options, effect); {
	case i >= 0:
		return transcript.Resolution{Outcome: "selected", OptionID: transcript.OptionID(a.Options, i), By: by}, true
	case effect == permission.Reject:
		return transcript.Resolution{Outcome: "cancelled", By: by}, true
	}
	return r, false
}

// option returns the option that ended the request, nil if none did.
func (a *Permission) option(r transcript.Resolution) *transcript.PermissionOption {
	if r.Outcome == "selected" {
		if i := transcript.OptionIndex(a.Options, r.OptionID); i >= 0 {
			return &a.Options[i]
		}
	}
	return nil
}

// OptionKind returns the kind of the option that ended the request, "" if none did.
func (a *Permission) OptionKind(r transcript.Resolution) string {
	if o := a.option(r); o != nil {
		return o.Kind
	}
	return ""
}

// Answer returns what is remembered for later requests of the turn about the same action. Ok is false where that is nothing: nobody and no rule
// has said yes or no to something that can be compared.
func (a *Permission) Answer(r transcript.Resolution) (answer actions.Answer, ok bool) {
	if a.Action == nil || r.By != nil && r.By.Who != "rule" {
		return answer, false
	}
	kind := a.OptionKind(r)
	allow := kind == "allow_once" || kind == "allow_always"
	if !allow && kind != "reject_once" && kind != "reject_always" {
		return answer, false
	}
	return actions.Answer{Action: *a.Action, Allow: allow, Own: a.Operation != nil, Always: kind == "allow_always", Call: a.Tool}, true
}

// Settles reports whether the answer to an open request will be that to another one: both are about one act, which the agent asks about and has Weft do, or
// has Weft do twice.
func (a *Permission) Settles(b *Permission) bool {
	if a.Action == nil || b.Action == nil {
		return false
	}
	if a.Operation != nil && b.Operation != nil {
		return a.Action.WritesSame(b.Action)
	}
	var answers actions.Answers
	answers.Remember(actions.Answer{Action: *a.Action, Allow: true, Own: a.Operation != nil})
	if b.Operation == nil {
		return answers.Settles(b.Action) != nil
	}
	return answers.Covers(b.Action, b.About.Sensitive(), b.Action.OldText) != nil
}

// Outcome is the answer to the agent (ACP session/request_permission).
type Outcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId,omitempty"`
	} `json:"outcome"`
}

// Canceled is the answer to a request that was not answered.
var Canceled = func() (o Outcome) {
	o.Outcome.Outcome = "cancelled"
	return o
}()

// Allows reports whether an answer to the agent is one of the options that don't reject.
func (a *Permission) Allows(o Outcome) bool {
	i := transcript.OptionIndex(a.Options, o.Outcome.OptionID)
	return o.Outcome.Outcome == "selected" && (i < 0 || !strings.HasPrefix(a.Options[i].Kind, "reject"))
}

// Rejected returns the answer to the agent that rejects this one request, "cancelled" if the agent offers none.
func (a *Permission) Rejected() Outcome {
	r, _ := a.Answered(permission.Reject, nil)
	return a.Outcome(r)
}

// Outcome returns the answer to the agent. A "no" whose id says "yes" as well is sent as "cancelled".
func (a *Permission) Outcome(r transcript.Resolution) Outcome {
	i := -1
	if r.Outcome == "selected" {
		i = transcript.OptionIndex(a.Options, r.OptionID)
	}
	if i < 0 || strings.HasPrefix(a.Options[i].Kind, "reject") && permission.Ambiguous(a.Options, i) {
		return Canceled
	}
	var o Outcome
	o.Outcome.Outcome, o.Outcome.OptionID = "selected", a.Options[i].ID
	return o
}
