package runs

import (
	"context"
	"os"
	"sync/atomic"

	"weft/backend/acpsession"
	"weft/backend/agent"
	"weft/backend/agentcalls"
	"weft/backend/agentfiles"
	"weft/backend/agentproc"
	"weft/backend/agentterminals"
	"weft/backend/lifecycle"
	"weft/backend/protocollog"
	"weft/backend/sandbox"
	"weft/backend/sessionservers"
	"weft/backend/settings"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
	"weft/backend/turn"
	"weft/backend/usage"
)

// liveSession is a session of ours with a running agent.
type liveSession struct {
	s       *Session
	stage   *lifecycle.Stage[*liveSession]
	config  agent.Config
	dropped atomic.Bool // it is closing, or gone
	conn    *acpsession.Connection
	writes  agentfiles.Writes

	// Under the lock of the space.
	session   *acpsession.Session
	calls     *agentcalls.Calls[*message]
	terminals *agentterminals.Terminals
	measured  usage.Measured   // of the run, by the model proxy
	read      agentfiles.Known // the files that the agent has read through Weft
	plan      *sandbox.Plan    // of the agent's process; nil: it is in no sandbox. With ReadOnly it can't write the folder

	why       turn.Reason   // why the agent has to ask, as it was last looked at
	adjusting chan struct{} // holds a value while options are set
	adjusts   struct {      // outside of the preparation of a prompt
		pending bool
		n       int // since the last prompt
	}

	pulse    turn.Pulse // of the prompt that is in progress, until the agent has sent something
	prompted bool       // the session was given a prompt
	replaced bool       // another folder is where that of the session was
	signedIn bool       // the user has signed in, in this process
}

// run starts the agent, or joins a process that it has, and opens the session as it is to be. It blocks until then, or until leave is called.
func (l *liveSession) run(fresh bool) error {
	how := l.stage.How()
	l.require()
	return l.conn.Open(how.Alone, fresh, func() { l.session.Join(acpSpace{l}.opener()) }, func(ctx context.Context) error {
		if how.Open != nil {
			return how.Open(l, ctx)
		}
		return l.session.Open(ctx)
	})
}

// leave ends the session in its process, which ends with its last session, with everything it started, and is waited for.
func (l *liveSession) leave(how lifecycle.Ending) {
	l.conn.Leave(acpsession.Leaving{Polite: how.Polite, Lost: how.Lost, State: acpSpace{l}.detached, Beside: l.terminals.Close})
	l.session.End()
}

// lives notes a sign of life. The lock is held.
func (l *liveSession) lives() {
	if release := l.pulse.Beat(); release != nil {
		l.s.Effect(release)
	}
}

// acpSpace is the space of a session for how that is opened, and what is needed for it. It implements [acpsession.Space].
type acpSpace struct{ l *liveSession }

func (a acpSpace) Step(do func())     { a.l.s.Step(do) }
func (a acpSpace) Current() bool      { return a.l.s.life.Live() == a.l }
func (a acpSpace) InTurn() bool       { return a.l.s.run != nil }
func (a acpSpace) Offers(signIn bool) { a.l.s.tellOffer(a.l, signIn) }
func (a acpSpace) Flush()             { a.l.s.Flush() }

func (a acpSpace) Update(list []*transcript.Update) {
	for _, u := range list {
		a.l.take(u)
	}
	a.l.s.Pace(false)
}

func (a acpSpace) Replay(begins bool) {
	if begins {
		a.l.s.turns.Replay()
	} else {
		a.l.s.turns.EndReplay()
	}
}

func (a acpSpace) FromZero() {
	a.l.s.cost = usage.Cost{}
	if a.l.s.run != nil {
		a.l.s.run.used.FromZero()
	}
}

// acpStore has the sessions and the prompts of spaces. It implements [acpsession.Store].
type acpStore struct {
	*spaces.Sessions
	*pages.Pages
}

// options are what the ACP session needs to know.
func (a acpSpace) options() acpsession.Options {
	l, m := a.l, a.l.s.m
	o := acpsession.Options{
		SpaceID: l.s.space.ID, MemberID: l.s.member.ID, Config: l.config, Folder: l.s.space.Folder, Space: a,
		Offered: &l.s.options, Known: &l.s.signIns, Tried: &l.s.tried, Now: m.now, Redact: func(text string) string { return m.redactor().Text(text) },
		SawLogOut: func(can bool) { m.notes.SawLogOut(l.config, can) },
		Servers:   a.mcpServers(), Log: m.opt.Log,
	}
	if s := m.opt.Store; s != nil {
		o.Store = acpStore{s.Sessions, s.Pages}
	}
	return o
}

// mcpServers are what the agent is given in the session. Weft's own guide has the tools already.
func (a acpSpace) mcpServers() *sessionservers.Given {
	l, m := a.l, a.l.s.m
	g := &sessionservers.Given{Servers: m.opt.MCPServers, Program: os.Executable, Secret: m.Secret, Hide: m.redactor()}
	if open := m.opt.Gateway; open != nil && l.config.ID != settings.GuideID {
		g.Open = func() (url, token string, release func(), ok bool) {
			return open(l.s.space.ID, l.s.member.ID, l.s.space.AgentID)
		}
	}
	if l.plan != nil && l.plan.Offline {
		g.Socket = agentproc.GatewaySocket(m.opt.DataDir)
	}
	return g
}

// connection is what the connection to the agent's process needs.
func (a acpSpace) connection() acpsession.ConnectionOptions {
	l, m, space := a.l, a.l.s.m, &a.l.s.space
	return acpsession.ConnectionOptions{
		Processes: m.processes, Session: l, Request: agentproc.Request{Config: l.config, Folder: space.Folder, Sandbox: l.plan},
		Log: func() *protocollog.Log {
			return protocollog.Open(m.ProtocolPath(space.ID, l.s.member.ID), m.opt.Now, m.opt.Log, m.redactor())
		},
		Inside: l.s.InsideStep, Lost: func() { l.s.Step(l.stage.Lost) }, Failed: l.session.WantsSignIn,
		Go: m.tasks.Go, Redactor: m.redactor(), AppLog: m.opt.Log.With().Str("space", space.ID).Logger(),
	}
}

// opener opens sessions in the process that the session has joined.
func (a acpSpace) opener() *acpsession.Opener {
	l, m := a.l, a.l.s.m
	return &acpsession.Opener{
		Lease: l.conn.Lease, Conn: l.conn.Lane, Agent: l.config.Name, Folder: l.s.space.Folder, Servers: l.session.Give, Without: l.session.Without, Asking: l.Asking, Go: m.tasks.Go,
		Limit: m.opt.Limits.Session, Share: m.opt.Limits.Share, Log: m.opt.Log.With().Str("agent", l.config.ID).Logger(),
	}
}

// detached is the state in which the session leaves its process.
func (a acpSpace) detached() agentproc.Detached {
	l := a.l
	l.s.Lock()
	defer l.s.Unlock()
	return agentproc.Detached{SessionID: l.session.ID(), Unused: l.session.Unsaid(), Canceled: l.conn.Canceled}
}
