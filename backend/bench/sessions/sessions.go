// Package sessions measures the import of conversations that it writes as Claude Code does.
package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/service/imports"
	"weft/backend/sessionfiles"
)

// size is about how many bytes the file of a conversation has.
const size = 100_000

// Params say how much is imported.
type Params struct{ Conversations int }

// Result is what was measured.
type Result struct {
	Conversations, Imported, Known int
	Bytes                          int64   // of the files
	Seconds, Again                 float64 // of the import, and of another one when nothing has changed
	Held                           int64   // resident memory at its peak
	Database                       int64   // bytes of the database
}

// Import imports conversations that are written as Claude Code does.
func Import(p Params, resetPeak func(), peak func() int64) (r Result, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if r.Bytes, err = writeSessions(filepath.Join(dir, ".claude", "projects"), dir, p.Conversations); err != nil {
		return r, err
	}
	im, err := imports.Open(ctx, imports.Options{
		DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Log: zerolog.Nop(),
		Env: sessionfiles.Env{Home: dir, Getenv: func(string) string { return "" }},
	})
	if err != nil {
		return r, err
	}
	resetPeak()
	begin := time.Now()
	report, err := im.Conversations(ctx, imports.ConversationsFilter{Programs: []string{"claude"}}, false, nil)
	if err != nil {
		return r, err
	}
	r.Seconds, r.Held = time.Since(begin).Seconds(), peak()
	begin = time.Now()
	again, err := im.Conversations(ctx, imports.ConversationsFilter{Programs: []string{"claude"}}, false, nil)
	if err != nil {
		return r, err
	}
	r.Again = time.Since(begin).Seconds()
	r.Conversations, r.Imported, r.Known = p.Conversations, report.Programs[0].Imported, again.Programs[0].Known
	if err := im.Close(ctx); err != nil {
		return r, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "weft.db*"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			r.Database += info.Size()
		}
	}
	return r, err
}

// writer writes conversations as Claude Code keeps them.
type writer struct {
	out    *bufio.Writer
	rand   *rand.Rand
	cwd    string
	id     string
	last   string // the entry before
	at     time.Time
	n      int
	failed error
}

// writeSessions writes conversations, a few in each project.
func writeSessions(root, cwd string, n int) (written int64, err error) {
	r := rand.New(rand.NewPCG(17, 1))
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("-home-me-project%d", i/50))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return written, err
		}
		w := &writer{rand: r, cwd: cwd, at: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)}
		w.id = w.uuid()
		path := filepath.Join(dir, w.id+".jsonl")
		f, err := os.Create(path)
		if err != nil {
			return written, err
		}
		w.out = bufio.NewWriterSize(f, 64<<10)
		for w.n < size {
			w.turn()
		}
		if err := errors.Join(w.failed, w.out.Flush(), f.Close()); err != nil {
			return written, err
		}
		written += int64(w.n)
	}
	return written, nil
}

func (w *writer) uuid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", w.rand.Uint32(), w.rand.IntN(1<<16), w.rand.IntN(1<<12), w.rand.IntN(1<<12), w.rand.Int64N(1<<48))
}

var codeWords = strings.Fields(`func return const if else for range err nil string int64 map[string] := == != && "result" 'x' {\n}\n\t\t // total cart index value slice append len(list) context.Context
	export async await import from => <div> className=\"row\" naïve größer 日本語 the of and a reads writes file each which tests pass because when`)

// text is about so many bytes of what is in such files.
func (w *writer) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(codeWords[w.rand.IntN(len(codeWords))])
		b.WriteByte(" \n"[w.rand.IntN(12)/11])
	}
	return b.String()
}

type object = map[string]any

// entry writes an entry with what all have.
func (w *writer) entry(kind string, more object) {
	w.at = w.at.Add(time.Duration(w.rand.IntN(20_000)) * time.Millisecond)
	id := w.uuid()
	o := object{
		"parentUuid": nil, "isSidechain": false, "type": kind, "uuid": id, "timestamp": w.at.Format("2006-01-02T15:04:05.000Z"), "userType": "external",
		"entrypoint": "cli", "cwd": w.cwd, "sessionId": w.id, "version": "2.1.316", "gitBranch": "main",
	}
	if w.last != "" {
		o["parentUuid"] = w.last
	}
	for k, v := range more {
		o[k] = v
	}
	w.last = id
	line, err := json.Marshal(o)
	w.failed = errors.Join(w.failed, err)
	n, _ := w.out.Write(append(line, '\n'))
	w.n += n
}

func (w *writer) said(response string, block object) {
	w.entry("assistant", object{"requestId": w.uuid(), "message": object{
		"id": response, "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": []any{block}, "stop_reason": "tool_use", "stop_sequence": nil,
		"usage": object{"input_tokens": w.rand.IntN(9000), "cache_creation_input_tokens": w.rand.IntN(9000), "cache_read_input_tokens": w.rand.IntN(90000), "output_tokens": w.rand.IntN(900), "service_tier": "standard"},
	}})
}

// turn writes a prompt and what the agent does about it.
func (w *writer) turn() {
	w.entry("user", object{"message": object{"role": "user", "content": w.text(100 + w.rand.IntN(400))}, "permissionMode": "default"})
	w.entry("attachment", object{"attachment": object{"type": "todo_reminder", "content": w.text(600)}})
	for range 3 + w.rand.IntN(6) {
		response := "msg_" + w.uuid()
		w.said(response, object{"type": "thinking", "thinking": w.text(100 + w.rand.IntN(600)), "signature": strings.Repeat("c2ln", 60)})
		w.said(response, object{"type": "text", "text": w.text(50 + w.rand.IntN(400))})
		w.call(response)
	}
	w.said("msg_"+w.uuid(), object{"type": "text", "text": w.text(300 + w.rand.IntN(1500))})
}

// call writes a call and its result.
func (w *writer) call(response string) {
	id := "toolu_" + w.uuid()
	path := fmt.Sprintf("%s/src/file%d.go", w.cwd, w.rand.IntN(900))
	var name, told string
	var input, shown object
	switch w.rand.IntN(4) {
	case 0:
		name, told = "Edit", "The file "+path+" has been updated successfully."
		before, after := w.text(300), w.text(350)
		input = object{"file_path": path, "old_string": before, "new_string": after, "replace_all": false}
		lines := []string{" " + strings.ReplaceAll(w.text(80), "\n", " ")}
		for l := range strings.Lines(before) {
			lines = append(lines, "-"+strings.TrimSuffix(l, "\n"))
		}
		for l := range strings.Lines(after) {
			lines = append(lines, "+"+strings.TrimSuffix(l, "\n"))
		}
		shown = object{
			"filePath": path, "oldString": before, "newString": after, "originalFile": w.text(3000 + w.rand.IntN(6000)), "userModified": false, "replaceAll": false,
			"structuredPatch": []any{object{"oldStart": 1 + w.rand.IntN(300), "oldLines": 9, "newStart": 10, "newLines": 10, "lines": lines}},
		}
	case 1:
		name, told = "Bash", w.text(100+w.rand.IntN(2500))
		input = object{"command": "go test ./" + w.text(30), "description": "Run the tests"}
		shown = object{"stdout": told, "stderr": "", "interrupted": false, "isImage": false}
	default:
		body := w.text(800 + w.rand.IntN(5000))
		name, input = "Read", object{"file_path": path}
		var numbered strings.Builder
		n := 0
		for l := range strings.Lines(body) {
			n++
			fmt.Fprintf(&numbered, "%6d\t%s", n, l)
		}
		told = numbered.String()
		shown = object{"type": "text", "file": object{"filePath": path, "content": body, "numLines": n, "startLine": 1, "totalLines": n}}
	}
	w.said(response, object{"type": "tool_use", "id": id, "name": name, "input": input})
	w.entry("user", object{
		"message": object{"role": "user", "content": []any{object{"tool_use_id": id, "type": "tool_result", "content": told}}}, "toolUseResult": shown,
	})
}
