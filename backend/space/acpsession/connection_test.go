package acpsession

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/rs/zerolog"

	"weft/backend/acp/protocollog"
	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
)

// connected is a connection of a test, with what it has reported.
type connected struct {
	*Connection
	t    *testing.T
	lock sync.Mutex // of the space

	what sync.Mutex
	list []string // what was called, in order
	lost chan struct{}
	once sync.Once
}

// newConnected returns a connection to a process of the pool in which the agent does what the folder is named.
func newConnected(t *testing.T, pool *agentproc.Pool, what string) *connected {
	t.Helper()
	folder := filepath.Join(t.TempDir(), what)
	if what != "missing" {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := &connected{t: t, lost: make(chan struct{})}
	c.Connection = NewConnection(ConnectionOptions{
		Processes: pool, Session: told{NewReplay()}, Go: func(do func()) { go do() }, AppLog: zerolog.Nop(),
		Request: agentproc.Request{Config: agent.Config{ID: "obedient", Name: "Obedient", Command: os.Args[0], Args: []string{"obedient"}, Cwd: os.TempDir()}, Folder: folder},
		Log: func() *protocollog.Log {
			return protocollog.Open(filepath.Join(t.TempDir(), "log.jsonl"), time.Now, zerolog.Nop(), nil)
		},
		Inside: func(do func()) {
			c.lock.Lock()
			defer c.lock.Unlock()
			do()
		},
		Lost: func() {
			c.note("lost")
			c.once.Do(func() { close(c.lost) })
		},
		Failed: func(err error) { c.note("failed " + kind(err)) },
	})
	return c
}

// note notes a call, which must come without the lock of the space.
func (c *connected) note(what string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.what.Lock()
	defer c.what.Unlock()
	c.list = append(c.list, what)
}

func (c *connected) noted() []string {
	c.what.Lock()
	defer c.what.Unlock()
	return slices.Clone(c.list)
}

// opens opens the connection, and a session in it.
func (c *connected) opens(alone bool) (sessionID string, err error) {
	joined := false
	err = c.Open(alone, false, func() { joined = !c.lock.TryLock() && c.Lane != nil }, func(ctx context.Context) error {
		if !joined {
			c.t.Error("a session is opened before the connection is known, or that isn't a step of the space")
		}
		res, err := c.opener().New(ctx)
		sessionID = res.SessionID
		return err
	})
	return sessionID, err
}

func (c *connected) opener() *Opener {
	<-c.Lease.Process.Ready()
	return &Opener{
		Lease: c.Lease, Conn: c.Lane, Agent: "Obedient", Folder: c.opt.Request.Folder, Servers: func() []sdk.McpServer { return []sdk.McpServer{} },
		Asking: func() bool { return false }, Go: c.opt.Go, Limit: time.Minute, Share: time.Minute, Log: zerolog.Nop(),
	}
}

func (c *connected) leaves() {
	c.Leave(Leaving{
		CloseSession: true, State: func() agentproc.Detached { c.note("state"); return agentproc.Detached{SessionID: "s1"} }, Cleanup: func() { c.note("beside") },
	})
}

func TestConnectionIsOpenUntilItLeaves(t *testing.T) {
	t.Parallel()
	c := newConnected(t, processes(t), "work")
	id, err := c.opens(false)
	if err != nil || id != "s1" {
		t.Fatal(id, err)
	}
	select {
	case <-c.Ended():
		t.Error("it has ended by itself")
	default:
	}
	if c.Context().Err() != nil || len(c.noted()) != 0 {
		t.Errorf("%v, %v", c.Context().Err(), c.noted())
	}
	c.leaves()
	<-c.Ended()
	<-c.lost
	if list := c.noted(); c.Context().Err() == nil || !slices.Contains(list, "beside") || slices.Index(list, "state") != 0 {
		t.Errorf("%v, %v", c.Context().Err(), list)
	}
	select {
	case <-c.Lease.Process.Ended():
	default:
		t.Error("the process outlives its last session")
	}
	if _, err := c.Files.ReadText("/anything", 0, 0); err == nil {
		t.Error("the folder is still open")
	}
}

func TestConnectionThatCannotOpen(t *testing.T) {
	t.Parallel()
	c := newConnected(t, processes(t), "missing")
	if _, err := c.opens(false); err == nil || c.Lease != nil {
		t.Errorf("without its folder: %v", err)
	}
	c.leaves()
	if len(c.noted()) != 0 {
		t.Errorf("without its folder: %v", c.noted())
	}

	c = newConnected(t, processes(t), "work")
	c.opt.Request.Config.Command = filepath.Join(t.TempDir(), "gone")
	if _, err := c.opens(false); err == nil || c.Lane != nil {
		t.Errorf("without its program: %v", err)
	}
	c.leaves()
	<-c.Ended()

	pool := processes(t)
	c = newConnected(t, pool, "refuse")
	var explained *failure.Error
	if _, err := c.opens(false); !errors.As(err, &explained) || explained.Message == "" {
		t.Errorf("refused: %v", err)
	}
	other := newConnected(t, pool, "refuse") // the first one is still there
	var exclusive *agentproc.ExclusiveError
	if _, err := other.opens(false); !errors.As(err, &exclusive) {
		t.Errorf("refused in a shared process: %v", err)
	}
	alone := newConnected(t, pool, "work")
	if _, err := alone.opens(true); err != nil || alone.Lease.Shared() || alone.Lease.Process == c.Lease.Process {
		t.Errorf("in a process of its own: %v", err)
	}
	for _, c := range []*connected{c, other, alone} {
		c.leaves()
	}
}

func TestLeaveGivesUpOpening(t *testing.T) {
	t.Parallel()
	c := newConnected(t, processes(t), "silent")
	opening := make(chan struct{})
	over := make(chan error, 1)
	go func() {
		over <- c.Open(false, false, func() {}, func(ctx context.Context) error {
			close(opening)
			_, err := c.opener().New(ctx)
			return err
		})
	}()
	<-opening
	c.leaves()
	if err := <-over; err == nil {
		t.Error("a session is open that nobody waits for")
	}
}

func TestPromptOfConnection(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{"work": "", "unwilling": "failed refused", "dies": "lost, lost", "stopped": ""} {
		t.Run(what, func(t *testing.T) {
			c := newConnected(t, processes(t), what)
			id, err := c.opens(false)
			if err != nil {
				t.Fatal(err)
			}
			c.Canceled = time.Now() // of the turn before
			_, err = c.Prompt(t.Context(), nil, func(release func()) Send {
				release()
				if what == "stopped" {
					return nil
				}
				c.lock.Lock()
				defer c.lock.Unlock()
				return c.BeginTurn(id)
			})
			var explained *failure.Error
			if failed := what == "unwilling" || what == "dies"; errors.As(err, &explained) != failed || (err == nil) != (what == "work") {
				t.Errorf("%T %v", err, err)
			}
			if what == "dies" && !strings.Contains(explained.Detail, "last words") {
				t.Errorf("%+v", explained)
			}
			if c.Canceled.IsZero() != (what != "stopped") {
				t.Errorf("the turn was canceled at %v before it began", c.Canceled)
			}
			before := strings.Join(c.noted(), ", ")
			c.leaves()
			if what == "dies" { // who waits for the connection and who waits for the turn learn of it side by side
				before = strings.Join(slices.DeleteFunc(c.noted(), func(what string) bool { return what != "lost" }), ", ")
			}
			if before != want {
				t.Errorf("%q, want %q", before, want)
			}
		})
	}
}

func TestPromptAfterLeavingFails(t *testing.T) {
	t.Parallel()
	c := newConnected(t, processes(t), "work")
	if _, err := c.opens(false); err != nil {
		t.Fatal(err)
	}
	c.leaves()
	_, err := c.Prompt(t.Context(), nil, func(release func()) Send {
		release()
		return c.BeginTurn("s1")
	})
	var explained *failure.Error
	if !errors.As(err, &explained) {
		t.Errorf("%T %v", err, err)
	}
}
