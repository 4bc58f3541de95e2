package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/quantity"
)

type editInput struct {
	Path       string `json:"path"`
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

func editTool() Tool {
	p := params{
		{name: "path", kind: stringField, required: true, doc: "File to edit, relative to the session's folder or absolute inside it. Read it first."},
		{name: "old_string", kind: stringField, required: true, doc: "The text to replace, exactly as it is in the file, with its indentation and without line numbers. It must occur once: give enough lines around."},
		{name: "new_string", kind: stringField, required: true, doc: "What takes its place; empty deletes."},
		{name: "replace_all", kind: boolField, doc: "Replace every occurrence instead of exactly one."},
	}
	t := described("edit", "Replace text in a file.", acp.ToolKindEdit, Edits, p)
	t.Look = looked(editTitle)
	t.Prepare = func(ctx context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in editInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		return prepareEdit(ctx, env, in)
	}
	return t
}

func editTitle(name string) string {
	if name == "" {
		return "Edit a file"
	}
	return "Edit " + name
}

func prepareEdit(ctx context.Context, env *Env, in editInput) (Prepared, error) {
	rel, err := relOf(env, in.Path)
	if err != nil {
		return Prepared{}, err
	}
	if err := changeable(env, rel); err != nil {
		return Prepared{}, err
	}
	info, err := env.Folder.Stat(rel)
	switch {
	case err != nil:
		return Prepared{}, missing(ctx, env, rel, err)
	case info.Size() > maxEdit:
		return Prepared{}, failf("%s is too large to be edited here (%s). Use a command.", rel, quantity.Bytes(info.Size()))
	}
	old, err := current(ctx, env, rel)
	if err != nil {
		return Prepared{}, ended(ctx, err)
	}
	if err := known(env, rel, old); err != nil {
		return Prepared{}, err
	}
	now, at, err := replaced(rel, old, in)
	if err != nil {
		return Prepared{}, err
	}
	c := change{rel: rel, old: old, now: now, line: 1 + strings.Count(old[:at], "\n")}
	return c.prepared(env, editTitle(shortName(env, rel))), nil
}

// replaced applies the edit and returns the offset of the first replacement. In a file with CRLF line ends, it converts
// the line ends of the input strings to CRLF.
func replaced(rel, content string, in editInput) (now string, at int, err error) {
	from, to := in.OldString, in.NewString
	if crlf(content) {
		from, to = toCRLF(from), toCRLF(to)
	}
	switch from {
	case "":
		return "", 0, failf("`old_string` is empty. Give the text to replace; to fill a file, use the write tool.")
	case to:
		return "", 0, failf("`old_string` and `new_string` are the same, so there is nothing to change.")
	}
	n := strings.Count(content, from)
	if n == 0 && strings.Contains(from, "\n") {
		// The file may have mixed line ends: try the other ones.
		if other := toCRLF(from); other != from && strings.Contains(content, other) {
			from, to = other, toCRLF(to)
		} else if other := strings.ReplaceAll(from, "\r\n", "\n"); other != from {
			from, to = other, strings.ReplaceAll(to, "\r\n", "\n")
		}
		n = strings.Count(content, from)
	}
	if n == 0 {
		return "", 0, notFound(rel, content, in.OldString)
	}
	if overlapping := occurrences(content, from); overlapping > 1 && !in.ReplaceAll {
		return "", 0, failf("`old_string` occurs %d times in %s, at lines %s. Give more of the lines around the one you mean, or set replace_all.", overlapping, rel, places(content, from))
	}
	return strings.ReplaceAll(content, from, to), strings.Index(content, from), nil
}

// crlf reports whether all line ends of s are CRLF.
func crlf(s string) bool {
	n := strings.Count(s, "\n")
	return n > 0 && strings.Count(s, "\r\n") == n
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// occurrences counts the occurrences of part, including overlapping ones, up to 1000.
func occurrences(s, part string) int {
	n, at := 0, 0
	for n < 1000 {
		i := strings.Index(s[at:], part)
		if i < 0 {
			break
		}
		n++
		at += i + 1
	}
	return n
}

// places returns the numbers of the lines where part begins.
func places(s, part string) string {
	var out []string
	line, at := 1, 0
	for {
		i := strings.Index(s[at:], part)
		if i < 0 {
			break
		}
		if len(out) == 10 {
			out = append(out, "…")
			break
		}
		line += strings.Count(s[at:at+i], "\n")
		out = append(out, fmt.Sprint(line))
		line += strings.Count(s[at+i:at+i+1], "\n")
		at += i + 1
	}
	return strings.Join(out, ", ")
}
