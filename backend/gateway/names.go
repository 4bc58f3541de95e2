package gateway

import (
	"fmt"
	"sync"

	"weft/backend/mcp"
)

const maxToolName = 64 // bytes

// names are the names under which agents know the tools of servers. The zero value is ready for use, by any goroutine.
type names struct {
	mu     sync.Mutex        // protects what follows
	given  map[string]string // by server and name
	pinned bool              // an agent has seen them, and they stay from then on
}

// pin keeps the names as they are for as long as the gateway lasts.
func (n *names) pin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pinned = true
}

// forget removes the names if no agent has seen them.
func (n *names) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.pinned {
		clear(n.given)
	}
}

// of returns the name that agents see of a tool: the server's own, and with the server's name before it where that is
// among taken. A name that was given before stays.
func (n *names) of(server, name string, taken map[string]*tool) string {
	key := server + "\x00" + name
	n.mu.Lock()
	defer n.mu.Unlock()
	free := func(s string) bool {
		if taken[s] != nil {
			return false
		}
		for k, other := range n.given { // that of one that is away just now
			if other == s && k != key {
				return false
			}
		}
		return true
	}
	if was := n.given[key]; was != "" && free(was) {
		return was
	}
	out := short(mcp.ToolName(name), "")
	for i := 1; !free(out); i++ {
		suffix := ""
		if i > 1 {
			suffix = fmt.Sprintf("_%d", i)
		}
		out = short(mcp.ToolName(server)+"_"+mcp.ToolName(name), suffix)
	}
	if n.given == nil {
		n.given = map[string]string{}
	}
	n.given[key] = out
	return out
}

func short(name, suffix string) string {
	return name[:min(len(name), maxToolName-len(suffix))] + suffix
}
