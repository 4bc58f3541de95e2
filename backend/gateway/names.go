package gateway

import (
	"fmt"
	"sync"

	"weft/backend/agent/mcp"
)

const maxToolName = 64 // bytes

// names assigns the names that agents see to the tools of servers. The zero value is ready to use. It is safe for
// concurrent use.
type names struct {
	mu     sync.Mutex        // protects the fields below
	given  map[string]string // by server and name
	pinned bool              // an agent has seen the names, so they must not change
}

// pin prevents later changes of names.
func (n *names) pin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pinned = true
}

// forget removes all names unless they are pinned.
func (n *names) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.pinned {
		clear(n.given)
	}
}

// of returns the name of a tool for agents: the one assigned before, or the server's own name for the tool, with the
// server's name as prefix if that is taken.
func (n *names) of(server, name string, taken map[string]*tool) string {
	key := server + "\x00" + name
	n.mu.Lock()
	defer n.mu.Unlock()
	free := func(s string) bool {
		if taken[s] != nil {
			return false
		}
		for k, other := range n.given { // including tools of servers that aren't connected
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
