package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
)

type searchInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Literal    bool   `json:"literal"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
}

func searchTool() Tool {
	p := params{
		{name: "pattern", kind: stringField, required: true, doc: "Regular expression (RE2 syntax), matched line by line; ^ and $ are the ends of a line."},
		{name: "path", kind: stringField, doc: "Search only below this folder, or in this file. Default: the session's folder."},
		{name: "glob", kind: stringField, doc: "Search only files with a matching path, such as *.go or src/**/*.ts."},
		{name: "literal", kind: boolField, doc: "Take the pattern as plain text instead."},
		{name: "ignore_case", kind: boolField, doc: "Upper and lower case are the same."},
		{name: "context", kind: numberField, doc: "Lines to show before and after each match, at most 10. Default 0."},
	}
	t := described("search", fmt.Sprintf("Search the contents of text files. Returns path:line: text for up to %d matches, and how many there are. What .gitignore excludes is left out.", folder.MaxMatches),
		acp.ToolKindSearch, Reads, p)
	t.Look = func(_ *Env, fields map[string]json.RawMessage) Look {
		return Look{Title: searchTitle(fields)}
	}
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in searchInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		rel, err := relOf(env, in.Path)
		if err != nil {
			return Prepared{}, err
		}
		glob := relPattern(env, in.Glob)
		switch {
		case in.Pattern == "":
			return Prepared{}, failf("`pattern` is empty: say what to search for.")
		case !doublestar.ValidatePattern(glob):
			return Prepared{}, failf("The glob %q isn't valid: every [ and { must be closed, and \\ must precede another character.", in.Glob)
		}
		if rel != "." && strings.Contains(glob, "/") && !strings.HasPrefix(glob, rel+"/") && !strings.HasPrefix(glob, "**/") {
			glob = literal(rel) + "/" + strings.TrimPrefix(glob, "./")
		}
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(input, &fields) // it was validated above
		q := folder.Query{Pattern: in.Pattern, Regexp: !in.Literal, Case: !in.IgnoreCase, Glob: glob, Dir: rel, Context: in.Context}
		return Prepared{
			Look: Look{Title: searchTitle(fields), Locations: placed(env, in.Path)},
			Run:  func(ctx context.Context, _ func(Progress)) (Result, error) { return runSearch(ctx, env, q) },
		}, nil
	}
	return t
}

// searchTitle returns the title of a search.
func searchTitle(fields map[string]json.RawMessage) string {
	pattern, ok := textField(fields, "pattern")
	if !ok {
		return "Search"
	}
	title := fmt.Sprintf("Search “%s”", oneLine(pattern, 60))
	if glob, ok := textField(fields, "glob"); ok {
		title += " in " + oneLine(glob, 40)
	}
	return title
}

func runSearch(ctx context.Context, env *Env, q folder.Query) (Result, error) {
	if _, err := env.Folder.Stat(q.Dir); err != nil {
		return Result{}, missing(ctx, env, q.Dir, err)
	}
	f, err := env.Folder.Search(ctx, q)
	if err != nil {
		return Result{}, ended(ctx, err)
	}
	summary := found(f.Total, f.Files)
	if f.Total == 0 {
		summary = fault.Text("No matches in {{files}}", filesOf(f.Scanned))
	}
	if f.Stopped {
		summary += fmt.Sprintf(", stopped after %d files", f.Scanned)
	}
	found := matches(f.Matches)
	if more := f.Total - len(f.Matches); more > 0 {
		found += fmt.Sprintf("… %d more\n", more)
	}
	forModel := summary + ".\n" + found
	if f.TooLarge > 0 {
		forModel += quantity.Count(f.TooLarge, "file was", "files were") + " skipped as too large.\n"
	}
	content := []acp.ToolCallContent{textContent(summary)}
	if found != "" {
		content = shownText("", found)
	}
	return Result{
		Parts: modelText(env, "search.txt", forModel, false), Content: content, Summary: summary, Count: f.Total, Data: f,
		Output: map[string]any{
			"matches": f.Matches, "files": f.Files, "scanned": f.Scanned, "binary": f.Binary, "tooLarge": f.TooLarge, "stopped": f.Stopped,
		},
	}, nil
}

// matches formats matches like grep: a colon after the number of a matching line, a hyphen after that of a context
// line, and -- between groups.
func matches(list []folder.Match) string {
	var b strings.Builder
	path, next := "", 0
	for _, m := range list {
		first := m.Line - len(m.Before)
		if around := len(m.Before)+len(m.After) > 0; b.Len() > 0 && around && (m.Path != path || first > next) {
			b.WriteString("--\n")
		}
		for i, line := range m.Before {
			fmt.Fprintf(&b, "%s-%d- %s\n", m.Path, first+i, line)
		}
		fmt.Fprintf(&b, "%s:%d: %s\n", m.Path, m.Line, m.Text)
		for i, line := range m.After {
			fmt.Fprintf(&b, "%s-%d- %s\n", m.Path, m.Line+1+i, line)
		}
		path, next = m.Path, m.Line+len(m.After)+1
	}
	return b.String()
}
