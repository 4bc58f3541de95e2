package agentproc

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/acp/protocollog"
	"weft/backend/acp/recording"
	"weft/backend/agent"
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/llm/modelproxy"
)

// maxHead limits how much of a process's first lines and of its stderr is kept for the protocol logs of sessions that
// join later.
const maxHead = 256 << 10

// Process is a running agent: its process and its connection. It serves the sessions that hold a lease on it, and ends
// with the last of them. Its methods are safe for concurrent use.
type Process struct {
	pool    *Pool
	key     string
	config  agent.Config
	folder  string             // in which it was started
	info    fs.FileInfo        // of the folder at the start; nil to skip the comparison
	proxied bool               // it uses the model proxy
	giveUp  context.CancelFunc // cancels the start

	started chan struct{}      // closed when proc or err is set
	ready   chan struct{}      // closed when it is initialized, or that has failed
	ended   chan struct{}      // closed when the connection has delivered everything
	slot    chan struct{}      // semaphore for opening a session, or sending a prompt to an agent in oneByOne
	tunnel  *modelproxy.Tunnel // to its models, or nil

	launched // set before started is closed

	mu sync.Mutex
	state
}

// launched is the result of starting a process.
type launched struct {
	proc   *agent.Process
	conn   *acp.Conn
	err    error
	stderr protocollog.Stderr
	wrote  sync.Once // writes the end of stderr
	noise  noise
}

// state is the changing state of a process, guarded by the lock.
type state struct {
	about     acp.InitializeResult
	aboutErr  error
	leases    map[*Lease]struct{}
	retired   bool  // accepts no more sessions
	condemned bool  // ends as soon as no turn is in progress
	reason    error // why Weft ends it, or nil
	head      head
}

// head is the first lines of a process.
type head struct {
	lines []headLine
	size  int  // bytes
	over  bool // no more lines are added
}

type headLine struct {
	dir  string
	line []byte
}

// run owns the process from its start to its end.
func (p *Process) run(ctx context.Context, plan *sandbox.Plan) {
	defer p.openTunnel()()
	opt := &p.pool.opt
	proc, err := p.pool.start(ctx, p.config, p.folder, plan, p.tunnel)
	if err != nil {
		p.err = err
		p.mu.Lock()
		p.aboutErr = err
		p.mu.Unlock()
		p.Retire()
		close(p.ended)
		close(p.started)
		close(p.ready)
		return
	}
	p.proc = proc
	p.stderr.To = p.tap
	proc.CopyStderr(&p.stderr)
	p.conn = acp.New(proc.Stdout, proc.Stdin, acp.Options{Tap: p.tap, WriteTimeout: opt.Limits.Write})
	close(p.started)
	opt.Go(func() {
		p.Initialize(ctx)
		p.reroute(ctx)
		p.mu.Lock()
		p.head.over = true
		p.mu.Unlock()
		close(p.ready)
	})
	err = p.conn.Run(context.Background(), p)
	close(p.ended)
	opt.Log.Debug().Err(err).Str("agent", p.config.ID).Msg("the agent's connection has ended")
	p.Retire()
	// An agent that has closed its output has usually exited, or will do so soon. How it ended is known only after
	// that. One that continues is stopped.
	select {
	case <-proc.Ended():
	case <-time.After(EndGrace):
	}
	p.end()
	<-p.ready // so that Initialize ends because of the connection, and not because ctx is canceled after this
}

// ReadsAlong reports whether Weft reads the responses of the agent's model. It doesn't block.
func (p *Process) ReadsAlong() bool { return p.proxied }

// Delivered blocks until everything that the agent has written so far is in the lanes of its sessions, or ctx ends.
// The process must have been started.
func (p *Process) Delivered(ctx context.Context) { p.proc.CatchUp(ctx) }

// Initialize sends initialize and stores the result for [Process.About]. The process calls it when it starts; call it
// again for an agent that required a sign-in before it reported its capabilities. It blocks until the agent has
// answered.
func (p *Process) Initialize(ctx context.Context) {
	opt := &p.pool.opt
	ictx, cancel := Within(ctx, p.pool.timeout(p.config), p.asking)
	defer cancel()
	about, err := p.conn.Initialize(ictx, acp.InitializeParams{
		Capabilities: opt.Capabilities, Name: "weft", Title: "Weft", Version: opt.Version,
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = p.pool.silent(p.config, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.about, p.aboutErr = about, err
}

// Ready is closed when the process is initialized, or that has failed.
func (p *Process) Ready() <-chan struct{} { return p.ready }

// About returns the result of initialize, or its error. It returns nothing before [Process.Ready] is closed. It
// doesn't block.
func (p *Process) About() (acp.InitializeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.about, p.aboutErr
}

// asking reports whether one of the sessions has an open question to the user.
func (p *Process) asking() bool {
	return slices.ContainsFunc(p.sessions(), Session.Asking)
}

// silent returns the error for a timeout of initialize.
func (p *Pool) silent(config agent.Config, err error) error {
	return fault.New("agent_silent", "{{agent}} didn't answer within {{time}} after starting. Check in Settings that its command speaks the Agent Client Protocol.", config.Name, quantity.Seconds(p.timeout(config))).Because(err)
}

// Handle implements [acp.Handler] for messages that belong to no session.
func (p *Process) Handle(in *acp.Inbound, _ bool) {
	switch in.Kind {
	case acp.KindRequest:
		if err := in.Request.Error(acp.CodeInvalidParams, "No such session on this connection."); err != nil {
			p.pool.opt.Log.Debug().Err(err).Str("agent", p.config.ID).Msg("a request without a session could not be answered")
		}
	case acp.KindBroken:
		p.noise.add(in.Text)
	case acp.KindUpdate, acp.KindOversize, acp.KindNotification, acp.KindWithdrawn, acp.KindResponse, acp.KindPanic:
		// The protocol logs contain these.
	}
}

// tap writes the process's own lines to the protocol log of each session.
func (p *Process) tap(dir string, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Output on stderr during the start may arrive late.
	if h := &p.head; (!h.over || dir == recording.Stderr) && h.size+len(line) <= maxHead {
		h.lines = append(h.lines, headLine{dir, slices.Clone(line)})
		h.size += len(line)
	}
	for l := range p.leases {
		if l.conn != nil {
			l.log.Line(dir, line)
		}
	}
}
