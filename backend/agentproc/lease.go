package agentproc

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/modelproxy"
	"weft/backend/protocollog"
)

// closeGrace is how long an agent may take to close a session before it is left all the same.
const closeGrace = 700 * time.Millisecond

// Session is what a process needs to know of a session that it serves. No lock of the process is held when it is called.
type Session interface {
	// Handle takes what the agent sends for the session, in its order.
	acp.Handler
	// Asking reports whether the agent has asked the user something that has no answer yet. Time limits don't run then.
	Asking() bool
	// Observe takes a part of the model's answer that the model proxy has read.
	Observe(e modelproxy.Event)
}

// Lease is a session's share in a process. Its methods are safe for concurrent use.
type Lease struct {
	Process *Process
	session Session
	closing sync.Once // the agent was told that the session isn't used any more

	// Guarded by the lock of the process.
	conn *acp.Conn // the session's own lane of the connection, nil while it has none
	log  *protocollog.Log
	idle bool  // it had nothing to do for long, and can be continued
	turn *turn // in progress, nil if none is
}

// turn is a prompt that the agent works on.
type turn struct {
	sessionID string
	queued    chan struct{} // closed when what is sent comes after the prompt
	over      chan struct{} // closed when the agent has ended it, or never had the prompt
}

// cancel asks the agent to end the turn, behind its prompt: an agent that hears of it before ignores it. It blocks until both are queued.
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

// join adds a session. It returns nil if the process takes no more.
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

// sessions returns those that the process serves.
func (p *Process) sessions() []Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Session, 0, len(p.leases))
	for l := range p.leases {
		list = append(list, l.session)
	}
	return list
}

// Connect waits until the process has started and returns the session's own connection to it, from which it gets what the agent sends until
// [Lease.Detach]. The protocol log begins with how the process has begun. The error is that of the start, or the cause of the end of ctx.
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

// Shared reports whether the process serves other sessions, too. It doesn't block.
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

// MarkExclusive remembers that the agent serves one session only: the next ones get a process each. It doesn't block.
func (l *Lease) MarkExclusive() { l.Process.pool.markExclusive(l.Process) }

// OthersAtWork returns the other sessions of the process that have a turn, where this one has none. It doesn't block.
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

// Part notes that the agent uses what one session was given, such as the way to Weft's own tools, for another. Some agents keep one list of MCP
// servers a folder, so that the servers of the session that was opened last serve all of them. The process takes no more sessions, those that it serves
// are to leave it before their next turn (see [Lease.Use]), and each session of the agent gets a process of its own. It doesn't block.
func (l *Lease) Part() {
	l.Process.Retire()
	l.Process.pool.markExclusive(l.Process)
}

// Use notes that the session is used. It reports false if its process is on its way out. It doesn't block.
func (l *Lease) Use() bool {
	p := l.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	l.idle = false
	return !p.retired
}

// Idle notes that the session has had nothing to do for long and can be continued. If that is so for all sessions of the
// process, it returns them: none can join the process any more, and they must be ended. It doesn't block.
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

// CloseSession tells the agent that an ACP session isn't used any more, if it wants to know: it is closed, and an unused one, in
// which nothing was ever said, is deleted. Only the first call does something. It blocks for 700 ms at most.
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
	SessionID string    // of the ACP session, "" if there is none
	Unused    bool      // nothing was ever said in it
	Canceled  time.Time // when the agent was told to end the turn in progress, zero if it was not
}

// Detach takes the session out of its process and reports whether that ends the process, which it does with its last session; it is waited for then, with
// everything that it has started. A process that continues is told to end the turn of the session and gets the time for that that a user's stop
// gives it; that isn't waited for.
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
