package gemini

import (
	"context"
	"hash/maphash"
	"io"
	"os"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/interchange/sessionfiles/parts"
)

// maxDocument is the size of the largest JSON document that is read, in bytes. Files of JSON Lines may be larger.
const maxDocument = 64 << 20

var seed = maphash.MakeSeed()

// reader reads one conversation.
type reader struct {
	ctx   context.Context //nolint:containedctx // lives for one call
	w     *sessionfiles.Writer
	meta  sessionfiles.Meta
	main  bool
	lost  map[string]bool   // messages that the user has taken back
	calls map[string]uint64 // sums of what was written of them
	said  map[string]uint64 // the same of messages
	texts map[string]uint64 // the same of their content, 0 for none
	// unnamed is how many messages without an id there were.
	unnamed int
	broken  int
}

// Read implements [sessionfiles.Program].
func (Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	file, err := sessionfiles.Open(src.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := &reader{
		ctx: ctx, w: w, meta: sessionfiles.Meta{Folder: src.Folder}, main: true,
		lost: map[string]bool{}, calls: map[string]uint64{}, said: map[string]uint64{}, texts: map[string]uint64{},
	}
	if strings.HasSuffix(src.Path, ".json") {
		err = r.document(file, src.Size)
	} else {
		err = r.stream(file)
	}
	w.Broken(r.broken)
	if err != nil || !w.Begun() {
		return err
	}
	return w.Close()
}

// document reads a conversation that is one JSON value.
func (r *reader) document(file *os.File, size int64) error {
	tooLarge := &sessionfiles.FileError{Message: "The file is larger than " + strconv.Itoa(maxDocument>>20) + " MB."}
	if size > maxDocument {
		return tooLarge
	}
	text, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	if err != nil {
		return sessionfiles.Unreadable(err)
	}
	if len(text) > maxDocument {
		return tooLarge
	}
	if text, err = sessionfiles.Unmarked(text); err != nil {
		return err
	}
	o, err := sessionfiles.Document(text, r.w)
	if err != nil {
		return err
	}
	r.header(o)
	for _, m := range scan.Elements(o["messages"]) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.one(m); err != nil {
			return err
		}
	}
	return nil
}

// stream reads a conversation whose lines add and replace messages.
func (r *reader) stream(file *os.File) error {
	if err := r.takenBack(file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return sessionfiles.Unreadable(err)
	}
	return sessionfiles.Lines(file, func(l *sessionfiles.Line) error {
		if err := r.ctx.Err(); err != nil {
			return err
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
		return r.line(text)
	})
}

func (r *reader) large(l *sessionfiles.Line) error {
	key := "offset " + strconv.FormatInt(l.Offset, 10)
	if err := r.begin(key, 0); err != nil {
		return err
	}
	if err := r.w.TooLarge(key); err != nil {
		return err
	}
	return r.w.Flush()
}

// line reads a line: the header, a change of the conversation, or a message.
func (r *reader) line(text []byte) error {
	o := sessionfiles.Members(text)
	if set := sessionfiles.Members(o["$set"]); set != nil {
		for _, m := range scan.Elements(set["messages"]) {
			if err := r.one(m); err != nil {
				return err
			}
		}
		if s := set.Text("summary"); s != "" && !r.w.Begun() {
			r.meta.Title = s
		}
		return nil
	}
	if o["id"] == nil && o["content"] == nil {
		r.header(o)
		return nil
	}
	return r.one(text)
}

func (r *reader) header(o sessionfiles.Object) {
	if id := o.Text("sessionId"); id != "" && r.meta.Session == "" {
		r.meta.Session, r.meta.Started = id, sessionfiles.Millis(o["startTime"])
	}
	if s := o.Text("summary"); s != "" {
		r.meta.Title = s
	}
	if kind := o.Text("kind"); kind != "" && kind != "main" {
		r.main = false
	}
}

// takenBack finds the messages that are not part of the conversation any more, because the user has gone back behind
// them.
func (r *reader) takenBack(file io.Reader) error {
	var order []string
	return sessionfiles.Lines(file, func(l *sessionfiles.Line) error {
		if l.Text == nil {
			return r.ctx.Err()
		}
		var id, back []byte
		for name, v := range scan.Fields(l.Text) {
			switch string(name) {
			case "id":
				id = sessionfiles.Quoted(v)
			case "$rewindTo":
				back = sessionfiles.Quoted(v)
			}
			if id != nil {
				break
			}
		}
		if id != nil {
			order = append(order, string(id))
		}
		if back != nil {
			for len(order) > 0 {
				last := order[len(order)-1]
				order = order[:len(order)-1]
				r.lost[last] = true
				if last == string(back) {
					break
				}
			}
		}
		return r.ctx.Err()
	})
}

// begin begins an entry.
func (r *reader) begin(key string, at int64) error {
	if !r.w.Begun() && !r.main {
		return sessionfiles.ErrSkip
	}
	return r.w.Only(r.meta, key, at)
}

// one reads a message. Where it is there already, only what is new of it is written: messages grow with the calls of
// their turn.
func (r *reader) one(text []byte) error {
	o := sessionfiles.Members(text)
	id := o.Text("id")
	if id == "" {
		r.unnamed++
		id = "#" + strconv.Itoa(r.unnamed)
	}
	if r.lost[id] {
		r.w.Note(fault.Say("Undone messages were left out."))
		return nil
	}
	sum := maphash.Bytes(seed, text)
	if before, known := r.said[id]; known && before == sum {
		return nil
	}
	_, again := r.said[id]
	content := o["content"]
	kind := string(sessionfiles.Quoted(o["type"]))
	if kind == "user" {
		if s := parts.Said(content); parts.Foreign(s) && !strings.Contains(string(content), `"inlineData"`) {
			return nil
		}
	}
	r.said[id] = sum
	if err := r.begin(id+" "+strconv.Itoa(len(text)), sessionfiles.Millis(o["timestamp"])); err != nil {
		return err
	}
	switch kind {
	case "user":
		if again {
			r.rewritten(id, content)
			return r.w.Flush()
		}
		r.texts[id] = textSum(content)
		if err := r.w.Prompt(id); err != nil {
			return err
		}
		parts.Write(r.w, content, r.meta.Folder)
	case "gemini":
		if err := r.w.Turn(id, o.Text("model")); err != nil {
			return err
		}
		if !again {
			for _, thought := range scan.Elements(o["thoughts"]) {
				t := sessionfiles.Members(thought)
				r.w.Thought(strings.TrimSpace(strings.Trim(t.Text("subject")+"\n\n"+t.Text("description"), "\n")))
			}
		}
		if !again || r.texts[id] == 0 {
			r.texts[id] = textSum(content)
			parts.Write(r.w, content, r.meta.Folder)
		} else {
			r.rewritten(id, content)
		}
		r.toolCalls(id, o["toolCalls"])
	case "info", "error", "warning":
		if s := parts.Said(content); s != "" && r.w.MessageID() != "" {
			if err := r.w.Turn(id, ""); err != nil {
				return err
			}
			r.w.Remark(s)
		}
	}
	return r.w.Flush()
}

// rewritten notes that a message has another content than before.
func (r *reader) rewritten(id string, content []byte) {
	if r.texts[id] != textSum(content) {
		r.w.Note(fault.Say("Messages that were edited later have their original text."))
	}
}

// textSum identifies the content of a message. It is 0 for none.
func textSum(content []byte) uint64 {
	if scan.Null(content) || len(content) == len(`""`) {
		return 0
	}
	return maphash.Bytes(seed, content)
}

// toolCalls writes the calls of a message that aren't written yet as they are.
func (r *reader) toolCalls(message string, list []byte) {
	n := 0
	for _, call := range scan.Elements(list) {
		c := sessionfiles.Members(call)
		id := c.Text("id")
		if n++; id == "" {
			id = message + "-" + strconv.Itoa(n)
		}
		sum := maphash.Bytes(seed, call)
		before, known := r.calls[id]
		if known && before == sum {
			continue
		}
		r.calls[id] = sum
		if !known {
			parts.Call(r.w, id, c.Text("name"), c["args"], c.Text("description"), r.meta.Folder)
		}
		status := c.Text("status")
		if status != "success" && status != "error" && status != "cancelled" {
			continue
		}
		var response []byte
		for _, part := range scan.Elements(c["result"]) {
			response = scan.Member(scan.Member(part, "functionResponse"), "response")
			break
		}
		parts.Result(r.w, id, status, response, c["resultDisplay"], r.meta.Folder)
	}
}
