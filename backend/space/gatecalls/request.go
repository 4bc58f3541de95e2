package gatecalls

import (
	"path/filepath"
	"strings"

	"weft/backend/conversation/transcript"
)

// Request is what matters here of an agent's permission request.
type Request struct {
	Call *transcript.ToolPatch // the call as the request shows it
	// Does means that the request is to run or write something.
	Does bool
	// Changes are the paths of the files that it would change.
	Changes []string
	// Folder is the absolute path that relative paths refer to.
	Folder string
}

// Requested returns the gateway's tool that a permission request is for. ok is false unless everything in the request
// fits that tool: the name it gives or the call that it refers to, and the arguments.
func (c *Calls[S]) Requested(r Request) (Tool, bool) {
	p := r.Call
	g := c.lines.byID[p.ID]
	named := transcript.ToolPatch{ID: p.ID, Name: p.Name, Title: p.Title, Input: p.Input}
	if p.Name != nil && *p.Name != "" {
		named.Title = nil // the title may be free text
	}
	tool, known := c.find.Of(&named)
	itself := known && tool.Exact // the request itself names the tool
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
		return tool, false // only its title distinguishes it from a command
	}
	if !onlyFile(r, strings.TrimSpace(args["path"])) {
		return tool, false
	}
	return tool, true
}

// onlyFile reports whether a request shows no file except the one in the call's arguments, and runs nothing.
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

// AsCalled returns a permission request's update of a call without what concerns the request: some agents use another
// title ("Approve MCP tool call"), another kind, and another form of the arguments in it.
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

// acts reports whether calls of this kind change files or run something.
func acts(kind string) bool {
	return kind == "execute" || kind == "edit" || kind == "delete" || kind == "move"
}
