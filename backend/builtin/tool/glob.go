package tool

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/quantity"
)

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func globTool() Tool {
	p := params{
		{name: "pattern", kind: stringField, required: true, doc: "Pattern of the path with *, ?, [..], {a,b} and **, such as src/**/*.ts. Without a slash it means names in every folder: *.go. Letter case doesn't matter."},
		{name: "path", kind: stringField, doc: "Look only below this folder. Default: the session's folder."},
	}
	t := described("glob", "Find files and folders by name. Sorted by path. What .gitignore excludes is left out.", acp.ToolKindSearch, Reads, p)
	t.Look = func(_ *Env, fields map[string]json.RawMessage) Look {
		pattern, _ := textField(fields, "pattern")
		return Look{Title: globTitle(pattern)}
	}
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in globInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		rel, err := relOf(env, in.Path)
		if err != nil {
			return Prepared{}, err
		}
		pattern := relPattern(env, in.Pattern)
		if in.Pattern == "" || !doublestar.ValidatePattern(pattern) {
			return Prepared{}, failf("The pattern %q isn't valid: every [ and { must be closed, and \\ must precede another character.", in.Pattern)
		}
		if rel != "." && strings.Contains(pattern, "/") && !strings.HasPrefix(pattern, rel+"/") {
			pattern = literal(rel) + "/" + strings.TrimPrefix(pattern, "./")
		}
		return Prepared{
			Look: Look{Title: globTitle(in.Pattern), Locations: placed(env, in.Path)},
			Run:  func(ctx context.Context, _ func(Progress)) (Result, error) { return runGlob(ctx, env, rel, pattern) },
		}, nil
	}
	return t
}

// placed returns the location of a path, or nil if it is "".
func placed(env *Env, name string) []acp.ToolCallLocation {
	if name == "" {
		return nil
	}
	return locations(env, name, 0)
}

func globTitle(pattern string) string {
	return strings.TrimSpace("Find files " + oneLine(strings.ReplaceAll(strings.TrimPrefix(pattern, "**/"), `\`, ""), 60))
}

// relPattern makes an absolute pattern relative to the folder.
func relPattern(env *Env, pattern string) string {
	if env.Folder != nil {
		if rest, ok := strings.CutPrefix(pattern, strings.TrimSuffix(env.Folder.Path(), "/")+"/"); ok {
			return rest
		}
	}
	return pattern
}

// literal returns a pattern that matches exactly rel.
func literal(rel string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(rel)
}

func runGlob(ctx context.Context, env *Env, rel, pattern string) (Result, error) {
	l, err := env.Folder.GlobBelow(ctx, rel, pattern)
	if err != nil {
		return Result{}, missing(ctx, env, rel, err)
	}
	var b strings.Builder
	for _, e := range l.Entries {
		b.WriteString(named(e) + "\n")
	}
	all := b.String()
	if all == "" {
		all = "No file or folder matches."
	}
	n := len(l.Entries)
	return listed(env, "glob.txt", l, all, "Found "+quantity.Count(n, "file", "files"), n), nil
}
