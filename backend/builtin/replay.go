package builtin

import (
	"bytes"
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"
)

// replay sends a stored conversation again, in order. It joins neighboring chunks of one kind, and omits fragments of
// inputs, because the whole input follows.
func (s *session) replay(store sessionStore) error {
	r := replayer{send: s.updates.send}
	var failed error
	err := store.read(s.id, func(rec record) bool {
		if len(rec.Update) > 0 {
			failed = r.add(rec.Update)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = r.flush()
	}
	return err
}

type replayer struct {
	send func([]byte) error
	kind string // of the buffered chunks
	text bytes.Buffer
}

// maxJoined is the size at which joined chunks are sent, in bytes.
const maxJoined = 256 << 10

func (r *replayer) add(update []byte) error {
	var u struct {
		Kind    string `json:"sessionUpdate"`
		Content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	}
	chunk := bytes.Contains(update, []byte(`_chunk"`)) && !bytes.Contains(update, []byte(`"_meta":{`+noteKey)) && json.Unmarshal(update, &u) == nil &&
		u.Content.Type == "text" && (u.Kind == "agent_message_chunk" || u.Kind == "agent_thought_chunk")
	if chunk {
		if u.Kind != r.kind || r.text.Len() > maxJoined {
			if err := r.flush(); err != nil {
				return err
			}
			r.kind = u.Kind
		}
		r.text.WriteString(u.Content.Text)
		return nil
	}
	if bytes.Contains(update, []byte(inputDeltaKey)) && onlyDelta(update) {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.send(update)
}

func (r *replayer) flush() error {
	if r.kind == "" {
		return nil
	}
	update := chunk(r.kind, r.text.String())
	r.kind = ""
	r.text.Reset()
	return r.send(update)
}

// onlyDelta reports whether an update contains nothing but a fragment of an input.
func onlyDelta(update []byte) bool {
	var u map[string]json.RawMessage
	if json.Unmarshal(update, &u) != nil {
		return false
	}
	delete(u, "sessionUpdate")
	delete(u, "toolCallId")
	delete(u, "_meta")
	delete(u, "rawInput") // the whole input follows
	return len(u) == 0
}

// chunk returns an update that adds text. It is encoded by hand because it is the most frequent update.
func chunk(kind, text string) []byte {
	quoted, _ := json.Marshal(text) // a string
	b := make([]byte, 0, len(quoted)+80)
	b = append(append(append(b, `{"sessionUpdate":"`...), kind...), `","content":{"type":"text","text":`...)
	return append(append(b, quoted...), '}', '}')
}

// noteKey marks a thought that is a note about the turn.
const noteKey = `"weft/note"`

const inputDeltaKey = `"weft/inputDelta"`

// inputDelta returns an update with a fragment of a call's input.
func inputDelta(id acp.ToolCallId, fragment string) []byte {
	quoted, _ := json.Marshal(fragment) // a string
	name, _ := json.Marshal(string(id))
	b := make([]byte, 0, len(quoted)+len(name)+100)
	b = append(append(b, `{"sessionUpdate":"tool_call_update","toolCallId":`...), name...)
	b = append(append(append(b, `,"_meta":{`+inputDeltaKey+`:`...), quoted...), '}', '}')
	return b
}
