package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"

	"weft/backend/gateway/tools"
)

// tool is what agents are offered under one name.
type tool struct {
	def     *tools.Definition
	schema  *tools.Schema   // nil where someone else checks the arguments
	offered json.RawMessage // the schema that agents see
	hints   *sdk.ToolAnnotations
	key     string // see [Permit]
	origin  string // what it stands for: the same means that nothing has changed
	// run does what the tool does, but for displays; nil where nothing is done.
	run func(ctx context.Context, c *call) (*sdk.CallToolResult, error)
	// acts tells that the permission broker is asked before it runs.
	acts bool
}

func (t *tool) offer() *sdk.Tool {
	return &sdk.Tool{Name: t.def.Name, Description: t.def.Description, InputSchema: t.offered, Annotations: t.hints}
}

// same reports whether agents and calls would see no difference.
func (t *tool) same(o *tool) bool {
	return o != nil && t.origin == o.origin && t.def.Description == o.def.Description && bytes.Equal(t.offered, o.offered) && t.def.DisplayTool == o.def.DisplayTool && t.def.Visibility == o.def.Visibility
}

// made makes the tool of a definition.
func (g *Gateway) made(d tools.Definition) (*tool, error) {
	schema, err := d.Check()
	if err != nil {
		return nil, err
	}
	t := &tool{def: &d, key: d.Name, schema: schema, offered: d.InputSchema}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	t.origin = string(text)
	// Showing something, and asking, changes nothing: clients may make several such calls at once.
	t.hints = &sdk.ToolAnnotations{Title: d.Title, ReadOnlyHint: !d.Acts(), IdempotentHint: d.Execution.Idempotent()}
	if d.DisplayTool {
		if t.offered, err = tools.WithTarget(d.InputSchema); err != nil {
			return nil, err
		}
	}
	if e := d.Execution; e != nil && (e.Mode == tools.ModeHTTP || e.Mode == tools.ModeCommand) {
		t.acts = true
		t.run = func(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
			return c.tool.def.Execute(ctx, c.input, g.dir(), g.opt.PidDir)
		}
	}
	return t, nil
}

// Refresh asks for the definitions and the proxied servers again; agents are told what has changed. It does not wait for
// servers.
func (g *Gateway) Refresh() {
	var definitions []tools.Definition
	if g.opt.Definitions != nil {
		definitions = g.opt.Definitions()
	}
	g.reconcile()
	g.rebuild(definitions, true)
}

// RefreshServers is Refresh for the proxied servers alone.
func (g *Gateway) RefreshServers() {
	g.reconcile()
	g.rebuild(nil, false)
}

// rebuild makes the list of tools. With own, definitions are those of the user; else the ones that are there stay.
func (g *Gateway) rebuild(definitions []tools.Definition, own bool) {
	g.building.Lock()
	defer g.building.Unlock()
	b := &builder{g: g, tools: map[string]*tool{}, leftOut: map[string][]string{}}
	for _, t := range g.spaceTools() {
		b.take(t)
	}
	g.mu.Lock()
	old, ups := g.tools, slices.Clone(g.upstreams)
	if !own {
		definitions = nil
		for _, name := range g.order {
			if t := old[name]; t.def.Own() {
				definitions = append(definitions, *t.def)
			}
		}
	}
	g.mu.Unlock()
	for _, weft := range tools.Builtins() {
		if !slices.ContainsFunc(definitions, func(own tools.Definition) bool { return own.Name == weft.Name }) {
			b.define(weft.Definition)
		}
	}
	for _, d := range definitions {
		b.define(d.AsOwn())
	}
	g.mu.Lock()
	if !g.pinned {
		clear(g.names) // so that the order of the servers counts, and not which one was there first
	}
	g.mu.Unlock()
	for _, u := range ups {
		b.proxy(u)
	}
	for name, t := range b.tools {
		if before := old[name]; before != nil && before.same(t) {
			b.tools[name] = before
		}
	}
	g.mu.Lock()
	g.tools, g.order, g.leftOut = b.tools, b.order, b.leftOut
	if own {
		g.problems = b.problems
	}
	var sessions []*session
	for _, s := range g.sessions {
		sessions = append(sessions, s)
	}
	g.mu.Unlock()
	for _, s := range sessions {
		s.sync()
	}
}

// builder gathers the tools of a list.
type builder struct {
	g        *Gateway
	tools    map[string]*tool
	order    []string
	problems []tools.Problem
	leftOut  map[string][]string // by servers
}

func (b *builder) take(t *tool) {
	b.tools[t.def.Name] = t
	b.order = append(b.order, t.def.Name)
}

func (b *builder) define(d tools.Definition) {
	t, err := b.g.made(d)
	if err != nil {
		b.problem(d.Name, err.Error())
		return
	}
	if b.tools[d.Name] != nil {
		b.problem(d.Name, "The tool "+d.Name+" already exists.")
		return
	}
	b.take(t)
}

func (b *builder) problem(name, message string) {
	b.problems = append(b.problems, tools.Problem{File: name, Message: message})
	b.g.opt.Log.Warn().Str("tool", clip.Text(name, 100)).Msg(message)
}

// Problems are what is wrong with the user's own tools that are left out; File is the name of the tool.
func (g *Gateway) Problems() []tools.Problem {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.problems)
}

// Tools are the tools that agents are offered now, by the names that they see.
func (g *Gateway) Tools() []tools.Definition {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []tools.Definition
	for _, name := range g.order {
		list = append(list, *g.tools[name].def)
	}
	return list
}
