package gateway

import (
	"slices"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/gateway/tools"
)

// Catalog is an immutable list of the tools offered to agents. It is safe for concurrent use.
type Catalog struct {
	tools    map[string]*tool // by the names that agents see
	order    []string
	problems []tools.Problem
	leftOut  map[string][]string // by server name, sentences about its omitted tools
}

// Problems returns why user-defined tools were left out. File is the name of the tool.
func (c *Catalog) Problems() []tools.Problem {
	return slices.Clone(c.problems)
}

// Tools returns the definitions of the tools, with the names that agents see.
func (c *Catalog) Tools() []tools.Definition {
	var list []tools.Definition
	for _, name := range c.order {
		list = append(list, *c.tools[name].def)
	}
	return list
}

// own returns the definitions of user-defined tools.
func (c *Catalog) own() []tools.Definition {
	var list []tools.Definition
	for _, name := range c.order {
		if t := c.tools[name]; t.def.Own() {
			list = append(list, *t.def)
		}
	}
	return list
}

// keep replaces tools by equal tools of an older catalog, so that agents aren't notified of a change. It must be called
// before the catalog is shared.
func (c *Catalog) keep(old *Catalog) {
	for name, t := range c.tools {
		if before := old.tools[name]; before != nil && before.same(t) {
			c.tools[name] = before
		}
	}
}

// builder builds a [Catalog].
type builder struct {
	opt   *Options
	names *names
	made  *Catalog
}

// newCatalog returns a catalog of the space tools, the built-in tools, the user-defined tools and those of MCP servers.
// A user-defined tool replaces a built-in tool with the same name.
func newCatalog(opt *Options, names *names, own []tools.Definition, servers []*upstream) *Catalog {
	b := &builder{opt: opt, names: names, made: &Catalog{tools: map[string]*tool{}, leftOut: map[string][]string{}}}
	for _, t := range (spaceTools{opt.Host}).list() {
		b.add(t)
	}
	for _, weft := range tools.Builtins() {
		if !slices.ContainsFunc(own, func(d tools.Definition) bool { return d.Name == weft.Name }) {
			b.define(weft.Definition)
		}
	}
	for _, d := range own {
		b.define(d.AsOwn())
	}
	names.forget() // so that names depend on the order of the servers, not on which one connected first
	for _, u := range servers {
		b.proxy(u)
	}
	return b.made
}

// add adds a tool.
func (b *builder) add(t *tool) {
	b.made.tools[t.def.Name] = t
	b.made.order = append(b.made.order, t.def.Name)
}

// define adds the tool of a definition, or a problem if it can't be added.
func (b *builder) define(d tools.Definition) {
	t, err := newTool(d, b.opt)
	if err != nil {
		b.problem(d.Name, fault.Say("{{reason}}", err))
		return
	}
	if b.made.tools[d.Name] != nil {
		b.problem(d.Name, fault.Say("The tool {{name}} already exists.", d.Name))
		return
	}
	b.add(t)
}

func (b *builder) problem(name string, sentence fault.Said) {
	p := tools.ProblemOf(name, sentence)
	b.made.problems = append(b.made.problems, p)
	b.opt.Log.Warn().Str("tool", clip.Text(name, 100)).Msg(p.Message)
}

// omit notes why tools of a server are left out.
func (b *builder) omit(server string, sentence fault.Said) {
	b.made.leftOut[server] = append(b.made.leftOut[server], sentence.String())
}
