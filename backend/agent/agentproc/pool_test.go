package agentproc

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/llm/modelproxy"
	"weft/backend/settings"
)

// idleSession is a session of which nothing is asked.
type idleSession struct{ name string }

func (*idleSession) Handle(*acp.Inbound, bool)  {}
func (*idleSession) Asking() bool               { return false }
func (*idleSession) Observe(e modelproxy.Event) {}

func TestProcessEndsOnlyWhenAllSessionsAreIdle(t *testing.T) {
	t.Parallel()
	p := &Process{pool: NewPool(Options{})}
	p.leases = map[*Lease]struct{}{}
	a, b := p.join(&idleSession{"a"}), p.join(&idleSession{"b"})
	if !a.Shared() || !b.Shared() {
		t.Error("two sessions don't share their process")
	}
	if list := a.Idle(); list != nil {
		t.Errorf("one of two is idle, and %d were ended", len(list))
	}
	if !a.Use() {
		t.Error("a session that was idle cannot be used")
	}
	if list := b.Idle(); list != nil {
		t.Error("the first is in use again")
	}
	if list := a.Idle(); len(list) != 2 {
		t.Errorf("both are idle, %d were ended", len(list))
	}
	if b.Use() || p.join(&idleSession{"c"}) != nil {
		t.Error("a process on its way out was used")
	}
}

func TestProcessIsSharedIfLaunchedAlike(t *testing.T) {
	t.Parallel()
	key := func(c agent.Config, folder string) string {
		r := Request{Config: c, Folder: folder}
		return r.key()
	}
	c := agent.Config{ID: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"K": "v", "L": "w"}, Cwd: "space", Name: "A"}
	same := c
	same.Name, same.Env = "Another name", map[string]string{"L": "w", "K": "v"}
	if key(c, "/f") != key(same, "/f/") {
		t.Error("what is launched in the same way does not share")
	}
	for name, change := range map[string]func(*agent.Config){
		"args": func(c *agent.Config) { c.Args = []string{"z"} },
		"env":  func(c *agent.Config) { c.Env = map[string]string{"K": "other", "L": "w"} },
		"id":   func(c *agent.Config) { c.ID = "b" },
	} {
		other := c
		change(&other)
		if key(c, "/f") == key(other, "/f") {
			t.Errorf("with another %s it shares", name)
		}
	}
	if key(c, "/f") == key(c, "/g") {
		t.Error("another folder shares")
	}
	c.Cwd = "/fixed"
	if key(c, "/f") != key(c, "/g") {
		t.Error("an agent that always runs in one folder needs one process")
	}
}

func TestProcessInAFolderThatWasReplacedIsNotShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	info := func(name string) fs.FileInfo {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for _, name := range []string{"first", "second"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := NewPool(Options{Go: func(func()) {}})
	request := Request{Folder: "/f", Config: agent.Config{ID: "a", Command: "/opt/a", Cwd: "space", Process: settings.ProcessShared}}
	acquire := func(folder string, info fs.FileInfo) *Process {
		r := request
		r.Folder, r.Info = folder, info
		return p.Acquire(&idleSession{"a"}, r).Process
	}
	first := acquire("/f", info("first"))
	if acquire("/f/", info("first")) != first || acquire("/f", nil) != first {
		t.Error("sessions in one folder don't share")
	}
	second := acquire("/f/", info("second"))
	if second == first {
		t.Error("a session has joined a process that runs in the folder that was there before")
	}
	if acquire("/f", info("second")) != second {
		t.Error("sessions in the new folder don't share")
	}
	request.Config.Cwd = "/fixed" // it runs there, whatever folder a session is about
	fixed := acquire("/f", info("first"))
	if acquire("/g", info("second")) != fixed {
		t.Error("an agent that always runs in one folder needs one process")
	}
}
