package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
)

type listInput struct {
	Path  string `json:"path"`
	Depth *int   `json:"depth"`
}

func listTool() Tool {
	p := params{
		{name: "path", kind: stringField, doc: "Folder to list, relative to the session's folder or absolute inside it. Default: the session's folder."},
		{name: "depth", kind: numberField, doc: "Levels to list. Default 1; 0 lists everything below."},
	}
	t := described("list", "List a folder: folders first, then files with their sizes. What .gitignore excludes is left out, and so are .git and installed packages.",
		acp.ToolKindRead, Reads, p)
	t.Look = looked(listTitle)
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in listInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		rel, err := relOf(env, in.Path)
		if err != nil {
			return Prepared{}, err
		}
		depth := 1
		if in.Depth != nil {
			depth = *in.Depth
		}
		return Prepared{
			Look: Look{Title: listTitle(shortName(env, rel)), Locations: locations(env, rel, 0)},
			Run:  func(ctx context.Context, _ func(Progress)) (Result, error) { return runList(ctx, env, rel, depth) },
		}, nil
	}
	return t
}

func listTitle(name string) string { return strings.TrimSpace("List " + name) }

func runList(ctx context.Context, env *Env, rel string, depth int) (Result, error) {
	info, err := env.Folder.Stat(rel)
	switch {
	case err != nil:
		return Result{}, missing(ctx, env, rel, err)
	case !info.IsDir():
		return Result{}, failf("%s is a file, not a folder. Use the read tool for it.", rel)
	}
	l, err := env.Folder.ListDepth(ctx, rel, depth)
	if err != nil {
		return Result{}, ended(ctx, err)
	}
	summary := fault.Text("Listed {{files}} in {{folders}}", filesOf(l.Files), foldersOf(l.Dirs))
	if depth == 1 {
		summary = fault.Text("Listed {{files}} and {{folders}}", filesOf(l.Files), foldersOf(l.Dirs))
	}
	return listed(env, "list.txt", l, drawn(rel, l), summary, l.Files), nil
}

// ended returns the context's error if it has ended, or else err as an *[Error].
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return failure(err)
}

// listed returns the result of a tool that lists files. all is the listing for the model.
func listed(env *Env, keep string, l folder.Listing, all, summary string, n int) Result {
	paths := make([]string, 0, min(len(l.Entries), maxShownEntries))
	for _, e := range l.Entries[:min(len(l.Entries), maxShownEntries)] {
		paths = append(paths, named(e))
	}
	shown := strings.Join(paths, "\n")
	if more := len(l.Entries) - len(paths); more > 0 {
		shown += fmt.Sprintf("\n… %d more", more)
	}
	output := map[string]any{"paths": paths, "files": l.Files, "dirs": l.Dirs, "bytes": l.Bytes, "seen": l.Seen, "ignored": l.Ignored}
	var notes []string
	if l.Stopped {
		summary += fmt.Sprintf(", stopped after %d files", l.Seen)
		output["stopped"] = true
		notes = append(notes, fmt.Sprintf("Stopped after %d files; there are more. Name a folder below.", l.Seen))
	}
	if len(l.Unreadable) > 0 {
		output["unreadable"] = l.Unreadable
		notes = append(notes, "Can't be opened: "+strings.Join(l.Unreadable[:min(len(l.Unreadable), 5)], ", "))
	}
	if l.Ignored > 0 {
		notes = append(notes, quantity.Count(l.Ignored, "entry is", "entries are")+" ignored (.gitignore, version control, installed packages).")
	}
	if all == "" {
		all = "Nothing."
	}
	if len(notes) > 0 {
		all = strings.TrimSuffix(all, "\n") + "\n\n" + strings.Join(notes, "\n")
	}
	if shown == "" {
		shown = "(nothing)"
	}
	return Result{
		Parts: modelText(env, keep, all, false), Content: []acp.ToolCallContent{textContent(fenced("", shown))},
		Summary: summary, Count: n, Output: output, Data: l,
	}
}

func named(e folder.Entry) string {
	switch {
	case e.Dir:
		return e.Path + "/"
	case e.Link:
		return e.Path + " (link)"
	}
	return e.Path
}

// drawn returns a listing as an indented tree, folders first.
func drawn(dir string, l folder.Listing) string {
	below := map[string][]folder.Entry{}
	for _, e := range l.Entries {
		below[path.Dir(e.Path)] = append(below[path.Dir(e.Path)], e)
	}
	var b strings.Builder
	var draw func(dir, indent string)
	draw = func(dir, indent string) {
		entries := below[dir]
		slices.SortStableFunc(entries, func(x, y folder.Entry) int {
			if x.Dir != y.Dir {
				if x.Dir {
					return -1
				}
				return 1
			}
			return cmp.Compare(x.Path, y.Path)
		})
		for _, e := range entries {
			switch {
			case e.Dir:
				fmt.Fprintf(&b, "%s%s/\n", indent, path.Base(e.Path))
				draw(e.Path, indent+"  ")
			case e.Link:
				fmt.Fprintf(&b, "%s%s (link)\n", indent, path.Base(e.Path))
			default:
				fmt.Fprintf(&b, "%s%s (%s)\n", indent, path.Base(e.Path), quantity.Bytes(e.Size))
			}
		}
	}
	draw(dir, "")
	return b.String()
}
