package agentproc

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/acp/protocollog"
	"weft/backend/agent"
	"weft/backend/llm/modelproxy"
	"weft/backend/settings"
)

func TestProcessEndsWithItsLastSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	a, b := w.acquire(w.request("one")), w.acquire(w.request("one"))
	other := w.acquire(w.request("two"))
	if a.lease.Process != b.lease.Process || a.lease.Process == other.lease.Process {
		t.Fatal("sessions share a process that don't, or the other way round")
	}
	if a.lease.Detach(Detached{SessionID: a.id}) {
		t.Error("the process has ended with the first of two sessions")
	}
	// What an agent says on stderr may come after its answer.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(b.lease.Process.Output(), "closed "+a.id) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the agent was not told to close the session: %s", b.lease.Process.Output())
		}
	}
	if !b.lease.Detach(Detached{SessionID: b.id}) {
		t.Error("the process has not ended with its last session")
	}
	<-b.lease.Process.Ended()
	select {
	case <-other.lease.Process.Ended():
		t.Error("another process has ended, too")
	default:
	}
	c := w.acquire(w.request("one"))
	if c.lease.Process == a.lease.Process {
		t.Error("a session has joined a process that has ended")
	}
	c.lease.Detach(Detached{})
	other.lease.Detach(Detached{})
}

func TestKnownAgentThatMixesSessionsIsNotShared(t *testing.T) {
	t.Parallel()
	p := NewPool(Options{Go: func(func()) {}})
	for name, shares := range map[string]bool{"opencode": false, "kilo": false, "claude": true, "unknown": true} {
		request := Request{Folder: "/", Config: agent.Config{ID: "mine-" + name, Command: "/opt/start.sh", Args: []string{name}, Process: settings.ProcessShared}}
		a, b := p.Acquire(&idleSession{"a"}, request), p.Acquire(&idleSession{"b"}, request)
		if (a.Process == b.Process) != shares {
			t.Errorf("%s: two sessions share a process: %t", name, !shares)
		}
	}
}

func TestProcessIsNotJoinedIfFreshAloneOrExclusive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	r := w.request("one")
	first := w.acquire(r)
	fresh, alone := r, r
	fresh.Fresh, alone.Alone = true, true
	second, third := w.acquire(fresh), w.acquire(alone)
	if second.lease.Process == first.lease.Process || third.lease.Process == first.lease.Process || third.lease.Process == second.lease.Process {
		t.Error("a session has joined a process that it was to have for itself")
	}
	later := w.acquire(r)
	if later.lease.Process != second.lease.Process {
		t.Error("later sessions don't join the fresh process")
	}
	later.lease.MarkExclusive()
	last := w.acquire(r)
	if last.lease.Shared() {
		t.Error("a session has joined a process of an agent that serves one only")
	}
	for _, m := range []*member{first, second, third, later, last} {
		m.lease.Detach(Detached{})
	}
}

func TestTurnOfSessionThatLeavesIsCanceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	a, b := w.acquire(w.request("one")), w.acquire(w.request("one"))
	turn := a.prompt("work")
	if a.lease.Detach(Detached{SessionID: a.id}) {
		t.Error("the process has ended")
	}
	if err := <-turn; err != nil {
		t.Errorf("the turn was not canceled, it ended with %v", err)
	}
	if !b.lease.Use() {
		t.Error("the process is on its way out, although the agent has obeyed")
	}
	b.lease.Detach(Detached{})
}

// TestCancelIsSentAfterThePrompt cancels turns whose prompts are about to be sent: an agent ignores what comes before the prompt.
func TestCancelIsSentAfterThePrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	m := w.acquire(w.request("one"))
	m.heard = make(chan struct{}, 100)
	for range 100 {
		send := m.lease.BeginTurn(m.id)
		begun, canceled := make(chan struct{}), make(chan error, 1)
		go func() {
			close(begun)
			canceled <- m.lease.CancelTurn(t.Context())
		}()
		<-begun
		res, err := send([]sdk.ContentBlock{sdk.TextBlock("work")}, nil)
		if err != nil || res.StopReason != "cancelled" {
			t.Errorf("the turn ended with %+v, %v", res, err)
		}
		if err := <-canceled; err != nil {
			t.Error(err)
		}
	}
	if err := m.lease.CancelTurn(t.Context()); err != nil {
		t.Errorf("without a turn: %v", err)
	}
	m.lease.Detach(Detached{})
}

func TestProcessThatIgnoresCancelIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{Stop: 20 * time.Millisecond})
	a, b := w.acquire(w.request("one")), w.acquire(w.request("one"))
	stuck, other := a.prompt("stubborn"), b.prompt("work")
	a.lease.Detach(Detached{SessionID: a.id})
	<-a.conn.Done() // it was given up
	if b.lease.Use() {
		t.Error("more sessions may use the process")
	}
	select {
	case err := <-other:
		t.Fatalf("the turn of another session has ended with %v", err)
	default:
	}
	if err := b.conn.Cancel(t.Context(), b.id); err != nil {
		t.Fatal(err)
	}
	if err := <-other; err != nil {
		t.Errorf("the turn of another session was not waited for: %v", err)
	}
	<-b.lease.Process.Ended() // although its last session is still there
	var why *Error
	if err := b.lease.Process.Cause(acp.ErrClosed, nil); !errors.As(err, &why) || why.Code != "agent_ended" {
		t.Errorf("the reason is %v", err)
	}
	if err := <-stuck; !errors.Is(err, acp.ErrClosed) {
		t.Errorf("the turn that was given up ended with %v", err)
	}
	b.lease.Detach(Detached{})
}

func TestSessionsThatAnAgentMixesGetSeparateProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	a, b := w.acquire(w.request("one")), w.acquire(w.request("one"))
	if len(a.lease.OthersAtWork()) > 0 {
		t.Error("no session has a turn")
	}
	turn := a.prompt("work")
	if len(a.lease.OthersAtWork()) > 0 {
		t.Error("the session has a turn itself")
	}
	if list := b.lease.OthersAtWork(); len(list) != 1 || list[0] != a {
		t.Errorf("one other session has a turn, and these do: %v", list)
	}
	b.lease.Part()
	if b.lease.Use() || a.lease.Use() {
		t.Error("a process that mixes its sessions is used for more turns")
	}
	select {
	case err := <-turn:
		t.Errorf("the turn in progress has ended with %v", err)
	default:
	}
	c, d := w.acquire(w.request("one")), w.acquire(w.request("one"))
	if c.lease.Process == a.lease.Process || c.lease.Process == d.lease.Process {
		t.Error("sessions still share a process")
	}
	if err := a.conn.Cancel(t.Context(), a.id); err != nil {
		t.Fatal(err)
	}
	if err := <-turn; err != nil {
		t.Error(err)
	}
	for _, one := range []*member{a, b, c, d} {
		one.lease.Detach(Detached{})
	}
}

func TestPromptsOfAgentsThatLoseThemAreSentOneByOne(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"pi-acp": true, "other": false} {
		w := newWorld(t, Limits{})
		m := w.acquire(w.request(name))
		p := m.lease.Process
		release, err := p.BeginPrompt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if held := len(p.slot) == 1; held != waits {
			t.Errorf("%s: the next prompt waits: %v", name, held)
		}
		release()
		release() // again, which does nothing
		next, err := p.BeginPrompt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		next()
		m.lease.Detach(Detached{})
	}
}

// TestSessionIsCalledWithoutTheLockOfItsProcess has a session use its process when it is called, which a space does under a lock of its own.
func TestSessionIsCalledWithoutTheLockOfItsProcess(t *testing.T) {
	t.Parallel()
	p := &Process{pool: NewPool(Options{})}
	p.leases = map[*Lease]struct{}{}
	m := &member{}
	m.lease = p.join(m)
	p.asking()
	p.observe(modelproxy.Event{})
}

// TestSpaceUsesProcessWhileMemberOfItJoins holds the lock of a space, which a member of it needs for what the agent sends, while that member joins the
// process of another one.
func TestSpaceUsesProcessWhileMemberOfItJoins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	first := w.acquire(w.request("one"))
	space := &lockedSession{}
	space.Lock()
	lease := w.pool.Acquire(space, w.request("one"))
	log := protocollog.Open(filepath.Join(t.TempDir(), "log.jsonl"), time.Now, zerolog.Nop(), nil)
	defer log.Close()
	if _, err := lease.Connect(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if !first.lease.Use() || !first.lease.Shared() || first.lease.Idle() != nil {
		t.Error("the process is not shared")
	}
	space.Unlock()
	lease.Detach(Detached{})
	first.lease.Detach(Detached{})
}

// lockedSession takes a lock, as a space does, for all that it is asked.
type lockedSession struct{ sync.Mutex }

func (s *lockedSession) Handle(*acp.Inbound, bool)  { s.Lock(); defer s.Unlock() }
func (s *lockedSession) Observe(e modelproxy.Event) { s.Lock(); defer s.Unlock() }
func (s *lockedSession) Asking() bool               { s.Lock(); defer s.Unlock(); return false }

func TestConnectReturnsTheStartError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	r := w.request("one")
	r.Config.Command = filepath.Join(t.TempDir(), "missing")
	m := &member{}
	m.lease = w.pool.Acquire(m, r)
	if _, err := m.lease.Connect(t.Context(), nil); err == nil {
		t.Error("a command that is missing was started")
	}
	<-m.lease.Process.Ready()
	if _, err := m.lease.Process.About(); err == nil {
		t.Error("it has told what it can do")
	}
	if !m.lease.Detach(Detached{}) {
		t.Error("a process that was not started has not ended with its last session")
	}
}

// A program that prints its usage and exits has closed its input before Weft has read what it printed.
func TestOutputOfProgramThatExitsAtOnceIsComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	log := protocollog.Open(filepath.Join(t.TempDir(), "log.jsonl"), time.Now, zerolog.Nop(), nil)
	t.Cleanup(log.Close)
	for range 40 {
		r := w.request("one")
		r.Config.Command, r.Config.Args = "/bin/sh", []string{"-c", "exec <&-; echo usage: robin; exit 3"}
		m := &member{}
		m.lease = w.pool.Acquire(m, r)
		if _, err := m.lease.Connect(t.Context(), log); err != nil {
			t.Fatal(err)
		}
		p := m.lease.Process
		<-p.Ready()
		_, err := p.About()
		if cause := p.Cause(err, nil); !strings.Contains(p.Output(), "usage: robin") {
			t.Fatalf("%v, and then %v: its output is %q", err, cause, p.Output())
		}
		m.lease.Detach(Detached{})
	}
}

func TestVisitErrorContainsOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Limits{})
	about, err := w.pool.Visit(t.Context(), w.request("one").Config, func(_ context.Context, conn *acp.Conn, _ acp.InitializeResult) error {
		return conn.CloseSession(t.Context(), "any")
	})
	if err != nil || about.Name != "one" {
		t.Errorf("%+v, %v", about, err)
	}
	_, err = w.pool.Visit(t.Context(), agent.Config{ID: "usage", Command: "/bin/sh", Args: []string{"-c", "echo usage: robin; echo no key >&2; exit 3"}}, nil)
	var failed *VisitError
	if !errors.As(err, &failed) || !strings.Contains(failed.Written, "usage: robin") || !strings.Contains(failed.Stderr, "no key") {
		t.Errorf("%#v", err)
	}
}
