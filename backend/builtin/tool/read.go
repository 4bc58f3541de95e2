package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
	"weft/backend/llm"
)

// Limits of reading, in bytes.
const (
	maxEdit     = 8 << 20 // a file that can be edited
	maxLine     = 2000    // a line for the model
	maxFileName = 64      // a file name for the provider
)

// ReadData is the [Result.Data] of the read tool for a text file.
type ReadData struct {
	folder.Text
	Content string `json:"content"`
}

type readInput struct {
	Path string `json:"path"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

func readTool() Tool {
	p := params{
		{name: "path", kind: stringField, required: true, doc: "File to read, relative to the session's folder or absolute inside it."},
		{name: "from", kind: numberField, doc: "First line, counted from 1. Default 1."},
		{name: "to", kind: numberField, doc: "Last line. Default: the end."},
	}
	t := described("read", "Read a file. A text comes with line numbers and a tab before each line, which aren't part of the file; a long one is cut, with how to continue. Images and PDF documents are shown as such.",
		acp.ToolKindRead, Reads, p)
	t.Look = func(env *Env, fields map[string]json.RawMessage) Look {
		var in readInput
		_ = json.Unmarshal(fields["from"], &in.From)
		_ = json.Unmarshal(fields["to"], &in.To)
		name, ok := textField(fields, "path")
		if !ok {
			return Look{Title: "Read"}
		}
		in.Path = name
		return readLook(env, in)
	}
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in readInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		if in.To > 0 && in.To < in.From {
			return Prepared{}, failf("`to` (%d) is before `from` (%d).", in.To, in.From)
		}
		if env.Kept != nil {
			if file, ok := env.Kept(in.Path); ok {
				return Prepared{
					Look: Look{Title: readTitle(shortName(env, in.Path), in)},
					Run:  func(context.Context, func(Progress)) (Result, error) { return readKept(env, file, in) },
				}, nil
			}
		}
		rel, err := relOf(env, in.Path)
		if err != nil {
			return Prepared{}, err
		}
		in.Path = rel
		return Prepared{
			Look: readLook(env, in),
			Run:  func(ctx context.Context, _ func(Progress)) (Result, error) { return runRead(ctx, env, in) },
		}, nil
	}
	return t
}

func readLook(env *Env, in readInput) Look {
	return Look{Title: readTitle(shortName(env, in.Path), in), Locations: locations(env, in.Path, in.From)}
}

func readTitle(name string, in readInput) string {
	title := "Read " + name
	switch {
	case in.To > 0:
		title += fmt.Sprintf(" (lines %d–%d)", max(in.From, 1), in.To)
	case in.From > 1:
		title += fmt.Sprintf(" (from line %d)", in.From)
	}
	return title
}

func runRead(ctx context.Context, env *Env, in readInput) (Result, error) {
	rel := in.Path
	info, err := env.Folder.Stat(rel)
	switch {
	case err != nil:
		return Result{}, missing(ctx, env, rel, err)
	case info.IsDir():
		return Result{}, failf("%s is a folder. Use the list tool to see what is in it.", rel)
	}
	if err := env.allowed(ctx, rel); err != nil {
		return Result{}, err
	}
	start, err := env.Folder.Head(rel)
	if err != nil {
		return Result{}, failure(err)
	}
	switch mime := kindOf(start); {
	case strings.HasPrefix(mime, "image/"):
		return readImage(env, rel, mime)
	case mime == "application/pdf":
		return readPDF(env, rel)
	case folder.IsBinary(start):
		return Result{}, failf("%s is a binary file (%s), not text: %s. It can't be read; a command may tell more about it.", rel, quantity.Bytes(info.Size()), mime)
	}
	if info.Size() > maxEdit {
		text, err := env.Folder.Read(rel, in.From, in.To)
		if err != nil {
			return Result{}, failure(err)
		}
		return readResult(rel, text), nil
	}
	content, err := current(ctx, env, rel)
	if err != nil {
		return Result{}, ended(ctx, err)
	}
	env.note(rel, content)
	return readResult(rel, folder.TextOf(rel, content, in.From, in.To)), nil
}

// note records that the model knows the file's current content.
func (env *Env) note(rel, content string) {
	if env.Seen != nil {
		env.Seen.Note(rel, content)
	}
}

// current returns the whole text of a file: from the client, with unsaved changes of its editor, or else from disk.
func current(ctx context.Context, env *Env, rel string) (string, error) {
	disk, err := env.Folder.ReadAll(rel, maxEdit)
	if errors.Is(err, folder.ErrBinary) {
		return "", failf("%s is a binary file, not text.", rel)
	}
	if err != nil || env.Client == nil {
		return disk, err
	}
	if err := env.allowed(ctx, rel); err != nil {
		return "", err
	}
	if !env.Client.ReadsFiles() {
		return disk, nil
	}
	// Reading from disk has checked that the file is inside the folder.
	content, err := env.Client.ReadTextFile(ctx, env.Folder.Abs(rel))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil, len(content) > maxEdit:
		return disk, nil //nolint:nilerr // the client doesn't have the file
	case !utf8.ValidString(disk) && strings.ToValidUTF8(disk, "\uFFFD") == content:
		return disk, nil // equal, except for bytes that JSON can't represent
	}
	return content, nil
}

// readKept reads a kept result that was too long for the model.
func readKept(env *Env, file string, in readInput) (Result, error) {
	kept, err := folder.Open(filepath.Dir(file))
	if err != nil {
		return Result{}, failf("The stored output no longer exists.")
	}
	defer kept.Close()
	text, err := kept.Read(filepath.Base(file), in.From, in.To)
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, failf("The stored output no longer exists.")
	}
	if err != nil {
		return Result{}, failure(err)
	}
	text.Path = shortName(env, in.Path)
	return readResult(in.Path, text), nil
}

func readResult(name string, text folder.Text) Result {
	n := 0
	if text.From > 0 {
		n = text.To - text.From + 1
	}
	summary := fault.Counted(n, "Read 1 line", "Read {{n}} lines").String()
	if !text.Whole() {
		summary += fmt.Sprintf(" of %d", text.TotalLines)
	}
	return Result{
		Parts: []llm.Part{llm.Text{Text: numbered(name, text)}}, Content: shownText(language(name), text.Content),
		Summary: summary, Count: n, Data: ReadData{Text: text, Content: text.Content},
		Output: map[string]any{
			"path": text.Path, "from": text.From, "to": text.To, "totalLines": text.TotalLines, "size": text.Size, "cut": text.Cut,
		},
	}
}

// language returns the info string of a Markdown code block for the file.
func language(file string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	switch base := strings.ToLower(path.Base(file)); {
	case ext == "txt":
		return ""
	case strings.HasSuffix(base, "makefile"):
		return "makefile"
	case base == "dockerfile":
		return "dockerfile"
	}
	return ext
}

// numbered returns a text with line numbers for the model. It truncates long lines.
func numbered(name string, text folder.Text) string {
	switch {
	case text.Size == 0:
		return name + " is empty."
	case text.Content == "":
		return fmt.Sprintf("%s has only %s.", name, quantity.Count(text.TotalLines, "line", "lines"))
	}
	var b strings.Builder
	n := text.From
	for line := range strings.Lines(text.Content) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			line = head(line, maxLine) + fmt.Sprintf("… (%d more bytes in this line)", len(line)-maxLine)
		}
		if b.Len()+len(line) > maxModelText-200 {
			break
		}
		fmt.Fprintf(&b, "%6d\t%s\n", n, line)
		n++
	}
	switch last := n - 1; {
	case last < text.To || text.Cut:
		fmt.Fprintf(&b, "… cut here: lines %d to %d of %s. Continue with from: %d.\n", text.From, last, total(text), n)
	case last < text.TotalLines:
		fmt.Fprintf(&b, "(lines %d to %d of %s)\n", text.From, last, total(text))
	}
	return b.String()
}

func total(text folder.Text) string {
	if text.Uncounted {
		return fmt.Sprintf("more than %d", text.TotalLines)
	}
	return fmt.Sprint(text.TotalLines)
}

// fileName returns the last element of a path for the provider.
func fileName(rel string) string { return head(path.Base(rel), maxFileName) }
