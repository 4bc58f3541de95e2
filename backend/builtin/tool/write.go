package tool

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/llm"
)

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeTool() Tool {
	p := params{
		{name: "path", kind: stringField, required: true, doc: "File to write, relative to the session's folder or absolute inside it. Folders that are missing are created."},
		{name: "content", kind: stringField, required: true, doc: "The whole new content of the file."},
	}
	t := described("write", "Create a file, or replace all of an existing one, which must have been read before. To change a part, use edit.", acp.ToolKindEdit, Edits, p)
	t.Look = looked(writeTitle)
	t.Prepare = func(ctx context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in writeInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		return prepareWrite(ctx, env, in)
	}
	return t
}

func writeTitle(name string) string {
	if name == "" {
		return "Write a file"
	}
	return "Write " + name
}

func prepareWrite(ctx context.Context, env *Env, in writeInput) (Prepared, error) {
	rel, err := relOf(env, in.Path)
	if err != nil {
		return Prepared{}, err
	}
	if err := changeable(env, rel); err != nil {
		return Prepared{}, err
	}
	if len(in.Content) > maxEdit {
		return Prepared{}, failf("The content is longer than %s.", quantity.Bytes(maxEdit))
	}
	c := change{rel: rel, now: in.Content}
	old, err := current(ctx, env, rel)
	switch {
	case ctx.Err() != nil:
		return Prepared{}, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		c.created = true
		return c.prepared(env, "Create "+shortName(env, rel)), nil
	case err != nil:
		return Prepared{}, failure(err)
	}
	if err := known(env, rel, old); err != nil {
		return Prepared{}, err
	}
	if old == in.Content {
		return unchanged(env, rel), nil
	}
	c.old = old
	return c.prepared(env, writeTitle(shortName(env, rel))), nil
}

// unchanged returns a prepared write that does nothing, because the file already has the content.
func unchanged(env *Env, rel string) Prepared {
	return Prepared{
		Look: Look{Title: writeTitle(shortName(env, rel)), Locations: locations(env, rel, 0)},
		Run: func(context.Context, func(Progress)) (Result, error) {
			summary := fault.Text("{{file}} has that content already", rel)
			return Result{
				Parts: []llm.Part{llm.Text{Text: summary + "."}}, Summary: summary, Data: WriteData{Path: rel},
				Output: map[string]any{"path": rel, "added": 0, "removed": 0, "created": false},
			}, nil
		},
	}
}
