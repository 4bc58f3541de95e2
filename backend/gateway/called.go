package gateway

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/backend/lazyregexp"

	"weft/backend/gateway/tools"
)

// Agents name the tools of MCP servers each in a way of its own: mcp__weft__NAME, weft_NAME, weft/NAME, Tool: weft/NAME,
// NAME (weft MCP Server).
var (
	behindServer = lazyregexp.New(`^(?:[Tt]ool: ?)?(?:mcp(?:__|[_./:-]))?weft(?:__|: | - |[_./:-])([a-zA-Z0-9_-]{1,64})(?:$|[\s(:{])`)
	beforeServer = lazyregexp.New(`^([a-zA-Z0-9_-]{1,64}) \(weft\b[^)]*\)`)
	// alone is one of Weft's own without a trace of the server, behind whatever an agent calls its servers. It needs their definitions, which take long to read.
	alone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[a-zA-Z0-9]+(?:__|: | - |[_.:/-]))*?(` + strings.Join(tools.ReservedNames(), "|") + `)(?:$|[\s(:{])`)
	})
)

// Called finds the tool that an agent means by the name or the title that it gives to a call. Weft's own tools are known by
// their names alone, as no other tools have these names; all others only together with the server's name.
func (c *Catalog) Called(as string) (tools.Definition, bool) {
	for _, form := range []*lazyregexp.Regexp{behindServer, beforeServer} {
		if m := form.FindStringSubmatch(as); m != nil {
			if t := c.named(m[1]); t != nil {
				return *t.def, true
			}
		}
	}
	if m := alone().FindStringSubmatch(as); m != nil {
		if t := c.tools[m[1]]; t != nil {
			return *t.def, true
		}
	}
	return tools.Definition{}, false
}

// exactly are the forms in which agents name just a tool of the server "weft", and in which no other server's tool can be named.
var exactly = []*lazyregexp.Regexp{
	lazyregexp.New(`^(?:[Tt]ool: ?)?(?:mcp(?:__|[_./:-]))?weft(?:__|: | - |[_./:-])([a-zA-Z0-9_-]{1,64})$`),
	lazyregexp.New(`^([a-zA-Z0-9_-]{1,64}) \(weft(?: MCP Server)?\)$`),
}

// Exactly reports whether what an agent calls a tool is the name of that tool of Weft's server, with nothing behind it.
func (c *Catalog) Exactly(as, tool string) bool {
	for _, form := range exactly {
		if m := form.FindStringSubmatch(as); m != nil {
			if t := c.named(m[1]); t != nil && t.def.Name == tool {
				return true
			}
		}
	}
	return false
}

// Takes reports whether the offered schema of a tool knows an argument. One that names none takes any.
func (c *Catalog) Takes(tool, argument string) bool {
	t := c.tools[tool]
	if t == nil || t.schema == nil {
		return t != nil && t.acts
	}
	known := t.schema.Arguments()
	if len(known) == 0 {
		return t.acts
	}
	return slices.Contains(known, argument) || argument == tools.TargetName && t.def.DisplayTool
}

// Runs reports whether a tool is one that the gateway runs.
func (c *Catalog) Runs(name string) bool {
	t := c.named(name)
	return t != nil && t.run != nil
}

// named is the tool of a name as agents may spell it: some put "_" for "-".
func (c *Catalog) named(name string) *tool {
	if t := c.tools[name]; t != nil {
		return t
	}
	var found *tool
	for real, t := range c.tools {
		if strings.ReplaceAll(real, "-", "_") == name {
			if found != nil {
				return nil // nobody knows which
			}
			found = t
		}
	}
	return found
}
