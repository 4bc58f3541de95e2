package gateway

import (
	"slices"

	"weft/backend/clip"
	"weft/backend/fault"
	"weft/backend/gateway/tools"
)

// Catalog is the list of the tools that agents are offered at one time. It does not change, and its methods may be called
// from any goroutine.
type Catalog struct {
	tools    map[string]*tool // by the names that agents see
	order    []string
	problems []tools.Problem
	leftOut  map[string][]string // sentences about tools of servers, by the servers' names
}

// Problems are what is wrong with the user's own tools that are left out; File is the name of the tool.
func (c *Catalog) Problems() []tools.Problem {
	return slices.Clone(c.problems)
}

// Tools are the tools that agents are offered, by the names that they see.
func (c *Catalog) Tools() []tools.Definition {
	var list []tools.Definition
	for _, name := range c.order {
		list = append(list, *c.tools[name].def)
	}
	return list
}

// own returns the definitions of the user's own tools.
func (c *Catalog) own() []tools.Definition {
	var list []tools.Definition
	for _, name := range c.order {
		if t := c.tools[name]; t.def.Own() {
			list = append(list, *t.def)
		}
	}
	return list
}

// keep replaces tools by the same tools of an older catalog, so that agents are not notified of a change. It may only be
// called before anyone else has the catalog.
func (c *Catalog) keep(old *Catalog) {
	for name, t := range c.tools {
		if before := old.tools[name]; before != nil && before.same(t) {
			c.tools[name] = before
		}
	}
}

// builder makes a [Catalog].
type builder struct {
	opt   *Options
	names *names
	made  *Catalog
}

// newCatalog returns a catalog of the tools of spaces, those of Weft, the user's own and those of servers. What the user
// defines takes the place of a tool of Weft's with the same name.
func newCatalog(opt *Options, names *names, own []tools.Definition, servers []*upstream) *Catalog {
	b := &builder{opt: opt, names: names, made: &Catalog{tools: map[string]*tool{}, leftOut: map[string][]string{}}}
	for _, t := range (spaceTools{opt.Host}).list() {
		b.take(t)
	}
	for _, weft := range tools.Builtins() {
		if !slices.ContainsFunc(own, func(d tools.Definition) bool { return d.Name == weft.Name }) {
			b.define(weft.Definition)
		}
	}
	for _, d := range own {
		b.define(d.AsOwn())
	}
	names.forget() // so that the order of the servers counts, and not which one was there first
	for _, u := range servers {
		b.proxy(u)
	}
	return b.made
}

// take adds a tool.
func (b *builder) take(t *tool) {
	b.made.tools[t.def.Name] = t
	b.made.order = append(b.made.order, t.def.Name)
}

// define adds the tool of a definition, or notes why it is left out.
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
	b.take(t)
}

func (b *builder) problem(name string, sentence fault.Said) {
	p := tools.ProblemOf(name, sentence)
	b.made.problems = append(b.made.problems, p)
	b.opt.Log.Warn().Str("tool", clip.Text(name, 100)).Msg(p.Message)
}

// leave notes why tools of a server are left out.
func (b *builder) leave(server string, sentence fault.Said) {
	b.made.leftOut[server] = append(b.made.leftOut[server], sentence.String())
}
