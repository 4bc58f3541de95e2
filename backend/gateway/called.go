package gateway

import (
	"regexp"
	"strings"
)

// Agents name the tools of MCP servers each in a way of its own: mcp__weft__NAME, weft_NAME, weft/NAME, Tool: weft/NAME,
// NAME (weft MCP Server).
var (
	behindServer = regexp.MustCompile(`^(?:[Tt]ool: ?)?(?:mcp(?:__|[_./:-]))?weft(?:__|: | - |[_./:-])([a-zA-Z0-9_-]{1,64})(?:$|[\s(:{])`)
	beforeServer = regexp.MustCompile(`^([a-zA-Z0-9_-]{1,64}) \(weft\b[^)]*\)`)
	// alone is one of Weft's own without a trace of the server, behind whatever an agent calls its servers.
	alone = regexp.MustCompile(`^(?:[a-zA-Z0-9]+(?:__|: | - |[_.:/-]))*?(` + strings.Join(reserved(), "|") + `)(?:$|[\s(:{])`)
)

// Called finds the tool that an agent means by the name or the title that it gives to a call. Weft's own tools are known by
// their names alone, as no other tools are called so; all others only where the server's name stands with them.
func (g *Gateway) Called(as string) (Definition, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, form := range []*regexp.Regexp{behindServer, beforeServer} {
		if m := form.FindStringSubmatch(as); m != nil {
			if t := g.named(m[1]); t != nil {
				return *t.def, true
			}
		}
	}
	if m := alone.FindStringSubmatch(as); m != nil {
		if t := g.tools[m[1]]; t != nil {
			return *t.def, true
		}
	}
	return Definition{}, false
}

// named is the tool of a name as agents may spell it: some put "_" for "-". The mutex is held.
func (g *Gateway) named(name string) *tool {
	if t := g.tools[name]; t != nil {
		return t
	}
	var found *tool
	for real, t := range g.tools {
		if strings.ReplaceAll(real, "-", "_") == name {
			if found != nil {
				return nil // nobody knows which
			}
			found = t
		}
	}
	return found
}
