package agentproc

import (
	"testing"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/modelproxy"
)

// idleSession is a session of which nothing is asked.
type idleSession struct{ name string }

func (*idleSession) Handle(*acp.Inbound, bool)   {}
func (*idleSession) Asking() bool                { return false }
func (*idleSession) Overhear(e modelproxy.Event) {}

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
