package opencode

import (
	"context"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// reader reads one conversation.
type reader struct {
	ctx      context.Context //nolint:containedctx // lives for one call
	w        *sessionfiles.Writer
	from     origin
	meta     sessionfiles.Meta
	depth    int             // of the sub-agent that is being written
	nested   map[string]bool // sessions of the sub-agents that are being written
	broken   int             // records that are damaged
	reverted string
	changed  int64 // unix ms, when the conversation has changed last
	now      int64
}

// Read implements [sessionfiles.Program].
func (p *Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	r := &reader{ctx: ctx, w: w, meta: sessionfiles.Meta{Session: src.Session, Title: src.Title, Folder: src.Folder}, changed: src.Changed, now: w.Now()}
	if i := strings.LastIndex(src.Path, ".db#"); i >= 0 {
		db, err := p.copies.get(ctx, src.Path[:i+len(".db")])
		if err != nil {
			return err
		}
		r.from = database{db}
	} else {
		r.from = files{storage: filepath.Dir(filepath.Dir(filepath.Dir(src.Path))), session: src.Path}
	}
	r.reverted = r.from.reverted(ctx, src.Session)
	err := r.conversation(src.Session)
	w.Count(r.broken, "1 record is damaged and was left out.", "{{n}} records are damaged and were left out.")
	if err != nil || !w.Begun() {
		return err
	}
	return w.Close()
}

// conversation writes the messages of a conversation.
func (r *reader) conversation(session string) error {
	over := false
	return r.from.messages(r.ctx, session, func(m *record) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if m.damaged {
			r.broken++
			return nil
		}
		if m.kind != "" {
			return r.newer(m)
		}
		if over = over || r.depth == 0 && m.id == r.reverted && r.reverted != ""; over {
			r.w.Note(fault.Say("Undone messages were left out."))
			return nil
		}
		return r.older(m)
	})
}

// writing is for how long after its last change a message without an end may still be written, in ms.
const writing = 10 * 60_000

// older writes a message of version 1, whose parts are apart.
func (r *reader) older(m *record) error {
	o := sessionfiles.Members(m.data)
	role := string(sessionfiles.Quoted(o["role"]))
	if m.data == nil {
		return r.large(m.id, m.at)
	}
	time := sessionfiles.Members(o["time"])
	if role == "assistant" && time["completed"] == nil && o["error"] == nil && r.now-r.changed < writing && r.depth == 0 {
		return nil // it is added when it is complete
	}
	if path := sessionfiles.Members(o["path"]).Text("cwd"); path != "" && r.meta.Folder == "" {
		r.meta.Folder = path
	}
	begun := false
	err := r.from.parts(r.ctx, m.id, func(p *record) error {
		if p.damaged {
			r.broken++
			return nil
		}
		part := sessionfiles.Members(p.data)
		if p.data != nil && !r.shows(role, part) {
			return nil
		}
		if err := r.w.Only(r.meta, p.id+" "+sessionfiles.Members(part["state"]).Text("status"), p.at); err != nil {
			return err
		}
		if p.data == nil {
			if err := r.turn(m.id, role, o); err != nil {
				return err
			}
			r.w.Says(fault.Say("A part that is larger than {{max}} MB was left out.", 16))
			return r.w.Flush()
		}
		if !begun {
			begun = true
			if err := r.turn(m.id, role, o); err != nil {
				return err
			}
		}
		if err := r.part(part); err != nil {
			return err
		}
		return r.w.Flush()
	})
	if err != nil {
		return err
	}
	return r.failed(m, o["error"])
}

// failed writes why a message has ended early.
func (r *reader) failed(m *record, v []byte) error {
	e := sessionfiles.Members(v)
	if e == nil || r.depth > 0 {
		return nil
	}
	if err := r.w.Only(r.meta, m.id+" error", m.at); err != nil {
		return err
	}
	if strings.Contains(e.Text("name", "type"), "Abort") {
		r.w.Stop("cancelled")
		return r.w.Flush()
	}
	s := e.Text("message")
	if s == "" {
		s = sessionfiles.Members(e["data"]).Text("message")
	}
	if s == "" {
		return r.w.Flush()
	}
	if err := r.w.Turn(m.id, ""); err != nil {
		return err
	}
	r.w.Remark(s)
	return r.w.Flush()
}

func (r *reader) large(id string, at int64) error {
	if err := r.w.Only(r.meta, id, at); err != nil || r.depth > 0 {
		return err
	}
	if err := r.w.TooLarge(id); err != nil {
		return err
	}
	return r.w.Flush()
}

// turn begins a message, unless it is that of a sub-agent.
func (r *reader) turn(id, role string, o sessionfiles.Object) error {
	switch {
	case r.depth > 0:
		return nil
	case role == "user":
		return r.w.Prompt(id)
	}
	switch o.Text("finish") {
	case "length":
		r.w.Stop("max_tokens")
	case "content-filter":
		r.w.Stop("refusal")
	default:
		r.w.Stop("")
	}
	return r.w.Turn(id, o.Text("modelID"))
}

// shows reports whether a part adds something.
func (r *reader) shows(role string, p sessionfiles.Object) bool {
	if r.depth > 0 && role == "user" {
		return false
	}
	switch string(sessionfiles.Quoted(p["type"])) {
	case "text":
		return !sessionfiles.Truth(p["synthetic"]) && !sessionfiles.Truth(p["ignored"]) && p.Text("text") != ""
	case "reasoning", "tool", "file", "compaction", "retry":
		return true
	}
	return false
}

// part writes a part of a message.
func (r *reader) part(p sessionfiles.Object) error {
	switch string(sessionfiles.Quoted(p["type"])) {
	case "text":
		r.w.Text(p.Text("text"))
	case "reasoning":
		r.w.Thought(p.Text("text"))
	case "file":
		r.file(p)
	case "compaction":
		r.w.Says(sessionfiles.Compacted)
	case "retry":
		r.w.Remark(sessionfiles.Members(sessionfiles.Members(p["error"])["data"]).Text("message"))
	case "tool":
		state := sessionfiles.Members(p["state"])
		return r.tool(p.Text("callID"), p.Text("tool"), state, sessionfiles.Members(state["metadata"]), state.Text("output"))
	}
	return nil
}

func (r *reader) file(p sessionfiles.Object) {
	url, mime := p.Text("url", "uri"), p.Text("mime", "mimeType")
	if kind, data, ok := sessionfiles.DataURL(url); ok {
		if c, ok := sessionfiles.Picture(kind, data); ok {
			r.w.Block(c)
			return
		}
		url = ""
	}
	name := p.Text("filename", "name")
	if url == "" {
		url = "file:" + name
	}
	r.w.Block(sessionfiles.Link(name, url, mime))
}

// newer writes a message of version 2, which is whole.
func (r *reader) newer(m *record) error {
	if m.data == nil {
		return r.large(m.id, m.at)
	}
	o := sessionfiles.Members(m.data)
	switch m.kind {
	case "user":
		if r.depth > 0 {
			return nil
		}
		if err := r.w.Only(r.meta, m.id, m.at); err != nil {
			return err
		}
		if err := r.w.Prompt(m.id); err != nil {
			return err
		}
		r.w.Text(o.Text("text"))
		for _, f := range scan.Elements(o["files"]) {
			r.file(sessionfiles.Members(f))
		}
		return r.w.Flush()
	case "assistant":
		return r.answer(m, o)
	case "shell":
		if r.depth > 0 {
			return nil
		}
		if err := r.w.Only(r.meta, m.id, m.at); err != nil {
			return err
		}
		if err := r.w.Turn(m.id, ""); err != nil {
			return err
		}
		state := sessionfiles.Object{"status": []byte(`"completed"`), "input": []byte(`{"command":` + string(m.raw("command")) + `}`)}
		if err := r.tool(o.Text("callID"), "bash", state, nil, o.Text("output")); err != nil {
			return err
		}
		return r.w.Flush()
	case "compaction":
		if r.depth > 0 {
			return nil
		}
		if err := r.w.Only(r.meta, m.id, m.at); err != nil {
			return err
		}
		if err := r.w.Turn(m.id, ""); err != nil {
			return err
		}
		r.w.Says(sessionfiles.Compacted)
		r.w.Thought(o.Text("summary"))
		return r.w.Flush()
	}
	return nil
}

// raw returns a member of the record as it is, an empty text if there is none.
func (m *record) raw(name string) []byte {
	if v := scan.Member(m.data, name); v != nil {
		return v
	}
	return []byte(`""`)
}

// answer writes a message of the model of version 2.
func (r *reader) answer(m *record, o sessionfiles.Object) error {
	time := sessionfiles.Members(o["time"])
	if time["completed"] == nil && o["error"] == nil && r.now-r.changed < writing && r.depth == 0 {
		return nil
	}
	if err := r.w.Only(r.meta, m.id, m.at); err != nil {
		return err
	}
	o["modelID"] = scan.Member(o["model"], "id")
	if o["modelID"] == nil {
		o["modelID"] = scan.Member(o["model"], "modelID")
	}
	if err := r.turn(m.id, "assistant", o); err != nil {
		return err
	}
	for _, piece := range scan.Elements(o["content"]) {
		p := sessionfiles.Members(piece)
		switch string(sessionfiles.Quoted(p["type"])) {
		case "text":
			r.w.Text(p.Text("text"))
		case "reasoning":
			r.w.Thought(p.Text("text"))
		case "tool":
			state := sessionfiles.Members(p["state"])
			var out []string
			for _, c := range scan.Elements(state["content"]) {
				if s := sessionfiles.Members(c).Text("text"); s != "" {
					out = append(out, s)
				}
			}
			if err := r.tool(p.Text("id"), p.Text("name"), state, sessionfiles.Members(state["structured"]), strings.Join(out, "\n")); err != nil {
				return err
			}
		}
	}
	if err := r.w.Flush(); err != nil {
		return err
	}
	return r.failed(m, o["error"])
}

// tool writes a tool call with its result. more is what OpenCode itself keeps of the result, output what the model was
// told.
func (r *reader) tool(id, name string, state, more sessionfiles.Object, output string) error {
	if id == "" {
		id = r.w.CallID()
	}
	if name == "" {
		name = "tool"
	}
	input := sessionfiles.Members(state["input"])
	asked := input.Asked()
	kind := sessionfiles.KindOf(name)
	title := sessionfiles.TitleOf(name, kind, asked, r.meta.Folder)
	if title == name {
		if own := state.Text("title"); own != "" {
			title = own
		}
	}
	status := transcript.StatusRunning
	p := transcript.ToolPatch{ID: id, Announced: true, Name: &name, Title: &title, Kind: &kind, Status: &status, Input: sessionfiles.Value(state["input"])}
	if asked.Path != "" && kind != "execute" {
		p.Locations = &[]transcript.Location{{Path: sessionfiles.Absolute(asked.Path, r.meta.Folder)}}
	}
	r.w.Call(p)
	if name == "task" {
		if err := r.subAgent(id, more.Text("sessionId", "sessionID")); err != nil {
			return err
		}
	}
	end := transcript.ToolPatch{ID: id}
	content := r.result(name, input, more, output)
	switch state.Text("status") {
	case "completed":
		done := transcript.StatusCompleted
		if code, ok := scan.Integer(more["exit"]); ok && code != 0 {
			done = transcript.StatusFailed
			why := "Exited with code " + string(more["exit"])
			end.Error = &why
		}
		end.Status = &done
	case "error":
		failed := transcript.StatusFailed
		why := state.Text("error")
		if why == "" {
			why = sessionfiles.Members(state["error"]).Text("message")
		}
		if strings.Contains(why, "rejected permission") || strings.Contains(why, "dismissed this question") {
			failed = transcript.StatusRejected
		} else if strings.Contains(why, "aborted") {
			failed = transcript.StatusCancelled
		}
		end.Status, end.Error = &failed, &why
		if len(content) == 0 && why != "" {
			content = append(content, sessionfiles.Said(why))
		}
	}
	if len(content) > 0 {
		end.Content = &content
	}
	r.w.Call(end)
	return nil
}

// result returns what is shown of a result: diffs, files without the numbers of their lines, or what the model was
// told.
func (r *reader) result(name string, input, more sessionfiles.Object, output string) []transcript.Content {
	path := sessionfiles.Absolute(input.Text("filePath", "path"), r.meta.Folder)
	var list []transcript.Content
	switch name {
	case "edit", "multiedit", "patch", "apply_patch", "write":
		if diff := more.Text("diff"); diff != "" {
			list = sessionfiles.Diffs(diff, r.meta.Folder)
			for i := range list {
				if path != "" && (name == "edit" || name == "multiedit" || name == "write") {
					list[i].Path = path
				}
			}
		}
		switch {
		case len(list) > 0:
			return list
		case name == "write" && more["exists"] != nil:
			return []transcript.Content{{Type: "diff", Path: path, NewText: input.Text("content"), NewFile: !sessionfiles.Truth(more["exists"])}}
		case name == "edit" && output != "":
			return []transcript.Content{{Type: "diff", Path: path, OldText: input.Text("oldString"), NewText: input.Text("newString")}}
		case input.Text("patchText") != "" && output != "":
			return sessionfiles.Diffs(input.Text("patchText"), r.meta.Folder)
		}
	case "read":
		if d := sessionfiles.Members(more["display"]); d.Text("type") == "file" && d.Text("text") != "" {
			return []transcript.Content{sessionfiles.Said(d.Text("text"))}
		}
	}
	if output == "" {
		return nil
	}
	return []transcript.Content{sessionfiles.Said(output)}
}

// subAgent writes what a sub-agent has done below the call that has started it.
func (r *reader) subAgent(call, session string) error {
	if session == "" || r.depth > 3 || session == r.meta.Session || r.nested[session] {
		return nil
	}
	if r.nested == nil {
		r.nested = map[string]bool{}
	}
	r.nested[session] = true
	defer delete(r.nested, session)
	was := r.w.Under(call)
	r.depth++
	defer func() {
		r.depth--
		r.w.Under(was)
	}()
	return r.conversation(session)
}
