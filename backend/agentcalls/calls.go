package agentcalls

import (
	"weft/backend/actions"
	"weft/backend/agent"
	"weft/backend/agentnotes"
	"weft/backend/agentproc"
	"weft/backend/asking"
	"weft/backend/gatecalls"
	"weft/backend/gatedrafts"
	"weft/backend/modelcalls"
	"weft/backend/modelproxy"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/secret"
	"weft/backend/sessionservers"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
	"weft/backend/transcript/callids"
	"weft/backend/unasked"
)

// Host is the session that the calls are of. Its methods are called with the lock of the space, and don't block.
type Host interface {
	// Reported takes an update as if the agent had sent it: [Calls.Report] follows, if the session has it.
	Reported(u *transcript.Update)
	// Show gives the conversation an update of a call.
	Show(u *transcript.Update)
	// Visit notes where a call is at.
	Visit(p *transcript.ToolPatch)
	// Replayed reports whether what the agent reports now is a replay.
	Replayed() bool
	// Prompted reports whether the agent has the prompt of the run in progress.
	Prompted() bool
	// ReadsAlong reports whether Weft reads along what the agent's model writes.
	ReadsAlong() bool
	// HasTerminal reports whether a terminal is one of Weft's that runs for the session.
	HasTerminal(id string) bool
	// ReportUnasked calls [Calls.ShowFound] for files that changed, unless an open call may have changed them ([Calls.MayChange]).
	ReportUnasked()
	// OfferChanged notes that what the session offers may have changed.
	OfferChanged()
}

// Session is what [Calls] use of their session. Its functions are called with the lock of the space.
type Session[M gatedrafts.Message] struct {
	Agent   agent.Config
	Boxed   bool // the agent runs in a sandbox that takes more from it than the right to write the folder
	Place   permission.Place
	Desk    *asking.Desk
	Turns   *transcript.Turns
	Servers *sessionservers.List // that the agent was handed
	Notes   *agentnotes.Notes
	Hide    *secret.Redactor // nil: nothing is hidden
	Find    gatecalls.Lookup // of the gateway's tools

	// Rules returns the user's rules as they are now.
	Rules func() *permission.Set
	// Files returns the files of the space's folder. They are read with the lock.
	Files func() toolcalls.Disk
	// Watch is told what is reported about calls, in order. It is called without the lock, after the step, and must not block.
	Watch func(spaceID string, p *transcript.ToolPatch)

	Step  asking.Step
	Space gatedrafts.Space[M]
	Host  Host
}

// Calls are an agent's tool calls in one session. They are not safe for concurrent use: whoever has the lock of the space calls them.
type Calls[M gatedrafts.Message] struct {
	// IDs are those that calls have here. What the agent says of its calls goes through it first.
	IDs *callids.IDs
	// Drafts are the calls of the gateway's tools. What agents report and models write, and calls that arrive, is told to the Calls.
	Drafts *gatedrafts.Drafts[M]
	// Watch knows what the agent does without asking.
	Watch *unasked.Watch

	session  Session[M]
	open     toolcalls.Open // that have not ended
	shown    actions.Shown  // the changes that these show
	changes  *toolcalls.Changes
	written  toolcalls.Written // arguments that the agent shows as content
	rows     rows
	printing *toolcalls.Printing
	trust    gatecalls.Trust // in the names of the gateway's tools
	model    *modelcalls.Calls
	waiting  map[*Arrival[M]]chan struct{} // calls at the gateway that wait for their line; closed when they are settled
}

// New returns the calls of a session whose agent has made none.
func New[M gatedrafts.Message](session Session[M]) *Calls[M] {
	open := toolcalls.Open{}
	c := &Calls[M]{IDs: callids.New(session.Turns), session: session, open: open, printing: toolcalls.NewPrinting(session.Hide), waiting: map[*Arrival[M]]chan struct{}{}}
	c.Drafts = gatedrafts.New(session.Space, session.Place.SpaceID, session.Find, open)
	c.model = modelcalls.New(session.Find, gatedrafts.SendMessage)
	c.changes = toolcalls.NewChanges(session.Place.Folder, open)
	config, notes := session.Agent, session.Notes
	c.Watch = unasked.New(unasked.Agent{
		// Weft's own agent asks, and an agent that is started by hand is the user's affair.
		Trusted: config.Own() || config.Source == "", Boxed: session.Boxed,
		Keeps: func() []string { return agentproc.OwnFolders(config) },
		Seen:  func() bool { return notes.Seen(config.ID) },
		Lets: func(kind string) bool {
			return session.Desk.Permissions.Policy().Trusts(kind) != "" || notes.Lets(config.ID, kind)
		},
	}, open)
	return c
}

// Observe takes a part of a tool call that the model proxy has read while the model writes it.
func (c *Calls[M]) Observe(e modelproxy.Event) {
	c.showWritten(c.model.Read(e, func(id string) bool { return c.open[id] != nil || c.Drafts.Get(id) != nil }))
}

// Consent decides whether an operation of Weft's for the agent is carried out: see [asking.Permissions.Consent].
func (c *Calls[M]) Consent(o *requests.Operation) (w *asking.Waiting, recorded bool, err error) {
	turn, _ := c.session.Step.Turn()
	var noted *actions.Action
	if !o.Unchanged() { // else what it is about was done before
		noted = c.Watch.VouchFor(o, turn, c.shown, c.session.Place.Folder)
	}
	if c.shown == nil {
		c.shown = actions.Shown{}
	}
	w, recorded, err = c.session.Desk.Permissions.Consent(o, noted, asking.Calls{Open: c.open, Shown: c.shown})
	if w != nil && w.Row != "" {
		c.rows.add(w.Row, &o.Action)
	}
	o.OwnRow = c.rows.index(o.At) >= 0
	return w, recorded, err
}

// EndWriting is for the end of a run: the model writes no calls any more, and messages that were never sent are said to be that.
// [gatedrafts.Drafts.End] and Forget follow.
func (c *Calls[M]) EndWriting() {
	c.Drafts.EndAhead()
	c.model.Forget()
}

// Forget is for the end of a run, whose calls are forgotten, but for which of them are displays.
func (c *Calls[M]) Forget() {
	clear(c.open)
	clear(c.shown)
	c.Watch.Forget()
	c.session.Desk.Questions.Forget()
	c.changes.Forget()
	c.written.Forget()
	c.rows.endRun()
	c.Drafts.Forget()
	c.wake()
}
