package qwen

import (
	"context"
	"hash/maphash"
	"path/filepath"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/interchange/sessionfiles/parts"
)

var seed = maphash.MakeSeed()

// reader reads one conversation.
type reader struct {
	ctx    context.Context //nolint:containedctx // lives for one call
	w      *sessionfiles.Writer
	tree   *sessionfiles.Tree
	path   string
	meta   sessionfiles.Meta
	folder string
	depth  int // of the sub-agent that is being written
	broken int
	nested map[string]bool // files of the sub-agents that are being written
}

// Read implements [sessionfiles.Program].
func (Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	file, err := sessionfiles.Open(src.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := &reader{ctx: ctx, w: w, tree: sessionfiles.NewTree(), path: src.Path, meta: sessionfiles.Meta{Session: src.Session}, nested: map[string]bool{}}
	if err := sessionfiles.Lines(file, r.index); err != nil {
		return err
	}
	r.folder = r.meta.Folder
	if err := r.tree.Write(ctx, file, w, r.meta, r.entry); err != nil {
		return err
	}
	w.Broken(r.broken)
	return nil
}

// index finds out how the entries hang together.
func (r *reader) index(l *sessionfiles.Line) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if l.Text == nil {
		return r.tree.AddLarge(l)
	}
	if l.Text[0] != '{' || l.Text[len(l.Text)-1] != '}' || l.Torn && !scan.Valid(l.Text) {
		if !l.Torn {
			r.broken++
		}
		return nil
	}
	e := sessionfiles.Entry{Offset: l.Offset, Size: l.Size}
	side, kind := false, ""
	for name, v := range scan.Fields(l.Text) {
		switch string(name) {
		case "uuid":
			e.ID = sessionfiles.ReadEntryID(sessionfiles.Quoted(v))
		case "parentUuid":
			e.Parent = sessionfiles.ReadEntryID(sessionfiles.Quoted(v))
		case "timestamp":
			e.At = sessionfiles.Millis(v)
		case "type":
			switch kind = string(sessionfiles.Quoted(v)); kind {
			case "user":
				e.Kind = sessionfiles.EntryPrompt
			case "assistant":
				e.Kind = sessionfiles.EntrySaid
			}
		case "subtype":
			e.Kind = sessionfiles.EntryBeside // a note of the program
		case "cwd":
			if r.meta.Folder == "" {
				r.meta.Folder = sessionfiles.Text(v)
			}
		case "isSidechain":
			side = sessionfiles.Truth(v)
		case "systemPayload":
			if title := sessionfiles.Members(v).Text("customTitle"); title != "" {
				r.meta.Title = title
			}
		}
	}
	if r.meta.Started == 0 {
		r.meta.Started = e.At
	}
	switch {
	case side:
		return nil
	case e.ID == sessionfiles.NoEntry && !scan.Valid(l.Text):
		r.broken++
		return nil
	case e.ID == sessionfiles.NoEntry && kind == "":
		return nil
	case e.ID == sessionfiles.NoEntry:
		e = sessionfiles.Unnamed(e)
	}
	e.Sum = maphash.Bytes(seed, l.Text)
	e.Response = uint64(l.Offset) // each response is one entry
	return r.tree.Add(e)
}

// entry writes an entry of a path.
func (r *reader) entry(e *sessionfiles.Entry, text []byte) error {
	key := string(e.ID[:])
	if text == nil {
		return r.w.TooLarge(key)
	}
	text, ok := sessionfiles.Clean(text, r.w)
	if !ok {
		r.broken++
		return nil
	}
	o := sessionfiles.Members(text)
	content := scan.Member(o["message"], "parts")
	switch kind := string(sessionfiles.Quoted(o["type"])); {
	case kind == "user" && o["subtype"] == nil:
		s := parts.Said(content)
		if parts.Foreign(s) && !strings.Contains(string(content), `"inlineData"`) {
			return nil
		}
		if err := r.w.Prompt(key); err != nil {
			return err
		}
		parts.Write(r.w, content, r.folder)
		payload := sessionfiles.Members(o["systemPayload"])
		for _, link := range scan.Elements(payload["resourceLinks"]) {
			if l := sessionfiles.Members(link); l.Text("uri") != "" {
				r.w.Block(sessionfiles.Link(l.Text("name"), l.Text("uri"), l.Text("mimeType")))
			}
		}
	case kind == "user":
		r.notice(parts.Said(content))
	case kind == "assistant":
		if err := r.w.Turn(key, o.Text("model")); err != nil {
			return err
		}
		parts.Write(r.w, content, r.folder)
		return r.subAgents(content)
	case kind == "tool_result":
		r.result(o, content)
	case kind == "system" && string(sessionfiles.Quoted(o["subtype"])) == "chat_compression":
		if err := r.w.Turn(key, ""); err != nil {
			return err
		}
		r.w.Says(sessionfiles.Compacted)
	}
	return nil
}

// notice takes what a sub-agent has come to, which is told when it is done.
func (r *reader) notice(s string) {
	id := sessionfiles.Inner(s, "tool-use-id")
	if result := sessionfiles.Inner(s, "result"); result != "" && r.w.HasCall(id) {
		r.w.Call(transcript.ToolPatch{ID: id, Content: &[]transcript.Content{sessionfiles.Said(result)}})
	}
}

// result writes the results of calls.
func (r *reader) result(o sessionfiles.Object, content []byte) {
	told := sessionfiles.Members(o["toolCallResult"])
	for _, part := range scan.Elements(content) {
		f := sessionfiles.Members(scan.Member(part, "functionResponse"))
		if f == nil {
			continue
		}
		id := f.Text("id")
		if id == "" {
			id = told.Text("callId")
		}
		if id == "" {
			id = r.w.Answered(f.Text("name"))
		}
		parts.Result(r.w, id, told.Text("status"), f["response"], told["resultDisplay"], r.folder)
	}
}

// subAgents writes what sub-agents have done for the calls of a response.
func (r *reader) subAgents(content []byte) error {
	if r.depth > 3 {
		return nil
	}
	dir := filepath.Join(filepath.Dir(filepath.Dir(r.path)), "subagents", r.meta.Session)
	for _, part := range scan.Elements(content) {
		c := sessionfiles.Members(scan.Member(part, "functionCall"))
		if name := c.Text("name"); name != "agent" && name != "task" {
			continue
		}
		id := c.Text("id")
		if id == "" || strings.ContainsAny(id, `/\*?[`) {
			continue
		}
		found, err := filepath.Glob(filepath.Join(sessionfiles.Pattern(dir), "agent-*"+id+".jsonl"))
		if err != nil || len(found) == 0 {
			continue
		}
		if err := r.subAgent(id, found[0]); err != nil {
			return err
		}
	}
	return nil
}

// subAgent writes the entries of a file below a call.
func (r *reader) subAgent(id, path string) error {
	if r.nested[path] {
		return nil
	}
	f, err := sessionfiles.Open(path)
	if err != nil {
		r.w.Note(sessionfiles.PartOfSubAgent)
		return nil // the conversation is there without it
	}
	r.nested[path] = true // files of sub-agents may name each other in a circle
	defer delete(r.nested, path)
	defer f.Close()
	was := r.w.Under(id)
	defer r.w.Under(was)
	r.depth++
	defer func() { r.depth-- }()
	return sessionfiles.Lines(f, func(l *sessionfiles.Line) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		text, ok := sessionfiles.Clean(l.Text, r.w)
		if l.Text == nil || !ok {
			if !l.Torn {
				r.w.Note(sessionfiles.PartOfSubAgent)
			}
			return nil
		}
		o := sessionfiles.Members(text)
		r.w.Inner(o["uuid"])
		content := scan.Member(o["message"], "parts")
		switch string(sessionfiles.Quoted(o["type"])) {
		case "assistant":
			parts.Write(r.w, content, r.folder)
			if err := r.subAgents(content); err != nil {
				return err
			}
		case "tool_result":
			r.result(o, content)
		}
		return r.w.Flush()
	})
}
