package agentcalls

import (
	"weft/backend/acp/callids"
	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/settings/secret"
	"weft/backend/space/agentnotes"
	"weft/backend/space/gatecalls"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/modelcalls"
	"weft/backend/space/requests"
	"weft/backend/space/sessionservers"
	"weft/backend/space/toolcalls"
	"weft/backend/space/unasked"
)

// Host is the session that makes the calls. Its methods are called with the lock of the space, and don't block.
type Host interface {
	// Reported handles an update as if the agent had sent it: [Calls.Report] follows unless the session drops it.
	Reported(u *transcript.Update)
	// Show adds an update of a call to the conversation.
	Show(u *transcript.Update)
	// Visit notes the location that a call works on.
	Visit(p *transcript.ToolPatch)
	// Replayed reports whether the agent is replaying earlier updates.
	Replayed() bool
	// Prompted reports whether the agent has received the prompt of the current run.
	Prompted() bool
	// ReadsAlong reports whether Weft reads the model's output while it is streamed.
	ReadsAlong() bool
	// HasTerminal reports whether Weft runs this terminal for the session.
	HasTerminal(id string) bool
	// ReportUnasked calls [Calls.ShowFound] for files that changed, unless an open call may have changed them
	// ([Calls.MayChange]).
	ReportUnasked()
	// Read reads the files of a look without the lock, and calls [Calls.ShowRead] in a later step, unless the session
	// has ended.
	Read(look *toolcalls.Look)
	// OfferChanged notes that the features of the session may have changed.
	OfferChanged()
}

// Session is what [Calls] needs from its session. Its functions are called with the lock of the space.
type Session[M gatedrafts.Message] struct {
	Agent     agent.Config
	Sandboxed bool // the agent runs in a sandbox that restricts more than writing to the folder
	Place     permission.Place
	Inbox     *requests.Inbox
	Turns     *transcript.Turns
	Servers   *sessionservers.List // given to the agent
	Notes     *agentnotes.Notes
	Hide      *secret.Redactor // nil: hides nothing
	Find      gatecalls.Lookup // finds the gateway's tools

	// Rules returns the user's current rules.
	Rules func() *permission.Set
	// Watch receives the updates of calls, in order. It is called after the step, without the lock, and must not
	// block.
	Watch func(spaceID string, p *transcript.ToolPatch)

	Step  requests.Step
	Space gatedrafts.Space[M]
	Host  Host
}

// Calls tracks the tool calls of one session. It isn't safe for concurrent use: the lock of the space guards it.
type Calls[M gatedrafts.Message] struct {
	// IDs maps the agent's call ids to those of the conversation. Apply it to updates before anything else.
	IDs *callids.IDs
	// Drafts has the calls of the gateway's tools. Report through Calls, not directly to Drafts.
	Drafts *gatedrafts.Drafts[M]
	// Watch detects what the agent does without asking.
	Watch *unasked.Watch

	// Files is what was read for the update or request that is being processed: see [Calls.Look]. It may be nil.
	Files *toolcalls.Snapshot

	session  Session[M]
	open     toolcalls.Open // calls that haven't ended
	shown    actions.Shown  // the changes that open calls show
	changes  *toolcalls.Changes
	written  toolcalls.Written // arguments that the agent shows as content
	rows     rows
	printing *toolcalls.Printing
	trust    gatecalls.Trust // in the names that the agent gives for the gateway's tools
	model    *modelcalls.Calls
	waiting  map[*Arrival[M]]chan struct{} // calls at the gateway that wait for their line; closed when settled
}

// New returns the calls of a session that hasn't made any.
func New[M gatedrafts.Message](session Session[M]) *Calls[M] {
	open := toolcalls.Open{}
	c := &Calls[M]{IDs: callids.New(session.Turns), session: session, open: open, printing: toolcalls.NewPrinting(session.Hide), waiting: map[*Arrival[M]]chan struct{}{}}
	c.Drafts = gatedrafts.New(session.Space, session.Place.SpaceID, session.Find, open)
	c.model = modelcalls.New(session.Find, gatedrafts.SendMessage)
	c.changes = toolcalls.NewChanges(session.Place.Folder, open)
	config, notes := session.Agent, session.Notes
	c.Watch = unasked.New(unasked.Agent{
		// Weft's own agent asks, and for an agent that was started by hand the user is responsible.
		Trusted: config.Own() || config.Source == "", Sandboxed: session.Sandboxed,
		Keeps: func() []string { return agentproc.OwnFolders(config) },
		Seen:  func() bool { return notes.Seen(config.ID) },
		Lets: func(kind string) bool {
			return session.Inbox.Permissions.Policy().Trusts(kind) != "" || notes.Lets(config.ID, kind)
		},
	}, open)
	return c
}

// Observe handles a part of a tool call that the model proxy read while the model was writing it.
func (c *Calls[M]) Observe(e modelproxy.Event) {
	c.showWritten(c.model.Read(e, func(id string) bool { return c.open[id] != nil || c.Drafts.Get(id) != nil }))
}

// Consent decides whether Weft may carry out an operation for the agent: see [requests.Permissions.Consent].
func (c *Calls[M]) Consent(o *requests.Operation) (w *requests.Waiting, recorded bool, err error) {
	turn, _ := c.session.Step.Turn()
	var noted *actions.Action
	if !o.Unchanged() { // otherwise it was recorded before
		noted = c.Watch.VouchFor(o, turn, c.shown, c.session.Place)
	}
	if c.shown == nil {
		c.shown = actions.Shown{}
	}
	w, recorded, err = c.session.Inbox.Permissions.Consent(o, noted, requests.Calls{Open: c.open, Shown: c.shown})
	if w != nil && w.Row != "" {
		c.rows.add(w.Row, &o.Action)
	}
	o.OwnRow = c.rows.index(o.At) >= 0
	return w, recorded, err
}

// EndWriting is called at the end of a run: the model no longer writes calls, and messages that were never sent are
// marked as such. [gatedrafts.Drafts.End] and Forget must follow.
func (c *Calls[M]) EndWriting() {
	c.Drafts.EndAhead()
	c.model.Forget()
}

// Forget drops the calls of a run at its end, except displays.
func (c *Calls[M]) Forget() {
	clear(c.open)
	clear(c.shown)
	c.Watch.Forget()
	c.session.Inbox.Questions.Forget()
	c.changes.Forget()
	c.written.Forget()
	c.rows.endRun()
	c.Drafts.Forget()
	c.wake()
}
