package runs

import (
	"testing"

	"weft/backend/agent"
)

// TestIdleTogether ends a process only when none of its sessions has anything to do.
func TestIdleTogether(t *testing.T) {
	a, b := &link{}, &link{}
	h := &host{m: NewManager(Options{}), links: map[*link]*use{a: {}, b: {}}}
	if list := h.rest(a); list != nil {
		t.Errorf("one of two is idle, and %d were ended", len(list))
	}
	if !h.wake(a) {
		t.Error("a session that was idle cannot be used")
	}
	if list := h.rest(b); list != nil {
		t.Error("the first is in use again")
	}
	if list := h.rest(a); len(list) != 2 {
		t.Errorf("both are idle, %d were ended", len(list))
	}
	if h.wake(b) || h.join(&link{}) {
		t.Error("a process on its way out was used")
	}
}

func TestHostKey(t *testing.T) {
	c := agent.Config{ID: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"K": "v", "L": "w"}, Cwd: "space", Name: "A"}
	same := c
	same.Name, same.Env = "Another name", map[string]string{"L": "w", "K": "v"}
	if hostKey(c, "/f", nil) != hostKey(same, "/f/", nil) {
		t.Error("what is launched in the same way does not share")
	}
	for name, change := range map[string]func(*agent.Config){
		"args": func(c *agent.Config) { c.Args = []string{"z"} },
		"env":  func(c *agent.Config) { c.Env = map[string]string{"K": "other", "L": "w"} },
		"id":   func(c *agent.Config) { c.ID = "b" },
	} {
		other := c
		change(&other)
		if hostKey(c, "/f", nil) == hostKey(other, "/f", nil) {
			t.Errorf("with another %s it shares", name)
		}
	}
	if hostKey(c, "/f", nil) == hostKey(c, "/g", nil) {
		t.Error("another folder shares")
	}
	c.Cwd = "/fixed"
	if hostKey(c, "/f", nil) != hostKey(c, "/g", nil) {
		t.Error("an agent that always runs in one folder needs one process")
	}
}
