package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/llm"
	"weft/backend/permission/files"
)

// Limits of a shown change.
const (
	maxDiffText = 1 << 20  // bytes of a file that is shown whole
	maxDiffed   = 64 << 10 // bytes of a change to a larger file
)

// WriteData is the [Result.Data] of the write and edit tools.
type WriteData struct {
	Path    string `json:"path"`
	Created bool   `json:"created"`
}

// change is a proposed change of one file.
type change struct {
	rel      string
	created  bool // the file doesn't exist yet
	old, now string
	line     int // first changed line
}

// prepared returns a call that shows the change and makes it, unless the file has changed in the meantime.
func (c change) prepared(env *Env, title string) Prepared {
	return Prepared{
		Look:   Look{Title: title, Locations: locations(env, c.rel, c.line)},
		Effect: Edits, Grant: "edit", GrantName: fault.Say("Allow all edits in this session"),
		Content: c.diff(env),
		Run:     func(ctx context.Context, _ func(Progress)) (Result, error) { return c.run(ctx, env) },
	}
}

func (c change) diff(env *Env) []acp.ToolCallContent {
	at := env.Folder.Abs(c.rel)
	switch {
	case len(c.old) > maxDiffText || len(c.now) > maxDiffText:
		return []acp.ToolCallContent{textContent(fenced("diff", head(c.unified(), maxDiffed)))}
	case c.created:
		return []acp.ToolCallContent{acp.ToolDiffContent(at, c.now)}
	}
	return []acp.ToolCallContent{acp.ToolDiffContent(at, c.now, c.old)}
}

// unified returns a diff. For a large file it has all lines between the first and the last change, because the diff
// algorithm is quadratic in the size of the difference.
func (c change) unified() string {
	if len(c.old)+len(c.now) <= 2*maxDiffText {
		return udiff.Unified(c.rel, c.rel, c.old, c.now)
	}
	start, oldEnd, newEnd := c.differs()
	return fmt.Sprintf("@@ line %d @@\n", 1+strings.Count(c.old[:start], "\n")) + prefixed("-", c.old[start:oldEnd]) + prefixed("+", c.now[start:newEnd])
}

// differs returns the range in which the texts differ, in whole lines.
func (c change) differs() (start, oldEnd, newEnd int) {
	for start < len(c.old) && start < len(c.now) && c.old[start] == c.now[start] {
		start++
	}
	oldEnd, newEnd = len(c.old), len(c.now)
	for oldEnd > start && newEnd > start && c.old[oldEnd-1] == c.now[newEnd-1] {
		oldEnd, newEnd = oldEnd-1, newEnd-1
	}
	start = strings.LastIndexByte(c.old[:start], '\n') + 1
	rest := strings.IndexByte(c.old[oldEnd:], '\n') + 1
	if rest == 0 {
		rest = len(c.old) - oldEnd
	}
	return start, oldEnd + rest, newEnd + rest
}

func prefixed(sign, s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(sign + line)
		if b.Len() > maxDiffed {
			break
		}
	}
	if s != "" && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// counted returns the number of added and removed lines.
func (c change) counted() (added, removed int) {
	if len(c.old)+len(c.now) > 2*maxDiffText {
		start, oldEnd, newEnd := c.differs()
		return lines(c.now[start:newEnd]), lines(c.old[start:oldEnd])
	}
	for line := range strings.SplitSeq(udiff.Unified("", "", c.old, c.now), "\n") {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// still returns an error if the file no longer has the content that the change expects.
func (c change) still(ctx context.Context, env *Env) error {
	if err := env.Folder.CheckCreatable(c.rel); err != nil {
		return failure(err)
	}
	content, err := current(ctx, env, c.rel)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.created && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failure(err)
	case c.created:
		return failf("%s already exists, so it wasn't created. Read it first.", c.rel)
	case content != c.old:
		return failf("%s has changed since this edit was prepared, so nothing was written. Read it again.", c.rel)
	}
	return nil
}

func (c change) run(ctx context.Context, env *Env) (Result, error) {
	if err := c.still(ctx, env); err != nil {
		return Result{}, err
	}
	if err := c.write(ctx, env); err != nil {
		return Result{}, ended(ctx, err)
	}
	env.note(c.rel, c.now)
	added, removed := c.counted()
	summary := fault.Text("+{{n}} −{{n2}} in {{where}}", added, removed, c.rel)
	if c.created {
		summary = fault.Text("Created {{file}}, 1 line", c.rel)
		if n := lines(c.now); n != 1 {
			summary = fault.Text("Created {{file}}, {{n}} lines", c.rel, n)
		}
	}
	return Result{
		Parts: []llm.Part{llm.Text{Text: summary + "."}}, Summary: summary, Count: added + removed,
		Output: map[string]any{"path": c.rel, "added": added, "removed": removed, "created": c.created},
		Data:   WriteData{Path: c.rel, Created: c.created},
	}, nil
}

// write writes the file, through the client if it offers that, so that its editor is up to date.
func (c change) write(ctx context.Context, env *Env) error {
	if env.Client == nil || !env.Client.WritesFiles() || !env.Client.Permits() {
		// A client that decides about writes creates the folders itself, once it has allowed the write.
		if err := env.Folder.MakeDirs(c.rel); err != nil {
			return err
		}
	}
	if env.Client == nil || !env.Client.WritesFiles() {
		return env.Folder.Write(c.rel, c.now)
	}
	if !utf8.ValidString(c.now) {
		return failf("%s isn't valid UTF-8, so it can't be passed to the client.", c.rel)
	}
	if err := env.Client.WriteTextFile(ctx, env.Folder.Abs(c.rel), c.now); err != nil {
		return &Error{Message: sentence(fmt.Sprintf("the client didn't write %s: %v", c.rel, err)), Err: err}
	}
	return nil
}

// changeable returns an error for a path that no tool may write.
func changeable(env *Env, rel string) error {
	if rel == "." {
		return failf("`path` has to name a file.")
	}
	if err := env.Folder.CheckCreatable(rel); err != nil {
		return failure(err)
	}
	// Files in there control what git runs.
	if files.InGitFolder(env.Folder.Abs(rel)) {
		return failf("%s belongs to git itself and isn't edited. Use git commands.", rel)
	}
	return nil
}

// known returns an error if the model hasn't read the file's current content.
func known(env *Env, rel, content string) error {
	if env.Seen == nil {
		return nil
	}
	switch seen, same := env.Seen.Knows(rel, content); {
	case !seen:
		return failf("%s hasn't been read in this session. Read it first, then change it.", rel)
	case !same:
		return failf("%s has changed since it was last read. Read it again, then change it.", rel)
	}
	return nil
}
