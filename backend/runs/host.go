package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/modelproxy"
	"weft/backend/protocollog"
	"weft/backend/recording"
	"weft/backend/sandbox"
	"weft/backend/settings"
)

const (
	// endGrace is how long an agent may take to end after it has closed its output.
	endGrace = time.Second
	// maxHead is how much of a process's first lines, and of its stderr, is kept for the protocol logs of sessions that
	// come later.
	maxHead = 256 << 10
)

// host is a running agent: its process and connection. It serves the sessions of several spaces, each with a
// link and a lane of the connection, or only one. It ends with its last session.
type host struct {
	m      *Manager
	key    string
	config agent.Config
	giveUp context.CancelFunc // the start

	started chan struct{}      // closed when there is a process, or err
	ready   chan struct{}      // closed when it was initialized, or cannot be: err
	ended   chan struct{}      // closed when the connection has delivered everything
	slot    chan struct{}      // holds a value while a session/new is under way
	tunnel  *modelproxy.Tunnel // to its models; nil if it has none

	// Set before started is closed.
	proc   *agent.Process
	conn   *acp.Conn
	err    error
	stderr protocollog.Stderr
	wrote  sync.Once // the end of stderr was put down

	mu        sync.Mutex
	caps      acp.InitializeResult
	initErr   error
	links     map[*link]*use
	closed    bool // takes no more sessions
	condemned bool // is to be ended as soon as no turn is in progress
	why       error
	head      []headLine
	headSize  int
	headed    bool // no more lines are kept
}

// use is what a host knows of one of its sessions.
type use struct {
	idle bool // had nothing to do for idleAfter, and can be continued
	busy bool // a turn is in progress
}

type headLine struct {
	dir  string
	line []byte
}

// maxAlone is how many agents are remembered to serve one session only. A key changes with the agent's settings and the folder.
const maxAlone = 256

// hosts are the processes that further sessions may join.
type hosts struct {
	mu    sync.Mutex
	byKey map[string]*host
	alone []string // keys of agents that have turned out to serve one session only, the oldest first
}

// hostKey tells which sessions may share a process: those of the same agent, launched in the same way in
// the same folder.
func hostKey(c agent.Config, folder string, plan *sandbox.Plan) string {
	key, err := json.Marshal([]any{c.ID, c.Command, c.Args, c.Env, c.Secrets, filepath.Clean(c.Dir(folder)), plan}, json.Deterministic(true))
	if err != nil {
		return newID("host") // shared with nobody
	}
	return string(key)
}

// board gives a link its place in a process: in one that is there, or a new one. alone is a process of its
// own; fresh is one that is new, which later sessions join instead of the one before.
func (m *Manager) board(l *link, alone, fresh bool) *host {
	key := hostKey(l.config, l.s.space.Folder, l.plan)
	m.hosts.mu.Lock()
	defer m.hosts.mu.Unlock()
	alone = alone || proxied(l.config, l.plan) || l.config.Process == settings.ProcessPerSpace || slices.Contains(m.hosts.alone, key)
	if !alone && !fresh {
		if h := m.hosts.byKey[key]; h != nil && h.join(l) {
			return h
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &host{
		m: m, key: key, config: l.config, giveUp: cancel, started: make(chan struct{}), ready: make(chan struct{}), ended: make(chan struct{}),
		slot: make(chan struct{}, 1), links: map[*link]*use{l: {}},
	}
	if !alone {
		m.hosts.byKey[key] = h
	}
	dir, plan := l.s.space.Folder, l.plan
	m.tasks.Go(func() {
		defer cancel()
		h.run(ctx, dir, plan)
	})
	return h
}

// shun remembers that an agent serves one session only.
func (m *Manager) shun(h *host) {
	m.opt.Log.Info().Str("agent", h.config.ID).Msg("the agent takes one session a process; its spaces get a process each from now on")
	m.hosts.mu.Lock()
	defer m.hosts.mu.Unlock()
	if !slices.Contains(m.hosts.alone, h.key) {
		m.hosts.alone = append(m.hosts.alone, h.key)
	}
	if n := len(m.hosts.alone) - maxAlone; n > 0 {
		m.hosts.alone = slices.Delete(m.hosts.alone, 0, n) // it turns out again
	}
}

// forget takes a host out of those that can be joined.
func (m *Manager) forget(h *host) {
	m.hosts.mu.Lock()
	defer m.hosts.mu.Unlock()
	if m.hosts.byKey[h.key] == h {
		delete(m.hosts.byKey, h.key)
	}
}

// join adds a session; false where the process is on its way out.
func (h *host) join(l *link) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.links[l] = &use{}
	return true
}

// run owns the process from its start to its end.
func (h *host) run(ctx context.Context, folder string, plan *sandbox.Plan) {
	defer h.openTunnel(plan)()
	proc, err := h.m.start(ctx, h.config, folder, plan, h.tunnel)
	if err != nil {
		h.err, h.initErr = err, err
		h.close()
		close(h.ended)
		close(h.started)
		close(h.ready)
		return
	}
	h.proc = proc
	h.stderr.To = h.tap
	proc.CopyStderr(&h.stderr)
	h.conn = acp.New(proc.Stdout, proc.Stdin, acp.Options{Tap: h.tap, WriteTimeout: h.m.opt.Limits.Write})
	close(h.started)
	h.m.tasks.Go(func() {
		h.initialize(ctx)
		h.reroute(ctx)
		h.mu.Lock()
		h.headed = true
		h.mu.Unlock()
		close(h.ready)
	})
	err = h.conn.Run(context.Background(), h)
	close(h.ended)
	h.m.opt.Log.Debug().Err(err).Str("agent", h.config.ID).Msg("the agent's connection has ended")
	h.close()
	// An agent that has closed its output has mostly ended, or will at once. Only then is it
	// known how; one that goes on is stopped.
	select {
	case <-proc.Done():
	case <-time.After(endGrace):
	}
	h.end()
	<-h.ready // what ended initialize is the connection, not the end of ctx that follows this
}

// initialize tells the agent who speaks and learns what it can do; once more, where it wanted a sign-in before it said that.
func (h *host) initialize(ctx context.Context) {
	ictx, cancel := within(ctx, h.m.patience(h.config), h.asks)
	defer cancel()
	caps, err := h.conn.Initialize(ictx, acp.InitializeParams{
		Capabilities: clientCapabilities, Name: "weft", Title: "Weft", Version: h.m.opt.Version,
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = h.m.silent(h.config, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.caps, h.initErr = caps, err
}

// about answers what the agent has told about itself, or why it has not. It may be asked once ready is closed.
func (h *host) about() (acp.InitializeResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.caps, h.initErr
}

// asks reports whether the agent has asked the person something in one of its sessions.
func (h *host) asks() bool {
	h.mu.Lock()
	links := slices.Collect(maps.Keys(h.links))
	h.mu.Unlock()
	return slices.ContainsFunc(links, (*link).asks)
}

// silent makes a sentence of a time-out of initialize.
func (m *Manager) silent(config agent.Config, err error) error {
	return &Error{
		Code: "agent_silent", Err: err,
		Message: fmt.Sprintf("%s did not answer within %s of its start. Check in Settings that its command speaks the Agent Client Protocol.", config.Name, seconds(m.patience(config))),
	}
}

// Handle implements acp.Handler for what belongs to no session of ours.
func (h *host) Handle(in *acp.Inbound, _ bool) {
	switch in.Kind {
	case acp.KindRequest:
		if err := in.Request.Error(acp.CodeInvalidParams, "There is no such session on this connection."); err != nil {
			h.m.opt.Log.Debug().Err(err).Str("agent", h.config.ID).Msg("a request without a session could not be answered")
		}
	case acp.KindUpdate, acp.KindOversize, acp.KindNotification, acp.KindWithdrawn, acp.KindResponse, acp.KindBroken, acp.KindPanic:
		// The protocol logs have it.
	}
}

// tap shows the process's own lines in the protocol log of each session.
func (h *host) tap(dir string, line []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// What goes to stderr while it starts may come late.
	if (!h.headed || dir == recording.Stderr) && h.headSize+len(line) <= maxHead {
		h.head = append(h.head, headLine{dir, slices.Clone(line)})
		h.headSize += len(line)
	}
	for l := range h.links {
		if l.conn != nil {
			l.log.Line(dir, line)
		}
	}
}

// lane gives a session its lane of the connection. Its protocol log begins with how the process began.
func (h *host) lane(l *link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, line := range h.head {
		l.log.Line(line.dir, line.line)
	}
	conn := h.conn.Lane(l, l.log.Line)
	l.s.inside()
	l.proc, l.conn = h.proc, conn
	l.s.Unlock()
}

// open waits until no other session is being made: what comes before its id is known cannot be told apart.
func (h *host) open(ctx context.Context) error {
	select {
	case h.slot <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(h.m.opt.Limits.Share)
	defer timer.Stop()
	select {
	case h.slot <- struct{}{}:
		return nil
	case <-timer.C:
		return &unshared{err: fmt.Errorf("another session is being made: %w", context.DeadlineExceeded)}
	case <-h.ended:
		return acp.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (h *host) opened() { <-h.slot }

// shares reports whether the process serves others than l.
func (h *host) shares(l *link) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for other := range h.links {
		if other != l {
			return true
		}
	}
	return false
}

// wake tells that a session is used. It is false where its process is on its way out.
func (h *host) wake(l *link) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if u := h.links[l]; u != nil {
		u.idle = false
	}
	return !h.closed
}

// rest tells that a session has had nothing to do for long and can be continued. Where that is so for all of the
// process's sessions they are answered: nobody can use them any more, and they are to be stopped.
func (h *host) rest(l *link) []*link {
	h.mu.Lock()
	defer h.mu.Unlock()
	if u := h.links[l]; u != nil {
		u.idle = true
	}
	for _, u := range h.links {
		if !u.idle {
			return nil
		}
	}
	h.closed = true
	return slices.Collect(maps.Keys(h.links))
}

// works tells whether a turn of a session is in progress.
func (h *host) works(l *link, busy bool) {
	h.mu.Lock()
	if u := h.links[l]; u != nil {
		u.busy = busy
	}
	over := h.condemned && !h.working()
	h.mu.Unlock()
	if over {
		h.m.tasks.Go(h.end)
	}
}

// working is called with the mutex held.
func (h *host) working() bool {
	for _, u := range h.links {
		if u.busy {
			return true
		}
	}
	return false
}

// leave takes a session out. The process ends, and is waited for, with its last one.
func (h *host) leave(l *link) {
	h.mu.Lock()
	last := len(h.links) == 1 && h.links[l] != nil
	if last {
		h.closed = true
	} else {
		delete(h.links, l)
	}
	h.mu.Unlock()
	if last {
		h.close()
		h.giveUp()
		h.end()
		<-l.ended
		return
	}
	if l.conn == nil {
		return
	}
	l.s.Lock()
	acpID, turn, cancelled := l.acpID, l.turn, l.cancelled
	l.s.Unlock()
	if turn == nil {
		h.farewell(l)
		return
	}
	// The agent works on. What it sends is refused; it gets the time to stop that a person's stop gives it.
	h.m.tasks.Go(func() {
		patience := h.m.opt.Limits.Stop
		if cancelled.IsZero() {
			if err := l.conn.Cancel(context.Background(), acpID); err != nil {
				h.m.opt.Log.Debug().Err(err).Msg("session/cancel could not be sent")
			}
		} else {
			patience -= h.m.opt.Now().Sub(cancelled)
		}
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-turn:
		case <-h.ended:
		case <-timer.C:
			h.condemn()
		}
		h.farewell(l)
	})
}

// farewell ends a session in a process that goes on.
func (h *host) farewell(l *link) {
	h.mu.Lock()
	condemned := h.condemned
	h.mu.Unlock()
	if !condemned && !h.m.closing() {
		l.parting.Do(func() { l.part(context.Background()) })
	}
	l.conn.Leave()
}

// condemn ends a process that goes on working for a session that has ended: as soon as it does nothing for
// others, and soon anyway.
func (h *host) condemn() {
	h.close()
	h.mu.Lock()
	h.condemned = true
	h.why = &Error{
		Code:    "agent_ended",
		Message: h.config.Name + " did not stop when it was told to in another space, so its process was ended. Restart it to go on.",
	}
	now := !h.working()
	h.mu.Unlock()
	h.m.opt.Log.Warn().Str("agent", h.config.ID).Msg("an agent goes on with a turn that has ended; its process will be ended")
	if now {
		h.end()
		return
	}
	h.m.tasks.Go(func() {
		timer := time.NewTimer(h.m.opt.Limits.Others)
		defer timer.Stop()
		select {
		case <-timer.C:
			h.end()
		case <-h.ended:
		}
	})
}

// close takes no more sessions.
func (h *host) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.m.forget(h)
}

// end ends the process with everything it started, and waits for it.
func (h *host) end() {
	<-h.started
	if h.proc == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := h.proc.Stop(ctx); err != nil {
		h.m.opt.Log.Error().Err(err).Str("agent", h.config.ID).Msg("an agent could not be ended")
	} else {
		h.wrote.Do(h.stderr.End)
	}
	h.conn.Close()
}

// reason is why Weft has ended the process, nil if it has not.
func (h *host) reason() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.why
}

// unshared says that a session could not be had in a process that serves others too.
type unshared struct {
	err     error
	forGood bool // and never will
}

func (e *unshared) Error() string { return e.err.Error() }
func (e *unshared) Unwrap() error { return e.err }
