package claude

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"os"

	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

var seed = maphash.MakeSeed()

// reader reads one conversation.
type reader struct {
	ctx    context.Context //nolint:containedctx // lives for one call
	w      *sessionfiles.Writer
	file   *os.File
	path   string
	tree   *sessionfiles.Tree
	meta   sessionfiles.Meta
	folder string // of the entry that is being written
	titles titles
	side   sideChains
	agents map[string]string // files of sub-agents, by the call that started them; nil until they are looked for
	depth  int               // of the sub-agent that is being written
	broken int               // lines that couldn't be read
}

// titles are those of a conversation. A name that the user gave counts most.
type titles struct{ custom, made, summary string }

// Read implements [sessionfiles.Program].
func (Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	file, err := sessionfiles.Open(src.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := &reader{ctx: ctx, w: w, file: file, path: src.Path, tree: sessionfiles.NewTree(), meta: sessionfiles.Meta{Session: src.Session}}
	if err := r.index(); err != nil {
		return err
	}
	for _, title := range []string{r.titles.custom, r.titles.made, r.titles.summary} {
		if r.meta.Title == "" {
			r.meta.Title = title
		}
	}
	r.folder = r.meta.Folder
	if err := r.tree.Write(ctx, file, w, r.meta, r.entry); err != nil {
		return err
	}
	w.Broken(r.broken)
	w.Count(
		r.side.left(), "A sub-agent's work was left out because no tool call started it.",
		"The work of {{n}} sub-agents was left out because no tool calls started them.",
	)
	return nil
}

// index finds out how the entries of the file hang together.
func (r *reader) index() error {
	return sessionfiles.Lines(r.file, func(l *sessionfiles.Line) error {
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
		h := headOf(l.Text)
		if h.side {
			r.side.add(h, l)
			return nil
		}
		r.about(h, l.Text)
		unnamed := h.uuid == nil
		if unnamed {
			if !passing[h.kind] && !scan.Valid(l.Text) {
				r.broken++
				return nil
			}
			if h.message == nil || h.kind != "user" && h.kind != "assistant" {
				return nil
			}
		}
		e := sessionfiles.Entry{ID: sessionfiles.ReadEntryID(h.uuid), Parent: sessionfiles.ReadEntryID(h.parent), At: sessionfiles.Millis(h.at), Offset: l.Offset, Size: l.Size}
		e.Sum = maphash.Bytes(seed, l.Text)
		switch {
		case h.kind == "assistant":
			e.Kind, e.Response = sessionfiles.EntrySaid, h.response
		case h.kind == "user" && !h.meta && isPrompt(h.message):
			e.Kind = sessionfiles.EntryPrompt
		}
		if unnamed {
			e = sessionfiles.Unnamed(e)
		}
		return r.tree.Add(e)
	})
}

// about takes what an entry says about the conversation as a whole.
func (r *reader) about(h head, line []byte) {
	if r.meta.Folder == "" && h.cwd != nil {
		r.meta.Folder = string(h.cwd)
	}
	if r.meta.Started == 0 && h.at != nil {
		r.meta.Started = sessionfiles.Millis(h.at)
	}
	if r.meta.Session == "" && h.session != nil {
		r.meta.Session = string(h.session)
	}
	switch h.kind {
	case "summary":
		r.titles.summary = sessionfiles.Text(scan.Member(line, "summary"))
	case "ai-title":
		r.titles.made = sessionfiles.Text(scan.Member(line, "aiTitle"))
	case "custom-title":
		r.titles.custom = sessionfiles.Text(scan.Member(line, "customTitle"))
	}
}

// head is what an entry says about itself.
type head struct {
	kind         string
	uuid, parent []byte
	at           []byte
	cwd, session []byte
	message      []byte
	response     uint64
	side, meta   bool
}

// passing are the types of lines that are no entries and tell nothing; their other members aren't looked at.
var passing = map[string]bool{
	"api-request": true, "api-request-blob": true, "api-request-shape": true, "queue-operation": true, "file-history-snapshot": true, "last-prompt": true,
	"atis-latch": true, "tools-used": true, "cost-state": true,
}

// headOf reads the members of an entry that are needed to place it.
func headOf(line []byte) (h head) {
	var logical []byte
	for name, v := range scan.Fields(line) {
		switch string(name) {
		case "type":
			h.kind = plain(v)
			if passing[h.kind] {
				return h
			}
		case "uuid":
			h.uuid = sessionfiles.Quoted(v)
		case "parentUuid":
			h.parent = sessionfiles.Quoted(v)
		case "logicalParentUuid":
			logical = sessionfiles.Quoted(v)
		case "timestamp":
			h.at = v
		case "cwd":
			h.cwd = []byte(sessionfiles.Text(v))
		case "sessionId":
			h.session = sessionfiles.Quoted(v)
		case "isSidechain":
			h.side = sessionfiles.Truth(v)
		case "isMeta":
			h.meta = sessionfiles.Truth(v)
		case "message":
			h.message = v
		}
	}
	if h.parent == nil {
		h.parent = logical
	}
	if h.kind == "assistant" {
		h.response = maphash.Bytes(seed, scan.Member(h.message, "id"))
	}
	return h
}

func plain(v []byte) string { return string(sessionfiles.Quoted(v)) }

// isPrompt reports whether a message of the user has words of the user, and not only results of tools.
func isPrompt(message []byte) bool {
	content := scan.Member(message, "content")
	if len(content) > 0 && content[0] == '"' {
		return !beside(content[1:min(len(content), 64)])
	}
	for _, block := range scan.Elements(content) {
		switch plain(scan.Member(block, "type")) {
		case "tool_result":
			return false
		case "text":
			if text := scan.Member(block, "text"); len(text) > 1 && !beside(text[1:min(len(text), 64)]) {
				return true
			}
		case "image", "document":
			return true
		}
	}
	return false
}

// lineAt returns a line of a file.
func lineAt(f io.ReaderAt, offset, size int64) ([]byte, error) {
	if size > sessionfiles.MaxEntry {
		return nil, nil
	}
	text := make([]byte, size)
	if _, err := f.ReadAt(text, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, sessionfiles.Unreadable(err)
	}
	return text, nil
}
