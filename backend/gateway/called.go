package gateway

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/backend/base/lazyregexp"

	"weft/backend/gateway/tools"
)

// Agents use different forms for the names of MCP tools: mcp__weft__NAME, weft_NAME, weft/NAME, Tool: weft/NAME,
// NAME (weft MCP Server).
var (
	afterServer  = lazyregexp.New(`^(?:[Tt]ool: ?)?(?:mcp(?:__|[_./:-]))?weft(?:__|: | - |[_./:-])([a-zA-Z0-9_-]{1,64})(?:$|[\s(:{])`)
	beforeServer = lazyregexp.New(`^([a-zA-Z0-9_-]{1,64}) \(weft\b[^)]*\)`)
	// ownName matches the name of one of Weft's own tools after any prefix. It is built on first use, because reading the
	// definitions takes long.
	ownName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[a-zA-Z0-9]+(?:__|: | - |[_.:/-]))*?(` + strings.Join(tools.ReservedNames(), "|") + `)(?:$|[\s(:{])`)
	})
)

// Called returns the tool for the name or title that an agent gives to a call. Weft's own tools are recognized by their
// names, which no other tools have; all others only together with the server's name.
func (c *Catalog) Called(as string) (tools.Definition, bool) {
	for _, form := range []*lazyregexp.Regexp{afterServer, beforeServer} {
		if m := form.FindStringSubmatch(as); m != nil {
			if t := c.named(m[1]); t != nil {
				return *t.def, true
			}
		}
	}
	if m := ownName().FindStringSubmatch(as); m != nil {
		if t := c.tools[m[1]]; t != nil {
			return *t.def, true
		}
	}
	return tools.Definition{}, false
}

// exactForms are the forms that consist of nothing but the server "weft" and a tool, and that no tool of another server
// can have.
var exactForms = []*lazyregexp.Regexp{
	lazyregexp.New(`^(?:[Tt]ool: ?)?(?:mcp(?:__|[_./:-]))?weft(?:__|: | - |[_./:-])([a-zA-Z0-9_-]{1,64})$`),
	lazyregexp.New(`^([a-zA-Z0-9_-]{1,64}) \(weft(?: MCP Server)?\)$`),
}

// Exactly reports whether as is an agent's name for this tool of Weft's server, with nothing after it.
func (c *Catalog) Exactly(as, tool string) bool {
	for _, form := range exactForms {
		if m := form.FindStringSubmatch(as); m != nil {
			if t := c.named(m[1]); t != nil && t.def.Name == tool {
				return true
			}
		}
	}
	return false
}

// Takes reports whether the offered schema of a tool has an argument. A tool that needs permission and whose schema
// names no arguments takes any.
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

// Runs reports whether the gateway runs the tool.
func (c *Catalog) Runs(name string) bool {
	t := c.named(name)
	return t != nil && t.run != nil
}

// named returns the tool with a name, or nil. It also accepts "_" for "-", because some agents replace it.
func (c *Catalog) named(name string) *tool {
	if t := c.tools[name]; t != nil {
		return t
	}
	var found *tool
	for real, t := range c.tools {
		if strings.ReplaceAll(real, "-", "_") == name {
			if found != nil {
				return nil // ambiguous
			}
			found = t
		}
	}
	return found
}
