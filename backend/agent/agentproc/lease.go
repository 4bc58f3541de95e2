package agentproc

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/acp/protocollog"
	"weft/backend/llm/modelproxy"
)

// closeGrace is how long an agent may take to close a session before Weft leaves it anyway.
const closeGrace = 700 * time.Millisecond

// Session is what a process needs from a session that it serves. It is called without the lock of the process.
type Session interface {
	// Handle processes what the agent sends for the session, in order.
	acp.Handler
	// Asking reports whether a question of the agent to the user is open. Time limits are then suspended.
	Asking() bool
	// Observe processes a part of the model's response that the model proxy has read.
	Observe(e modelproxy.Event)
}

// Lease is a session's share of a process. Its methods are safe for concurrent use.
type Lease struct {
	Process *Process
	session Session
	closing sync.Once // the agent was told that the session is no longer used

	// Guarded by the lock of the process.
	conn *acp.Conn // the session's own lane of the connection, or nil
	log  *protocollog.Log
	idle bool  // it has been idle for long, and can be continued later
	turn *turn // in progress, or nil
}

// turn is a prompt that the agent works on.
type turn struct {
	sessionID string
	queued    chan struct{} // closed when anything sent from now on follows the prompt
	over      chan struct{} // closed when the agent has ended the turn, or never got the prompt
}

// cancel asks the agent to end the turn. It waits until the prompt is queued, because an agent ignores an earlier
// request, and blocks until the request is queued too.
func (t *turn) cancel(ctx context.Context, conn *acp.Conn) error {
	select {
	case <-t.queued:
		return conn.Cancel(ctx, t.sessionID)
	case <-t.over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// join adds a session. It returns nil if the process accepts no more.
func (p *Process) join(s Session) *Lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired {
		return nil
	}
	l := &Lease{Process: p, session: s}
	p.leases[l] = struct{}{}
	return l
}

// sessions returns the sessions that the process serves.
func (p *Process) sessions() []Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Session, 0, len(p.leases))
	for l := range p.leases {
		list = append(list, l.session)
	}
	return list
}

// Connect waits until the process has started, and returns the session's own connection, on which it gets what the
// agent sends until [Lease.Detach]. The protocol log begins with the first lines of the process. Errors: that of the
// start, or the cause of ctx.
func (l *Lease) Connect(ctx context.Context, log *protocollog.Log) (*acp.Conn, error) {
	p := l.Process
	select {
	case <-p.started:
		if p.err != nil {
			return nil, p.err
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.head.lines {
		log.Line(line.dir, line.line)
	}
	l.log, l.conn = log, p.conn.Lane(l.session, log.Line)
	return l.conn, nil
}

// Shared reports whether the process also serves other sessions. It doesn't block.
func (l *Lease) Shared() bool {
	p := l.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	for other := range p.leases {
		if other != l {
			return true
		}
	}
	return false
}

// MarkExclusive records that the agent serves only one session per process. Later sessions get separate processes. It
// doesn't block.
func (l *Lease) MarkExclusive() { l.Process.pool.markExclusive(l.Process) }

// OthersAtWork returns the other sessions of the process with a turn in progress, or nil if this session has one. It
// doesn't block.
func (l *Lease) OthersAtWork() (list []Session) {
	p := l.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.turn != nil {
		return nil
	}
	for other := range p.leases {
		if other.turn != nil {
			list = append(list, other.session)
		}
	}
	return list
}

// Part records that the agent uses something that it got for one session, such as the connection to Weft's own tools,
// for another session. Some agents keep one list of MCP servers per folder, so that the servers of the latest session
// serve all sessions. The process accepts no more sessions, its sessions must leave it before their next turn (see
// [Lease.Use]), and later sessions of the agent get separate processes. It doesn't block.
func (l *Lease) Part() {
	l.Process.Retire()
	l.Process.pool.markExclusive(l.Process)
}

// Use records that the session is in use. It returns false if its process is retired. It doesn't block.
func (l *Lease) Use() bool {
	p := l.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	l.idle = false
	return !p.retired
}

// Idle records that the session has been idle for long and can be continued later. If that is true for all sessions of
// the process, it returns them: no session can join any more, and the caller must end them. It doesn't block.
func (l *Lease) Idle() []Session {
	p := l.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	l.idle = true
	for other := range p.leases {
		if !other.idle {
			return nil
		}
	}
	p.retired = true
	list := make([]Session, 0, len(p.leases))
	for other := range maps.Keys(p.leases) {
		list = append(list, other.session)
	}
	return list
}

// CloseSession closes an ACP session if the agent supports that, and deletes it if it is unused, which means that
// nothing was ever said in it. Only the first call has an effect. It blocks for 700 ms at most.
func (l *Lease) CloseSession(ctx context.Context, sessionID string, unused bool) {
	l.closing.Do(func() { l.closeSession(ctx, sessionID, unused) })
}

func (l *Lease) closeSession(ctx context.Context, sessionID string, unused bool) {
	about, _ := l.Process.About()
	can := about.Capabilities
	forget := unused && can.DeleteSession
	if sessionID == "" || !can.CloseSession && !forget {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	var err error
	if can.CloseSession {
		err = l.conn.CloseSession(ctx, sessionID)
	}
	if forget {
		err = errors.Join(err, l.conn.DeleteSession(ctx, sessionID))
	}
	if err != nil {
		l.Process.pool.opt.Log.Debug().Err(err).Str("agent", l.Process.config.ID).Msg("the agent did not let go of its session")
	}
}

// Detached is the state in which a session leaves its process.
type Detached struct {
	SessionID string    // of the ACP session, or ""
	Unused    bool      // nothing was ever said in it
	Canceled  time.Time // when the agent was asked to end the turn in progress; zero if it wasn't
}

// Detach removes the session from its process. If it was the last one, it ends the process with everything that it
// started, waits for that, and returns true. Otherwise the agent is asked in the background to end the session's turn,
// with the same time limit as when the user stops it.
func (l *Lease) Detach(d Detached) (ended bool) {
	p := l.Process
	p.mu.Lock()
	_, attached := p.leases[l]
	last := len(p.leases) == 1 && attached
	if last {
		p.retired = true
	} else {
		delete(p.leases, l)
	}
	conn, turn := l.conn, l.turn
	p.mu.Unlock()
	switch {
	case last:
		p.Retire()
		p.giveUp()
		p.end()
		return true
	case conn == nil:
		return false
	case turn == nil:
		l.part(d)
		return false
	}
	// The agent works on. What it sends is refused.
	opt := &p.pool.opt
	opt.Go(func() {
		timeout := opt.Limits.Stop
		if d.Canceled.IsZero() {
			if err := turn.cancel(context.Background(), conn); err != nil {
				opt.Log.Debug().Err(err).Msg("session/cancel could not be sent")
			}
		} else {
			timeout -= opt.Now().Sub(d.Canceled)
		}
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		select {
		case <-turn.over:
		case <-p.ended:
		case <-timer.C:
			p.condemn()
		}
		l.part(d)
	})
	return false
}

// part ends the session in a process that continues.
func (l *Lease) part(d Detached) {
	p := l.Process
	p.mu.Lock()
	condemned := p.condemned
	p.mu.Unlock()
	if !condemned && !p.pool.closing.Load() {
		l.CloseSession(context.Background(), d.SessionID, d.Unused)
	}
	l.conn.Leave()
}
