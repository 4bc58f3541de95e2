// Package agentproc runs the processes of agents. A [Process] is a running agent with its ACP connection. It serves
// one or more sessions; each holds a [Lease] on it, and the process ends with the last one. A [Pool] starts processes,
// lets sessions join running ones, and remembers which agents can serve only one session.
//
// The package starts a process with its secrets, in its sandbox and with its tunnel through the model proxy, sends
// initialize, keeps turns apart if an agent needs that, and ends the process with everything that it started. It
// doesn't open sessions, doesn't interpret what is said in them, and knows neither spaces nor the store.
//
// A process has its own lock, which is never held while waiting or calling a [Session]. A caller may hold its own lock
// during methods that don't block.
//
// pool.go decides who shares a process, lease.go is a session's share, turn.go puts openings and prompts one after
// another where an agent needs that, start.go and end.go are the two ends, and visit.go is for use outside any space.
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
	"weft/backend/agent/sandbox"
	"weft/backend/base/fault"
	"weft/backend/llm/modelproxy"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// Error is an error that the user can act on.
type Error = fault.Error

// Options configures processes.
type Options struct {
	Private
	Version string // of Weft, for initialize
	// Capabilities are what Weft supports, for initialize.
	Capabilities map[string]any
	// Secrets resolves the references in agents' variables; nil if there is no store.
	Secrets *secret.Store
	// ModelProxy is the model proxy; nil if no agent uses it.
	ModelProxy *modelproxy.Proxy
	Log        zerolog.Logger
	Now        func() time.Time
	// Go runs a function in a goroutine. The owner of the pool can wait for these goroutines.
	Go     func(func())
	Limits Limits
}

// Limits are the time limits for agents. All must be set; see [Limits.Fill].
type Limits struct {
	Initialize time.Duration // to answer initialize, 60 s; some take 20 s on a busy machine
	Download   time.Duration // the same if its command may have to download it first (npx, …), 3 min
	Write      time.Duration // to read 64 KiB of its input, 10 s
	Stop       time.Duration // to end a canceled turn, 10 s
	Others     time.Duration // to end the turns of other sessions in a process that must end, 20 s
	Share      time.Duration // to open a session in a shared process, 20 s; then it gets a separate process
}

// Fill sets zero fields to the defaults.
func (l *Limits) Fill() {
	l.Initialize = cmp.Or(l.Initialize, time.Minute)
	l.Download = cmp.Or(l.Download, 3*time.Minute)
	l.Write = cmp.Or(l.Write, 10*time.Second)
	l.Stop = cmp.Or(l.Stop, 10*time.Second)
	l.Others = cmp.Or(l.Others, 20*time.Second)
	l.Share = cmp.Or(l.Share, 20*time.Second)
}

// maxExclusive limits how many exclusive agents are remembered. The key changes with the agent's settings and the
// folder.
const maxExclusive = 256

// Pool has the processes that further sessions may join. It is safe for concurrent use.
type Pool struct {
	opt     Options
	closing atomic.Bool
	visits  sync.Map // by agent id: a func() string that returns what a visited agent has written outside of the protocol

	mu        sync.Mutex
	byKey     map[string]*Process
	exclusive []string // keys of agents that serve only one session, oldest first
}

// NewPool returns a pool without processes.
func NewPool(opt Options) *Pool {
	return &Pool{opt: opt, byKey: map[string]*Process{}}
}

// Request is a session's request for a process.
type Request struct {
	Config  agent.Config
	Folder  string        // of the session
	Info    fs.FileInfo   // of the folder; nil to skip the comparison
	Sandbox *sandbox.Plan // nil for none
	Alone   bool          // no other session may join the process
	Fresh   bool          // start a new process, which later sessions join instead of the earlier one
}

// fits reports whether a process was started in the folder of the request, and not in another folder that was at the
// same path.
func (r *Request) fits(proc *Process) bool {
	return filepath.Clean(r.Folder) != filepath.Clean(proc.folder) || r.Info == nil || proc.info == nil || os.SameFile(r.Info, proc.info)
}

// key returns the same key for sessions that may share a process: those of the same agent, started in the same way in
// the same folder.
func (r *Request) key() string {
	c := &r.Config
	key, err := json.Marshal([]any{c.ID, c.Command, c.Args, c.Env, c.Secrets, filepath.Clean(c.Dir(r.Folder)), r.Sandbox}, json.Deterministic(true))
	if err != nil {
		return rand.Text() // shared with none
	}
	return string(key)
}

// Acquire returns a session's lease on a running process, or on a new one that is being started. It may read small
// files and doesn't wait.
func (p *Pool) Acquire(s Session, r Request) *Lease {
	key := r.key()
	proxied := p.opt.ModelProxy != nil && proxied(r.Config, r.Folder, r.Sandbox)
	p.mu.Lock()
	defer p.mu.Unlock()
	// An agent that is known to need a separate process gets one even if the user's entry doesn't say so, whatever its
	// name and command.
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

// markExclusive records that an agent serves only one session.
func (p *Pool) markExclusive(proc *Process) {
	p.opt.Log.Info().Str("agent", proc.config.ID).Msg("the agent takes one session a process; its spaces get a process each from now on")
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.exclusive, proc.key) {
		p.exclusive = append(p.exclusive, proc.key)
	}
	if n := len(p.exclusive) - maxExclusive; n > 0 {
		p.exclusive = slices.Delete(p.exclusive, 0, n) // it will be detected again
	}
}

// remove makes a process unavailable for other sessions.
func (p *Pool) remove(proc *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey[proc.key] == proc {
		delete(p.byKey, proc.key)
	}
}

// Close reports that the app ends: from now on, sessions in processes that will end anyway aren't closed individually.
// It doesn't block and ends no process.
func (p *Pool) Close() { p.closing.Store(true) }

// PidDir returns the folder with the records of Weft's processes. dataDir is Weft's own folder.
func PidDir(dataDir string) string { return filepath.Join(dataDir, "processes") }
