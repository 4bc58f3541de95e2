package guidemodel

import (
	"context"
	"encoding/json"
	"fmt"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/guide"
)

// The tools of the agent as the guide calls them, and what it reads of their results' data.

type (
	listInput struct {
		Path  string `json:"path"`
		Depth int    `json:"depth"` // 0: everything
	}
	globInput struct {
		Pattern string `json:"pattern"`
	}
	searchInput struct {
		Pattern    string `json:"pattern"`
		Glob       string `json:"glob,omitempty"`
		Literal    bool   `json:"literal,omitempty"`
		IgnoreCase bool   `json:"ignore_case,omitempty"`
	}
	readInput struct {
		Path string `json:"path"`
		From int    `json:"from,omitempty"`
		To   int    `json:"to,omitempty"`
	}
	readData struct {
		folder.Text
		Content string `json:"content"`
	}
	writeInput struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
)

// List implements guide.Turn.
func (t *turn) List(_ context.Context, dir string) (folder.Listing, error) {
	return use[folder.Listing](t, "list", listInput{Path: dir})
}

// Glob implements guide.Turn.
func (t *turn) Glob(_ context.Context, pattern string) (folder.Listing, error) {
	return use[folder.Listing](t, "glob", globInput{pattern})
}

// Search implements guide.Turn.
func (t *turn) Search(_ context.Context, q folder.Query) (folder.Found, error) {
	return use[folder.Found](t, "search", searchInput{Pattern: q.Pattern, Glob: q.Glob, Literal: !q.Regexp, IgnoreCase: !q.Case})
}

// Read implements guide.Turn.
func (t *turn) Read(_ context.Context, path string, from, to int) (folder.Text, error) {
	if from <= 1 {
		from = 0
	}
	d, err := use[readData](t, "read", readInput{path, from, to})
	d.Text.Content = d.Content
	return d.Text, err
}

// Write implements guide.Turn. That the file still is what the edit was worked out from is the tool's to check: it
// knows what was read.
func (t *turn) Write(_ context.Context, e guide.Edit) error {
	_, err := t.call("write", writeInput{e.Path, e.Content})
	return err
}

func use[T any](t *turn, tool string, input any) (T, error) {
	var out T
	data, err := t.call(tool, input)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("what the tool %q returned cannot be read", tool)
	}
	return out, nil
}
