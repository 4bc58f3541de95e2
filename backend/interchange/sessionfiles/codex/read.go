package codex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// reader reads one conversation.
type reader struct {
	ctx    context.Context //nolint:containedctx // lives for one call
	w      *sessionfiles.Writer
	src    sessionfiles.Source
	meta   sessionfiles.Meta
	model  string
	nested bool
	lost   []span            // lines of turns that were taken back
	agents map[string]string // calls by the sub-agents that they have started
	patchs map[string]bool   // calls that have diffs
	broken int
}

// span is lines of a file, by their offsets.
type span struct{ from, to int64 }

// Read implements [sessionfiles.Program].
func (Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	file, err := sessionfiles.Open(src.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := &reader{
		ctx: ctx, w: w, src: src, meta: sessionfiles.Meta{Session: src.Session, Title: src.Title, Folder: src.Folder},
		agents: map[string]string{}, patchs: map[string]bool{},
	}
	if filepath.Ext(src.Path) == ".json" {
		if err := r.document(src.Path); err != nil || !w.Begun() {
			return err
		}
		return w.Close()
	}
	if err := r.findLost(file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return sessionfiles.Unreadable(err)
	}
	err = sessionfiles.Lines(file, r.line)
	w.Broken(r.broken)
	if err != nil || !w.Begun() {
		return err
	}
	return w.Close()
}

// maxDocument is the size of the largest JSON document that is read, in bytes.
const maxDocument = 64 << 20

// document reads a conversation that is one JSON value, as the first versions of Codex have written it.
func (r *reader) document(path string) error {
	text, err := sessionfiles.ReadSmall(path, maxDocument)
	if err != nil {
		return err
	}
	o, err := sessionfiles.Document(text, r.w)
	if err != nil {
		return err
	}
	if err := r.header(sessionfiles.Members(o["session"])); err != nil {
		return err
	}
	for end, item := range scan.Elements(o["items"]) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		key := strconv.FormatInt(int64(end), 36)
		if err := r.w.Only(r.meta, key+" "+strconv.Itoa(len(item)), r.meta.Started); err != nil {
			return err
		}
		if err := r.entry(key, "response_item", sessionfiles.Members(item)); err != nil {
			return err
		}
		if err := r.w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// findLost finds the turns that the user has taken back: what follows takes their place.
func (r *reader) findLost(file io.Reader) error {
	var turns []int64
	return sessionfiles.Lines(file, func(l *sessionfiles.Line) error {
		head := l.Text[:min(len(l.Text), 300)]
		switch {
		case bytes.Contains(head, []byte(`"thread_rolled_back"`)):
			n, _ := strconv.Atoi(string(scan.Member(scan.Member(l.Text, "payload"), "num_turns")))
			if n = min(n, len(turns)); n > 0 {
				r.lost = append(r.lost, span{turns[len(turns)-n], l.Offset})
				turns = turns[:len(turns)-n]
			}
		case bytes.Contains(head, []byte(`"role":"user"`)):
			if payload := sessionfiles.Members(scan.Member(l.Text, "payload")); len(said(payload["content"])) > 0 {
				turns = append(turns, l.Offset)
			}
		}
		return r.ctx.Err()
	})
}

// line reads a line of the file.
func (r *reader) line(l *sessionfiles.Line) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for _, s := range r.lost {
		if l.Offset >= s.from && l.Offset < s.to {
			r.w.Note(fault.Say("Undone turns were left out."))
			return nil
		}
	}
	if l.Text == nil {
		return r.large(l)
	}
	text, ok := sessionfiles.Clean(l.Text, r.w)
	if !ok {
		if !l.Torn {
			r.broken++
		}
		return nil
	}
	o := sessionfiles.Members(text)
	kind, payload := string(sessionfiles.Quoted(o["type"])), sessionfiles.Members(o["payload"])
	switch {
	case kind == "session_meta" || kind == "" && o["id"] != nil && o["timestamp"] != nil: // the latter in older versions
		if payload == nil {
			payload = o
		}
		return r.header(payload)
	case kind == "turn_context":
		if model := payload.Text("model"); model != "" {
			r.model = model
		}
		return nil
	case payload == nil:
		payload = o // older versions write the items alone
	case kind != "response_item" && kind != "event_msg" && kind != "compacted":
		return nil
	}
	if !r.matters(kind, payload) {
		return nil
	}
	key := strconv.FormatInt(l.Offset, 36)
	if err := r.w.Only(r.meta, key+" "+strconv.FormatInt(l.Size, 36), sessionfiles.Millis(o["timestamp"])); err != nil {
		return err
	}
	if err := r.entry(key, kind, payload); err != nil {
		return err
	}
	return r.w.Flush()
}

// matters reports whether an entry can add something, so that others don't count.
func (r *reader) matters(kind string, payload sessionfiles.Object) bool {
	if kind != "event_msg" {
		return true
	}
	switch string(sessionfiles.Quoted(payload["type"])) {
	case "turn_aborted", "patch_apply_begin", "patch_apply_end", "error", "context_compacted":
		return true
	case "item_completed":
		item := sessionfiles.Members(payload["item"])
		return string(sessionfiles.Quoted(item["type"])) == "FileChange"
	}
	return false
}

func (r *reader) large(l *sessionfiles.Line) error {
	key := "offset " + strconv.FormatInt(l.Offset, 36)
	if err := r.w.Only(r.meta, key, 0); err != nil {
		return err
	}
	if err := r.w.TooLarge(key); err != nil {
		return err
	}
	return r.w.Flush()
}

func (r *reader) header(payload sessionfiles.Object) error {
	if r.nested || r.w.Begun() || r.meta.Started != 0 {
		return nil // a copy of the conversation that this one continues
	}
	if payload.Text("parent_thread_id") != "" {
		return sessionfiles.ErrSkip
	}
	if id := payload.Text("id"); id != "" {
		r.meta.Session = id
	}
	if cwd := payload.Text("cwd"); cwd != "" {
		r.meta.Folder = cwd
	}
	r.meta.Started = sessionfiles.Millis(payload["timestamp"])
	return nil
}

// subAgent writes what a sub-agent has done below the call that has started it.
func (r *reader) subAgent(call, agent string) error {
	if agent == "" || strings.ContainsAny(agent, `/\*?[`) || r.agents[agent] != "" || len(r.agents) > 200 {
		return nil
	}
	r.agents[agent] = call
	path := r.fileOf(agent)
	if path == "" {
		return nil
	}
	f, err := sessionfiles.Open(path)
	if err != nil {
		r.w.Note(sessionfiles.PartOfSubAgent)
		return nil // the conversation is there without it
	}
	defer f.Close()
	was := r.w.Under(call)
	defer r.w.Under(was)
	inner := &reader{ctx: r.ctx, w: r.w, src: r.src, meta: r.meta, nested: true, agents: r.agents, patchs: r.patchs}
	err = sessionfiles.Lines(f, inner.line)
	var damaged *sessionfiles.FileError
	if inner.broken > 0 || errors.As(err, &damaged) {
		r.w.Note(sessionfiles.PartOfSubAgent)
		return nil
	}
	return err
}

// fileOf returns the file of a conversation, "" if there is none.
func (r *reader) fileOf(id string) string {
	dir := filepath.Dir(r.src.Path)
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	for _, pattern := range []string{filepath.Join(sessionfiles.Pattern(dir), "rollout-*"+id+".jsonl"), filepath.Join(sessionfiles.Pattern(root), "*", "*", "*", "rollout-*"+id+".jsonl")} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
