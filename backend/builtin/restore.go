package builtin

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm"
)

// restore reads a session from its log. If the process ended during a turn, restore ends the turn: it marks the open
// calls and makes a message of an unfinished one.
func (s *session) restore(store sessionStore, at time.Time) error {
	r := restorer{session: s, ended: true}
	if err := store.read(s.id, r.read); err != nil {
		return err
	}
	var err error
	if s.log, err = store.open(s.id); err != nil || r.ended {
		return err
	}
	return r.interrupted(at)
}

// restorer reads one log.
type restorer struct {
	*session
	ended bool
	open  openCalls
	since []json.RawMessage // updates since the last whole message
	last  llm.Message
}

func (r *restorer) read(rec record) bool {
	switch {
	case rec.Stop != "":
		if rec.Stop == string(acp.StopReasonRefusal) {
			r.conversation.view.Forget()
		}
		r.turns++
		r.ended, r.since = true, nil
	case rec.Grant != "":
		r.grants[rec.Grant] = true
	case rec.Options != nil:
		if rec.Options.Provider == r.selection.options.Provider {
			r.selection.options = *rec.Options
		} else if rec.Options.Mode.valid() {
			r.selection.options.Mode = rec.Options.Mode
		}
	case rec.System != "":
		r.conversation.system = rec.System
	case rec.Cost != 0:
		r.cost = rec.Cost
	case rec.Short != nil:
		r.conversation.view.Shorten(*rec.Short)
	case rec.Message != nil:
		if r.ended {
			r.conversation.view.Begin()
		}
		r.ended, r.since, r.last = false, nil, *rec.Message
		r.conversation.view.Add(*rec.Message)
	case len(rec.Update) > 0:
		r.open.see(rec.Update)
		if !r.ended {
			r.since = append(r.since, rec.Update)
		}
	}
	return true
}

// interrupted ends an interrupted turn.
func (r *restorer) interrupted(at time.Time) error {
	add := func(m llm.Message) error {
		r.conversation.view.Add(m)
		r.last = m
		return r.log.append(record{At: at.UnixMilli(), Message: &m})
	}
	for _, id := range r.open.ids {
		end := endOfCall("Interrupted: the agent was stopped.", map[string]any{"interrupted": true})
		end.ToolCallId = id
		update, err := json.Marshal(acp.SessionUpdate{ToolCallUpdate: &end})
		if err != nil {
			return err
		}
		if err := r.log.appendUpdate(at, update); err != nil {
			return err
		}
	}
	if r.last.Role == llm.RoleUser {
		if m := partial(r.since); len(m.Parts) > 0 {
			if err := add(m); err != nil {
				return err
			}
		}
	}
	calls := r.last.Calls()
	if r.last.Role == llm.RoleModel && len(calls) > 0 {
		results := llm.Message{Role: llm.RoleUser}
		for _, c := range calls {
			results.Parts = append(results.Parts, llm.ToolResult{CallID: c.ID, Name: c.Name, Failed: true, Parts: []llm.Part{
				llm.Text{Text: "The agent was stopped before this result was stored. Check whether it was done."},
			}})
		}
		if err := add(results); err != nil {
			return err
		}
	}
	if r.last.Role == llm.RoleUser {
		if err := add(llm.ModelText("[The agent was stopped here.]")); err != nil {
			return err
		}
	}
	r.turns++
	return r.log.append(record{At: at.UnixMilli(), Stop: "interrupted"})
}

// piece is a part of an incomplete message.
type piece struct {
	kind string // of the first update
	call llm.ToolCall
	text strings.Builder // text, thought, or JSON input
}

// partial returns the incomplete message that the updates describe.
func partial(updates []json.RawMessage) llm.Message {
	var pieces []*piece
	calls := map[acp.ToolCallId]*piece{}
	for _, raw := range updates {
		var u struct {
			Kind    string          `json:"sessionUpdate"`
			ID      acp.ToolCallId  `json:"toolCallId"`
			Content json.RawMessage `json:"content"`
			Meta    struct {
				Weft  struct{ ToolName string } `json:"weft"`
				Delta string                    `json:"weft/inputDelta"`
			} `json:"_meta"`
		}
		if json.Unmarshal(raw, &u) != nil {
			continue
		}
		switch u.Kind {
		case "agent_message_chunk", "agent_thought_chunk":
			var block struct{ Text string }
			if json.Unmarshal(u.Content, &block) != nil {
				continue
			}
			if n := len(pieces); n == 0 || pieces[n-1].kind != u.Kind {
				pieces = append(pieces, &piece{kind: u.Kind})
			}
			pieces[len(pieces)-1].text.WriteString(block.Text)
		case "tool_call":
			p := &piece{kind: u.Kind, call: llm.ToolCall{ID: string(u.ID), Name: u.Meta.Weft.ToolName, Input: json.RawMessage(`{}`)}}
			pieces, calls[u.ID] = append(pieces, p), p
		case "tool_call_update":
			if p := calls[u.ID]; p != nil {
				p.text.WriteString(u.Meta.Delta)
			}
		}
	}
	m := llm.Message{Role: llm.RoleModel}
	for _, p := range pieces {
		m.Parts = append(m.Parts, p.part())
	}
	return m
}

func (p *piece) part() llm.Part {
	text := p.text.String()
	switch p.kind {
	case "agent_message_chunk":
		return llm.Text{Text: text}
	case "agent_thought_chunk":
		return llm.Thinking{Text: text}
	}
	c := p.call
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		c.Input = json.RawMessage(trimmed)
	} else {
		c.Raw = text
	}
	return c
}

// openCalls tracks the tool calls in a log that haven't ended.
type openCalls struct{ ids []acp.ToolCallId }

func (o *openCalls) see(update json.RawMessage) {
	if !bytes.Contains(update, []byte(`"toolCallId"`)) {
		return
	}
	var u struct {
		ID     acp.ToolCallId     `json:"toolCallId"`
		Status acp.ToolCallStatus `json:"status"`
	}
	if json.Unmarshal(update, &u) != nil || u.ID == "" {
		return
	}
	ended := u.Status == acp.ToolCallStatusCompleted || u.Status == acp.ToolCallStatusFailed
	at := slices.Index(o.ids, u.ID)
	switch {
	case ended && at >= 0:
		o.ids = slices.Delete(o.ids, at, at+1)
	case !ended && at < 0:
		o.ids = append(o.ids, u.ID)
	}
}
