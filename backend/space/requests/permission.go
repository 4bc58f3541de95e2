package requests

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
)

// Permission is a permission request.
type Permission struct {
	ID        string
	Request   *acp.Request                  // nil if Weft asks
	Tell      func(Outcome)                 // responds to the request, once; doesn't block
	Options   []transcript.PermissionOption // as the agent sent them
	Tool      string                        // id of the call
	Call      permission.Call
	About     *permission.Subject   // as evaluated last
	At        int64                 // unix ms
	Operation *Operation            // what Weft would do; nil if the agent or the gateway does it
	Action    *actions.Action       // for comparisons; nil if it can't be compared
	Noted     *actions.Action       // the turn's record of it, or nil
	How       transcript.Resolution // how it ended
	// Behind is the open request about the same action that the user sees in place of this one, or nil. Line is the
	// call at which this request would be shown.
	Behind *Permission
	Line   *transcript.ToolPatch

	n int // sequence number in the session
}

// Operation is what an agent asks Weft to do with a file or a command, before it is done (decision 0017).
type Operation struct {
	actions.Action
	Call permission.Call
	At   string               // the call that shows it: the agent's, or a row of Weft; "" if unknown
	Row  transcript.ToolPatch // how it is shown if the agent shows no call for it
	// OwnRow reports that Weft added the call that shows the operation, so it ends with the operation.
	OwnRow bool
	Now    func() (old string) // returns the file's present text from disk; nil if no file is written
	Size   int                 // bytes that are held while the user decides
	Leads  string              // the file's location when it was allowed: relative to the folder, symbolic links resolved
}

// TextNow returns the file's present text from disk.
func (o *Operation) TextNow() string {
	if o.Now == nil {
		return ""
	}
	return o.Now()
}

// ownOptions are the options of Weft's own requests. An answer counts for one call only; rules allow something
// permanently.
var ownOptions = []transcript.PermissionOption{{ID: "once", Name: fault.Text("Allow once"), Kind: "allow_once"}, {ID: "no", Name: fault.Text("Refuse"), Kind: "reject_once"}}

// isAllowed reports whether a request of Weft's own ended with the option that allows.
func isAllowed(how transcript.Resolution) bool {
	return how.Outcome == "selected" && how.OptionID == ownOptions[0].ID
}

// Reading returns what the user is shown of the request, as JSON for its event.
func (a *Permission) Reading() jsontext.Value {
	b, err := json.Marshal(a.About.Reading(), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // can't happen with strings
	}
	return b
}

// Describe evaluates the request again.
func (a *Permission) Describe(at permission.Place) { a.IsAbout(permission.Describe(&a.Call, at)) }

// IsAbout sets what the request is about.
func (a *Permission) IsAbout(about *permission.Subject) {
	a.About = about
	if a.Operation != nil && len(a.About.Files) == 1 {
		a.Operation.Leads = a.About.Files[0].Real
	}
}

// Outside reports whether the request is about one file that is outside of the space's folder.
func (a *Permission) Outside() bool {
	return len(a.About.Files) == 1 && a.About.Files[0].Real == ""
}

// Does reports whether the request runs or writes something, according to rules.
func (a *Permission) Does() bool {
	return a.About.Line != "" || len(a.About.Commands) > 0 || len(a.About.Writes) > 0
}

// Answered returns the resolution with the agent's option for an effect. Without an option to reject, the request is
// canceled. ok is false if there is no option to allow.
func (a *Permission) Answered(effect permission.Effect, by *transcript.By) (r transcript.Resolution, ok bool) {
	switch i := permission.Option(a.Options, effect); {
	case i >= 0:
		return transcript.Resolution{Outcome: "selected", OptionID: transcript.OptionID(a.Options, i), By: by}, true
	case effect == permission.Reject:
		return transcript.Resolution{Outcome: "cancelled", By: by}, true
	}
	return r, false
}

// option returns the option that ended the request, or nil.
func (a *Permission) option(r transcript.Resolution) *transcript.PermissionOption {
	if r.Outcome == "selected" {
		if i := transcript.OptionIndex(a.Options, r.OptionID); i >= 0 {
			return &a.Options[i]
		}
	}
	return nil
}

// OptionKind returns the kind of the option that ended the request, or "".
func (a *Permission) OptionKind(r transcript.Resolution) string {
	if o := a.option(r); o != nil {
		return o.Kind
	}
	return ""
}

// Answer returns what to remember for later requests of the turn about the same action. ok is false if there is
// nothing: neither the user nor a rule decided, or the action can't be compared.
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

// Settles reports whether the answer to a will also be the answer to b, because both are about one action: the agent
// asks about it and lets Weft do it, or it lets Weft do it twice.
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

// Outcome is the response to the agent (ACP session/request_permission).
type Outcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId,omitempty"`
	} `json:"outcome"`
}

// Canceled is the response to a request without an answer.
var Canceled = func() (o Outcome) {
	o.Outcome.Outcome = "cancelled"
	return o
}()

// Allows reports whether a response to the agent selects an option that doesn't reject.
func (a *Permission) Allows(o Outcome) bool {
	i := transcript.OptionIndex(a.Options, o.Outcome.OptionID)
	return o.Outcome.Outcome == "selected" && (i < 0 || !strings.HasPrefix(a.Options[i].Kind, "reject"))
}

// Rejected returns the response that rejects this one request, or "cancelled" if the agent offers none.
func (a *Permission) Rejected() Outcome {
	r, _ := a.Answered(permission.Reject, nil)
	return a.Outcome(r)
}

// Outcome returns the response to the agent. If a rejecting option has the same id as an allowing one, it returns
// "cancelled".
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
