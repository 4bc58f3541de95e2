package builtin

import (
	"context"
	"fmt"
	"path"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
)

// Bounds of what a call shows; the provider gets everything.
const (
	maxShownEntries = 300
	maxShownText    = 48 << 10 // bytes
)

// List implements guide.Turn.
func (t *turn) List(_ context.Context, dir string) (out folder.Listing, err error) {
	title := "List " + dir
	if dir == "." {
		title = "List " + t.folder.Name()
	}
	c := toolCall{turn: t, tool: "list", title: title, kind: acp.ToolKindRead, at: t.locations(dir, 0), input: map[string]any{"path": dir}}
	err = c.do(func(ctx context.Context) (outcome, error) {
		rel, err := t.folder.Rel(dir)
		if err != nil {
			return outcome{}, err
		}
		if out, err = t.folder.List(ctx, rel); err != nil {
			return outcome{}, err
		}
		return listed(out, fmt.Sprintf("Listed %s in %s", count(out.Files, "file", "files"), count(out.Dirs, "folder", "folders")), out.Files), nil
	})
	return out, err
}

// Glob implements guide.Turn.
func (t *turn) Glob(_ context.Context, pattern string) (out folder.Listing, err error) {
	c := toolCall{turn: t, tool: "glob", title: "Find files " + shownPattern(pattern), kind: acp.ToolKindSearch, input: map[string]any{"pattern": pattern}}
	err = c.do(func(ctx context.Context) (outcome, error) {
		var err error
		if out, err = t.folder.Glob(ctx, pattern); err != nil {
			return outcome{}, err
		}
		n := len(out.Entries)
		return listed(out, "Found "+count(n, "file", "files"), n), nil
	})
	return out, err
}

func shownPattern(pattern string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pattern, "**/"), `\`, "")
}

func listed(l folder.Listing, summary string, n int) outcome {
	paths := make([]string, 0, min(len(l.Entries), maxShownEntries))
	for _, e := range l.Entries {
		if len(paths) == maxShownEntries {
			break
		}
		name := e.Path
		if e.Dir {
			name += "/"
		}
		paths = append(paths, name)
	}
	text := strings.Join(paths, "\n")
	if more := len(l.Entries) - len(paths); more > 0 {
		text += fmt.Sprintf("\n… %d more", more)
	}
	output := map[string]any{"paths": paths, "files": l.Files, "dirs": l.Dirs, "bytes": l.Bytes, "seen": l.Seen, "ignored": l.Ignored}
	if l.Stopped {
		summary += fmt.Sprintf(", stopped after %d files", l.Seen)
		output["stopped"] = true
	}
	if len(l.Unreadable) > 0 {
		output["unreadable"] = l.Unreadable
	}
	if text == "" {
		text = "(nothing)"
	}
	return outcome{summary: summary, count: n, output: output, content: []acp.ToolCallContent{textContent(fenced("", text))}}
}

// Search implements guide.Turn.
func (t *turn) Search(_ context.Context, q folder.Query) (out folder.Found, err error) {
	input := map[string]any{"pattern": q.Pattern, "regexp": q.Regexp, "caseSensitive": q.Case}
	title := q.Title
	if title == "" {
		title = fmt.Sprintf("Search “%s”", q.Pattern)
	}
	if q.Glob != "" {
		input["glob"] = q.Glob
		title += " in " + q.Glob
	}
	c := toolCall{turn: t, tool: "search", title: title, kind: acp.ToolKindSearch, input: input}
	err = c.do(func(ctx context.Context) (outcome, error) {
		var err error
		if out, err = t.folder.Search(ctx, q); err != nil {
			return outcome{}, err
		}
		return searched(out), nil
	})
	return out, err
}

func searched(f folder.Found) outcome {
	summary := fmt.Sprintf("Found %s in %s", count(f.Total, "match", "matches"), count(f.Files, "file", "files"))
	if f.Total == 0 {
		summary = fmt.Sprintf("No matches in %s", count(f.Scanned, "file", "files"))
	}
	if f.Stopped {
		summary += fmt.Sprintf(", stopped after %d files", f.Scanned)
	}
	var b strings.Builder
	for _, m := range f.Matches {
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Text)
	}
	if more := f.Total - len(f.Matches); more > 0 {
		fmt.Fprintf(&b, "… %d more\n", more)
	}
	content := []acp.ToolCallContent{textContent(summary)}
	if b.Len() > 0 {
		content = []acp.ToolCallContent{textContent(fenced("", b.String()))}
	}
	return outcome{summary: summary, count: f.Total, content: content, output: map[string]any{
		"matches": f.Matches, "files": f.Files, "scanned": f.Scanned, "binary": f.Binary, "tooLarge": f.TooLarge, "stopped": f.Stopped,
	}}
}

// Read implements guide.Turn.
func (t *turn) Read(_ context.Context, name string, from, to int) (out folder.Text, err error) {
	input := map[string]any{"path": name}
	title := "Read " + t.shortName(name)
	if from > 1 || to > 0 {
		input["from"], input["to"] = from, to
		title += fmt.Sprintf(" (lines %d–%d)", from, to)
	}
	c := toolCall{turn: t, tool: "read", title: title, kind: acp.ToolKindRead, at: t.locations(name, from), input: input}
	err = c.do(func(context.Context) (outcome, error) {
		rel, err := t.folder.Rel(name)
		if err != nil {
			return outcome{}, err
		}
		if out, err = t.folder.Read(rel, from, to); err != nil {
			return outcome{}, err
		}
		lines := 0
		if out.From > 0 {
			lines = out.To - out.From + 1
		}
		summary := "Read " + count(lines, "line", "lines")
		if !out.Whole() {
			summary += fmt.Sprintf(" of %d", out.TotalLines)
		}
		shown := out.Content
		if len(shown) > maxShownText {
			shown = strings.ToValidUTF8(shown[:maxShownText], "") + "\n… cut for display"
		}
		return outcome{summary: summary, count: lines, content: []acp.ToolCallContent{textContent(fenced(outline.Fence(rel), shown))}, output: map[string]any{
			"path": rel, "from": out.From, "to": out.To, "totalLines": out.TotalLines, "size": out.Size, "cut": out.Cut,
		}}, nil
	})
	return out, err
}

// locations names the place a call is about, if it lies inside the folder.
func (t *turn) locations(name string, line int) []acp.ToolCallLocation {
	rel, err := t.folder.Rel(name)
	if err != nil {
		return nil
	}
	at := acp.ToolCallLocation{Path: t.folder.Abs(rel)}
	if line > 1 {
		at.Line = acp.Ptr(line)
	}
	return []acp.ToolCallLocation{at}
}

// shortName is a path as a title shows it.
func (t *turn) shortName(name string) string {
	if rel, err := t.folder.Rel(name); err == nil {
		name = rel
	}
	if len(name) > 60 {
		return "…/" + path.Base(name)
	}
	return name
}

// fenced renders text as a Markdown code block that the text cannot close.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
