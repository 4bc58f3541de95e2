package runs

import (
	"context"
	"strings"

	"weft/backend/conversation/transcript"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/prompt"
	"weft/backend/space/team"
)

// expectReply adds a run that waits for a reply, unless it has ended; o may be nil. call is the id of its tool call, ""
// if unknown. The lock is held.
func (r *spaceRuntime) expectReply(o *mentions.OpenReply, by *run, call string) {
	select {
	case <-by.done:
		return // before its message was added
	default:
	}
	if o != nil && r.replies.Add(o) {
		r.Box.Add(&transcript.RunWaitingTool{RunID: o.RunID, ToolCallID: call, RequestID: o.ID, Kind: "reply"})
		r.Touched()
	}
}

// forgetReply removes a run that no longer waits for a reply.
func (ts Tools) forgetReply(spaceID string, o *mentions.OpenReply) {
	o.Forget()
	if r := ts.m.open(spaceID); r != nil {
		r.Lock()
		r.replies.Remove(o)
		r.changed()
		r.Unlock()
	}
}

// deliverReply passes a text of a member to the runs that wait for a reply in the space, except the member's own. The
// lock is held.
func (r *spaceRuntime) deliverReply(from team.Member, by *run, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	for _, o := range r.replies.Heard(from.ID, by.id) {
		r.After(func() { o.Give(mentions.Reply{From: from.Name, Text: text}) })
		r.Touched()
	}
}

// Reply adds a text of the user to a space as the reply to a run that waits there: the one with the id, or the one that
// has waited longest if id is "". It blocks for a commit and returns the ids of the wait and of the message. Error:
// not_waiting.
func (ps Prompts) Reply(_ context.Context, spaceID, id, text string, parts ...Part) (answered, messageID string, err error) {
	r := ps.m.open(spaceID)
	if r == nil {
		return "", "", errNoReply
	}
	err = r.Do(owner.Command{Change: func() (then, undo func(), err error) {
		o := r.replies.Get(id)
		if o == nil {
			return nil, nil, errNoReply
		}
		if r.gone {
			return nil, nil, owner.ErrClosing
		}
		answered, messageID, then = r.reply(o, text, parts)
		return then, nil, nil
	}})
	return answered, messageID, err
}

// reply adds a text of the user to the space; then passes it to the run that waits. The lock is held.
func (r *spaceRuntime) reply(o *mentions.OpenReply, text string, parts []Part) (answered, messageID string, then func()) {
	said := transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, transcript.Author{}, func() string { return r.w.newID("msg") })
	messageID = said.Prompt(text, prompt.Contents(parts)...)
	return o.ID, messageID, func() {
		if r.replies.Remove(o) { // still waiting
			o.Give(mentions.Reply{From: mentions.User, Text: prompt.WithNames(text, parts)})
		}
		r.changed()
	}
}

var errNoReply = newError("not_waiting", "The agent no longer waits for this answer. Send it as a prompt instead.")
