package gatecalls

import (
	"path/filepath"
	"strings"

	"weft/backend/transcript"
)

// Request is a permission request of an agent, as far as it matters here.
type Request struct {
	Call *transcript.ToolPatch // what it says of the call
	// Does reports that what is asked about runs or writes something.
	Does bool
	// Changes are the files whose changes it shows.
	Changes []string
	// Folder is the absolute path that names of files are relative to.
	Folder string
}

// Requested returns the gateway's tool that a permission request is for, if all of the request says so: what it calls the tool, or the call
// that it names and that was shown before, and its arguments.
func (c *Calls[S]) Requested(r Request) (Tool, bool) {
	p := r.Call
	g := c.lines.byID[p.ID]
	named := transcript.ToolPatch{ID: p.ID, Name: p.Name, Title: p.Title, Input: p.Input}
	if p.Name != nil && *p.Name != "" {
		named.Title = nil // it may be words
	}
	tool, known := c.find.Of(&named)
	itself := known && tool.Exact // the request names the tool itself
	if g != nil && g.Tool.Exact && !itself {
		if tool, known = c.find.exactly(g.Tool.Name); !known {
			return tool, false
		}
	} else if !itself || g != nil && g.Tool.Exact && g.Tool.Name != tool.Name {
		return tool, false
	}
	about := asked[S]{Request: r, line: g, open: c.open[p.ID], tool: &tool}
	args, ok := about.arguments()
	if !ok || !itself && !about.sameTitle(c.find, args) {
		return tool, false
	}
	if kind := p.Kind; kind != nil && acts(*kind) && len(args) == 0 && !about.namesTool() {
		return tool, false // only its title tells it from a command
	}
	if !onlyFile(r, strings.TrimSpace(args["path"])) {
		return tool, false
	}
	return tool, true
}

// onlyFile reports whether a request shows no file but the one that the arguments of the call name, and runs nothing.
func onlyFile(r Request, path string) bool {
	full := func(name string) string {
		if path == "" || filepath.IsAbs(name) {
			return filepath.Clean(name)
		}
		return filepath.Join(r.Folder, name)
	}
	for _, changed := range r.Changes {
		if full(changed) != full(path) {
			return false
		}
	}
	if p := r.Call; p.Locations != nil {
		for _, at := range *p.Locations {
			if full(at.Path) != full(path) {
				return false
			}
		}
	}
	if p := r.Call; p.Content != nil {
		for i := range *p.Content {
			if (*p.Content)[i].Type == "terminal" {
				return false
			}
		}
	}
	return true
}

// AsCalled returns what a permission request says of a call without what it says of the request: some agents give the call another title
// ("Approve MCP tool call") and kind there, and tell its arguments in another form.
func (c *Calls[S]) AsCalled(p *transcript.ToolPatch, tool *Tool) *transcript.ToolPatch {
	told := *p
	g := c.lines.byID[p.ID]
	told.Announced = g == nil
	if g == nil {
		return &told
	}
	told.Title, told.Kind, told.Content, told.Status = nil, nil, nil, nil
	if args := Arguments(p.Input); HasArguments(g.Whole) || tool.refuses(args) {
		told.Input = nil
	}
	return &told
}

// acts reports whether a call of a kind changes files or runs something.
func acts(kind string) bool {
	return kind == "execute" || kind == "edit" || kind == "delete" || kind == "move"
}
