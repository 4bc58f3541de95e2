package flat

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/transcript"
)

// Folded is a message as events.
type Folded struct {
	ID string
	At int64 // unix ms
	transcript.Output
}

// As has the defaults for an imported conversation.
type As struct {
	AgentID   string
	AgentName string // if neither the message nor the conversation names the agent
	Now       int64  // unix ms, for a conversation without times
	NewID     func() string
}

// Fold returns the events of each message, made by the same fold as the messages of agents.
func (c *Conversation) Fold(as As) []Folded {
	list := make([]Folded, 0, len(c.Messages))
	at := c.Started
	if at == 0 {
		at = as.Now
	}
	for _, m := range c.Messages {
		if m.At != 0 {
			at = m.At
		}
		list = append(list, m.fold(c, as, max(at, 1)))
	}
	return list
}

func (m *Message) fold(c *Conversation, as As, at int64) Folded {
	var box transcript.Outbox
	start := transcript.MessageStart{MessageID: as.NewID(), Role: m.Role, Author: transcript.Author{Kind: "person"}}
	stop := ""
	if m.Role == transcript.RoleAgent {
		start.Author = transcript.Author{Kind: "agent", ID: as.AgentID, Name: cmp.Or(m.Name, c.Agent, as.AgentName)}
		start.Model = cmp.Or(m.Model, c.Model)
		stop = cmp.Or(m.Stop, "end_turn")
	}
	f := transcript.NewFold(&box, start)
	f.Model = start.Model
	taken := map[string]bool{}
	for i, p := range m.Parts {
		switch {
		case p.Call != nil:
			id := p.Call.ID
			for n := i; id == "" || taken[id]; n++ {
				id = "import-" + strconv.Itoa(n+1)
			}
			taken[id] = true
			f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p.Call.patch(id)}, at)
		case p.Thought != "":
			f.Apply(&transcript.Update{Kind: transcript.UpdateThought, Text: p.Thought}, at)
		case p.Block != nil:
			f.Apply(&transcript.Update{Kind: transcript.UpdateText, Block: p.Block}, at)
		default:
			// Texts that are separate in the file stay separate.
			f.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: p.Text, MessageID: strconv.Itoa(i + 1)}, at)
		}
	}
	f.End(stop, nil, at)
	return Folded{ID: start.MessageID, At: at, Output: box.Take()}
}

func (c *Call) patch(id string) *transcript.ToolPatch {
	status := c.Status
	if status == "" {
		status = transcript.StatusRunning
	}
	p := &transcript.ToolPatch{ID: id, Announced: true, Title: &c.Title, Kind: &c.Kind, Status: &status, Input: c.Input, Output: c.Output, DurationMs: c.Duration, ResultCount: c.Count}
	if c.Name != "" {
		p.Name = &c.Name
	}
	if len(c.Content) > 0 {
		p.Content = &c.Content
	}
	if c.Summary != "" {
		p.Summary = &c.Summary
	}
	if c.Error != "" {
		p.Error = &c.Error
	}
	return p
}

// Key returns a hash of the title and the messages, to recognize a conversation that is imported again.
func (c *Conversation) Key() string {
	h := sha256.New()
	_ = json.MarshalWrite(h, []any{c.Title, c.Messages}, lenient, json.Deterministic(true))
	return hex.EncodeToString(h.Sum(nil))
}
