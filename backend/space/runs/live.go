package runs

import (
	"context"
	"os"
	"sync/atomic"

	"weft/backend/acp/protocollog"
	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/sandbox"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/usage"
	"weft/backend/settings"
	"weft/backend/space/acpsession"
	"weft/backend/space/agentcalls"
	"weft/backend/space/agentfiles"
	"weft/backend/space/agentterminals"
	"weft/backend/space/lifecycle"
	"weft/backend/space/sessionservers"
	"weft/backend/space/turn"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

// liveSession is a session with a running agent.
type liveSession struct {
	s       *Session
	stage   *lifecycle.Stage[*liveSession]
	config  agent.Config
	dropped atomic.Bool // the session is closing or closed
	conn    *acpsession.Connection
	writes  agentfiles.Writes

	// Under the lock of the space.
	session   *acpsession.Session
	calls     *agentcalls.Calls[*message]
	terminals *agentterminals.Terminals
	measured  usage.Measured   // the run's usage, measured by the model proxy
	read      agentfiles.Known // files that the agent has read through Weft
	plan      *sandbox.Plan    // sandbox of the agent's process, nil for none; if ReadOnly, it can't write to the folder

	why       turn.Reason   // why the agent has to ask for permission, as of the last updateRequirements
	adjusting chan struct{} // holds a value while options are being set
	adjusts   struct {      // setting options, except while preparing a prompt
		pending bool
		n       int // since the last prompt
	}

	pulse    turn.Pulse // of the prompt in progress, until the agent has sent something
	prompted bool       // the session was sent a prompt
	replaced bool       // the session's folder was replaced by another one
	signedIn bool       // the user has signed in, in this process
}

// run starts the agent or joins its running process, and opens the session as its stage specifies. It blocks until then
// or until leave is called.
func (l *liveSession) run(fresh bool) error {
	how := l.stage.How()
	l.updateRequirements()
	return l.conn.Open(how.Alone, fresh, func() { l.session.Join(acpSpace{l}.opener()) }, func(ctx context.Context) error {
		if how.Open != nil {
			return how.Open(l, ctx)
		}
		return l.session.Open(ctx)
	})
}

// leave ends the session in its process. If it was the last session, the process and everything it started end, and
// leave waits for that.
func (l *liveSession) leave(how lifecycle.Ending) {
	l.conn.Leave(acpsession.Leaving{CloseSession: how.Polite, Lost: how.Lost, State: acpSpace{l}.detached, Cleanup: l.terminals.Close})
	l.session.End()
}

// noteActivity notes that the agent has sent something. The lock is held.
func (l *liveSession) noteActivity() {
	if release := l.pulse.Beat(); release != nil {
		l.s.Effect(release)
	}
}

// acpSpace connects an ACP session to its space. It implements [acpsession.Space].
type acpSpace struct{ l *liveSession }

func (a acpSpace) Step(do func())             { a.l.s.Step(do) }
func (a acpSpace) Current() bool              { return a.l.s.life.Live() == a.l }
func (a acpSpace) InTurn() bool               { return a.l.s.run != nil }
func (a acpSpace) PublishOptions(signIn bool) { a.l.s.publishOptions(a.l, signIn) }
func (a acpSpace) Flush()                     { a.l.s.Flush() }

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

func (a acpSpace) ResetCost() {
	a.l.s.cost = usage.Cost{}
	if a.l.s.run != nil {
		a.l.s.run.used.FromZero()
	}
}

// acpStore implements [acpsession.Store].
type acpStore struct {
	*spaces.Sessions
	*pages.Pages
}

// options returns the options of the ACP session.
func (a acpSpace) options() acpsession.Options {
	l, m := a.l, a.l.s.m
	o := acpsession.Options{
		SpaceID: l.s.space.ID, MemberID: l.s.member().ID, Config: l.config, Folder: l.s.space.Folder, Space: a,
		Offered: &l.s.options, Known: &l.s.signIns, Tried: &l.s.tried, Now: m.now, Redact: func(text string) string { return m.redactor().Text(text) },
		SawLogOut: func(can bool) { m.notes.SawLogOut(l.config, can) },
		Servers:   a.mcpServers(), Log: m.opt.Log,
	}
	if s := m.opt.Store; s != nil {
		o.Store = acpStore{s.Sessions, s.Pages}
	}
	return o
}

// mcpServers returns the MCP servers for the session. Weft's own guide doesn't get Weft's server, because it has the
// tools built in.
func (a acpSpace) mcpServers() *sessionservers.Given {
	l, m := a.l, a.l.s.m
	g := &sessionservers.Given{Servers: m.opt.MCPServers, Program: os.Executable, Secret: m.Secret, Hide: m.redactor()}
	if open := m.opt.Gateway; open != nil && l.config.ID != settings.GuideID {
		g.Open = func() (url, token string, release func(), ok bool) {
			return open(l.s.space.ID, l.s.member().ID, l.s.space.AgentID)
		}
	}
	if l.plan != nil && l.plan.Offline {
		g.Socket = agentproc.GatewaySocket(m.opt.DataDir)
	}
	return g
}

// connection returns the options of the connection to the agent process.
func (a acpSpace) connection() acpsession.ConnectionOptions {
	l, m, space := a.l, a.l.s.m, &a.l.s.space
	return acpsession.ConnectionOptions{
		Processes: m.processes, Session: l, Request: agentproc.Request{Config: l.config, Folder: space.Folder, Sandbox: l.plan},
		Log: func() *protocollog.Log {
			return protocollog.Open(m.ProtocolPath(space.ID, l.s.member().ID), m.opt.Now, m.opt.Log, m.redactor())
		},
		Inside: l.s.InsideStep, Lost: func() { l.s.Step(l.stage.Lost) }, Failed: l.session.CheckSignIn,
		Go: m.tasks.Go, Redactor: m.redactor(), AppLog: m.opt.Log.With().Str("space", space.ID).Logger(),
	}
}

// opener returns an opener for the process that the session has joined.
func (a acpSpace) opener() *acpsession.Opener {
	l, m := a.l, a.l.s.m
	return &acpsession.Opener{
		Lease: l.conn.Lease, Conn: l.conn.Lane, Agent: l.config.Name, Folder: l.s.space.Folder, Servers: l.session.ServersToSend, ServersRefused: l.session.MarkServersRefused, Asking: l.Asking, Go: m.tasks.Go,
		Limit: m.opt.Limits.Session, Share: m.opt.Limits.Share, Log: m.opt.Log.With().Str("agent", l.config.ID).Logger(),
	}
}

// detached returns the state of the session for leaving its process.
func (a acpSpace) detached() agentproc.Detached {
	l := a.l
	l.s.Lock()
	defer l.s.Unlock()
	return agentproc.Detached{SessionID: l.session.ID(), Unused: l.session.Unused(), Canceled: l.conn.Canceled}
}
