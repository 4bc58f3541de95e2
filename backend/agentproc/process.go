package agentproc

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/fault"
	"weft/backend/modelproxy"
	"weft/backend/protocollog"
	"weft/backend/quantity"
	"weft/backend/recording"
	"weft/backend/sandbox"
)

// maxHead is how much of a process's first lines, and of its stderr, is kept for the protocol logs of sessions that
// join later.
const maxHead = 256 << 10

// Process is an agent that runs: its process and its connection. It serves the sessions that hold a lease on it and ends with the last of them.
// Its methods are safe for concurrent use.
type Process struct {
	pool    *Pool
	key     string
	config  agent.Config
	folder  string             // that it was started in
	info    fs.FileInfo        // of the folder at that time; nil: it isn't compared
	proxied bool               // it reaches its models through the model proxy
	giveUp  context.CancelFunc // the start

	started chan struct{}      // closed when there is a process, or err
	ready   chan struct{}      // closed when it is initialized, or can't be
	ended   chan struct{}      // closed when the connection has delivered everything
	slot    chan struct{}      // holds a value while a session is being made, or a prompt of prompted is sent
	tunnel  *modelproxy.Tunnel // to its models; nil if it has none

	launched // set before started is closed

	mu sync.Mutex
	state
}

// launched is what the start of a process has made.
type launched struct {
	proc   *agent.Process
	conn   *acp.Conn
	err    error
	stderr protocollog.Stderr
	wrote  sync.Once // the end of stderr was written
	noise  noise
}

// state is what changes while a process runs. It is guarded by the lock.
type state struct {
	about     acp.InitializeResult
	aboutErr  error
	leases    map[*Lease]struct{}
	retired   bool  // takes no more sessions
	condemned bool  // ends as soon as no turn is in progress
	reason    error // why Weft ends it, nil if it doesn't
	head      head
}

// head are the first lines of a process.
type head struct {
	lines []headLine
	size  int  // bytes
	over  bool // no more lines are kept
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
	// An agent that has closed its output has mostly ended, or will at once. Only then is it
	// known how; one that continues is stopped.
	select {
	case <-proc.Ended():
	case <-time.After(EndGrace):
	}
	p.end()
	<-p.ready // what ended Initialize is the connection, not the end of ctx that follows this
}

// ReadsAlong reports whether Weft reads along what the agent's model writes. It doesn't block.
func (p *Process) ReadsAlong() bool { return p.proxied }

// Delivered blocks until what the agent has written so far is in the lanes of its sessions, or ctx ends. The process must have been started.
func (p *Process) Delivered(ctx context.Context) { p.proc.CatchUp(ctx) }

// Initialize tells the agent who speaks and learns what it can do. The process does that by itself when it starts; it is called once more for an agent that
// wanted a sign-in before it said what it can do. It blocks until the agent has answered; [Process.About] has the result.
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

// Ready is closed when the process is initialized, or can't be.
func (p *Process) Ready() <-chan struct{} { return p.ready }

// About returns what the agent has told about itself, or why it has not; nothing before [Process.Ready] is closed. It doesn't block.
func (p *Process) About() (acp.InitializeResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.about, p.aboutErr
}

// asking reports whether the agent has asked the user something in one of its sessions.
func (p *Process) asking() bool {
	return slices.ContainsFunc(p.sessions(), Session.Asking)
}

// silent makes a sentence of a time-out of initialize.
func (p *Pool) silent(config agent.Config, err error) error {
	return fault.New("agent_silent", "{{agent}} didn't answer within {{time}} after starting. Check in Settings that its command speaks the Agent Client Protocol.", config.Name, quantity.Seconds(p.timeout(config))).Because(err)
}

// Handle implements [acp.Handler] for what belongs to none of the sessions.
func (p *Process) Handle(in *acp.Inbound, _ bool) {
	switch in.Kind {
	case acp.KindRequest:
		if err := in.Request.Error(acp.CodeInvalidParams, "No such session on this connection."); err != nil {
			p.pool.opt.Log.Debug().Err(err).Str("agent", p.config.ID).Msg("a request without a session could not be answered")
		}
	case acp.KindBroken:
		p.noise.add(in.Text)
	case acp.KindUpdate, acp.KindOversize, acp.KindNotification, acp.KindWithdrawn, acp.KindResponse, acp.KindPanic:
		// The protocol logs have it.
	}
}

// tap writes the process's own lines into the protocol log of each session.
func (p *Process) tap(dir string, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// What goes to stderr while it starts may come late.
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
