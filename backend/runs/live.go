package runs

import (
	"context"
	"sync/atomic"

	"weft/backend/acpsession"
	"weft/backend/agent"
	"weft/backend/agentcalls"
	"weft/backend/agentfiles"
	"weft/backend/agentterminals"
	"weft/backend/lifecycle"
	"weft/backend/sandbox"
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

	// Under the lock of the space.
	session   *acpsession.Session
	calls     *agentcalls.Calls[*message]
	terminals *agentterminals.Terminals
	measured  usage.Measured   // of the run, by the model proxy
	read      agentfiles.Known // the files that the agent has read through Weft
	plan      *sandbox.Plan    // of the agent's process; nil: it is in no sandbox

	pulse    turn.Pulse // of the prompt that is in progress, until the agent has sent something
	prompted bool       // the session was given a prompt
}

// run starts the agent, or joins a process that it has, and opens the session as it is to be. It blocks until then, or until leave is called.
func (l *liveSession) run(fresh bool) error {
	how := l.stage.How()
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
