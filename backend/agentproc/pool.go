// Package agentproc runs the processes of agents. A [Process] is an agent that runs, with its ACP connection. It serves one session or
// several; each of them holds a [Lease] on it, and the process ends with the last one. A [Pool] starts processes, lets sessions join those that
// run, and remembers which agents can't serve more than one.
//
// The package starts a process with its secrets, in its sandbox and with its way through the model proxy, says who speaks (initialize), keeps
// turns apart where an agent needs that, and ends the process with everything that it started. It doesn't open sessions, doesn't
// read what they are about, and knows neither spaces nor the store.
//
// A process has a lock of its own, which is never held while anything waits or a [Session] is called. A caller may hold its own lock
// where a method says that it doesn't block.
package agentproc

import (
	"cmp"
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/fault"
	"weft/backend/modelproxy"
	"weft/backend/sandbox"
	"weft/backend/secret"
	"weft/backend/settings"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// Options are what processes need from outside.
type Options struct {
	Private
	Version string // of Weft, as agents are told it
	// Capabilities are what Weft can do for an agent, as initialize has them.
	Capabilities map[string]any
	// Secrets reads what agents are given by reference; nil: nothing can be read.
	Secrets *secret.Store
	// ModelProxy is the way to their models for agents that use it; nil: none do.
	ModelProxy *modelproxy.Proxy
	Log        zerolog.Logger
	Now        func() time.Time
	// Go runs a function in a goroutine of its own. Whoever closes the pool can wait for them.
	Go     func(func())
	Limits Limits
}

// Limits are how long an agent may take. All of them must be set, which [Limits.Fill] does.
type Limits struct {
	Initialize time.Duration // to answer initialize, 60 s; some take 20 s on a machine that is busy
	Download   time.Duration // the same where its command may have to download it first (npx …), 3 min
	Write      time.Duration // to take 64 KiB of its input, 10 s
	Stop       time.Duration // to end a turn that was canceled, 10 s
	Others     time.Duration // to end the turns of other sessions in a process that has to end, 20 s
	Share      time.Duration // to open a session in a process that has others, 20 s; then it gets a process of its own
}

// Fill gives fields that are zero the defaults.
func (l *Limits) Fill() {
	l.Initialize = cmp.Or(l.Initialize, time.Minute)
	l.Download = cmp.Or(l.Download, 3*time.Minute)
	l.Write = cmp.Or(l.Write, 10*time.Second)
	l.Stop = cmp.Or(l.Stop, 10*time.Second)
	l.Others = cmp.Or(l.Others, 20*time.Second)
	l.Share = cmp.Or(l.Share, 20*time.Second)
}

// maxExclusive is how many agents are remembered to serve one session only. A key changes with the agent's settings and the folder.
const maxExclusive = 256

// Pool has the processes that further sessions may join. It is safe for concurrent use.
type Pool struct {
	opt     Options
	closing atomic.Bool
	visits  sync.Map // by the id of an agent that is visited: a func() string that returns what it has written beside the protocol

	mu        sync.Mutex
	byKey     map[string]*Process
	exclusive []string // keys of agents that serve one session only, the oldest first
}

// NewPool returns a pool without processes.
func NewPool(opt Options) *Pool {
	return &Pool{opt: opt, byKey: map[string]*Process{}}
}

// Request is what a session needs a process for.
type Request struct {
	Config  agent.Config
	Folder  string        // that the session works in
	Info    fs.FileInfo   // of the folder; nil: it isn't compared
	Sandbox *sandbox.Plan // nil: none
	Alone   bool          // a process that no other session joins
	Fresh   bool          // a new process, which later sessions join in place of the one before
}

// fits reports whether a process was started in the folder of the request. One that runs where another folder was at its path stays there.
func (r *Request) fits(proc *Process) bool {
	return filepath.Clean(r.Folder) != filepath.Clean(proc.folder) || r.Info == nil || proc.info == nil || os.SameFile(r.Info, proc.info)
}

// key returns the same text for sessions that may share a process: those of the same agent, launched in the same way in the same folder.
func (r *Request) key() string {
	c := &r.Config
	key, err := json.Marshal([]any{c.ID, c.Command, c.Args, c.Env, c.Secrets, filepath.Clean(c.Dir(r.Folder)), r.Sandbox}, json.Deterministic(true))
	if err != nil {
		return rand.Text() // shared with none
	}
	return string(key)
}

// Acquire gives a session its lease on a process: one that runs already, or a new one, which is being started then. It reads
// small files at worst, and doesn't wait.
func (p *Pool) Acquire(s Session, r Request) *Lease {
	key := r.key()
	proxied := p.opt.ModelProxy != nil && proxied(r.Config, r.Folder, r.Sandbox)
	p.mu.Lock()
	defer p.mu.Unlock()
	// An agent that is known to need it, whatever it is called and started with, gets it although the user's entry doesn't say so.
	apart := r.Config.Process == settings.ProcessPerSpace || agent.ProcessOf(Known(r.Config)) == settings.ProcessPerSpace
	alone := r.Alone || apart || proxied || slices.Contains(p.exclusive, key)
	if !alone && !r.Fresh {
		if proc := p.byKey[key]; proc != nil && r.fits(proc) {
			if l := proc.join(s); l != nil {
				return l
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	proc := &Process{
		pool: p, key: key, config: r.Config, folder: r.Folder, info: r.Info, proxied: proxied, giveUp: cancel,
		started: make(chan struct{}), ready: make(chan struct{}), ended: make(chan struct{}), slot: make(chan struct{}, 1),
	}
	l := &Lease{Process: proc, session: s}
	proc.leases = map[*Lease]struct{}{l: {}}
	if !alone {
		p.byKey[key] = proc
	}
	p.opt.Go(func() {
		defer cancel()
		proc.run(ctx, r.Sandbox)
	})
	return l
}

// markExclusive remembers that an agent serves one session only.
func (p *Pool) markExclusive(proc *Process) {
	p.opt.Log.Info().Str("agent", proc.config.ID).Msg("the agent takes one session a process; its spaces get a process each from now on")
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.exclusive, proc.key) {
		p.exclusive = append(p.exclusive, proc.key)
	}
	if n := len(p.exclusive) - maxExclusive; n > 0 {
		p.exclusive = slices.Delete(p.exclusive, 0, n) // it turns out again
	}
}

// remove takes a process out of those that can be joined.
func (p *Pool) remove(proc *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey[proc.key] == proc {
		delete(p.byKey, proc.key)
	}
}

// Close says that the app ends: agents whose process ends anyway aren't told about each session that ends. It doesn't block and ends no process.
func (p *Pool) Close() { p.closing.Store(true) }

// PidDir is where the processes that Weft has started are noted, below its own folder.
func PidDir(dataDir string) string { return filepath.Join(dataDir, "processes") }
