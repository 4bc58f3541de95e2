//go:build linux

package systemtest

import (
	"strings"
	"testing"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// alone has each session of the room's agent run in a process of its own.
func (r *room) alone(t *testing.T) {
	t.Helper()
	id := r.agentOf(t, r)
	for _, ag := range r.agents(t) {
		if ag.ID == id {
			r.do(t, "SaveAgent", agents.SaveAgentRequest{ID: id, Name: ag.Name, Command: ag.Command, Args: ag.Args, Env: ag.Env, Process: "perSpace"}, nil)
		}
	}
}

func asking(space, text string) wish {
	return wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": space, "text": text, "wait": true}}
}

// replyTo waits until the list of spaces tells that a reply is waited for in a space, and returns its id.
func (r *room) replyTo(t testing.TB, title string) string {
	t.Helper()
	r.waiting(t, r.id, title)
	for _, w := range r.listed(t).Waits {
		if w.Title == title {
			if w.Kind != "reply" {
				t.Errorf("%q waits as %q", title, w.Kind)
			}
			return w.RequestID
		}
	}
	t.Fatalf("nothing waits for a reply to %q", title)
	return ""
}

// What the user writes in a space where a run waits for any reply is that reply, and nobody else is asked.
func TestUserReplyEndsTheWait(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	finance := a.gather(t, "Bob")
	var sp spaces.Space
	a.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: finance.id, MemberInput: spaces.MemberInput{AgentID: shop.listed(t).AgentID, Name: "Planner"}}, &sp)
	shop.send(t, wishes(wish{Say: "Asking. "}, asking(finance.id, "How much may it cost?"), wish{Say: " Thanks."}))
	id := finance.replyTo(t, "How much may it cost?")
	finance.st.until(t, "the question has its end", func(v *seen) bool { return v.message().EndedAt > 0 })

	var res conversation.SendPromptResult
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: finance.id, Text: "At most 500."}, &res)
	if res.Queued || res.Answered != id {
		t.Errorf("it was taken as %+v, want the answer to %s", res, id)
	}
	shop.ended(t, "end_turn")
	if text := shop.agentText(); !strings.Contains(text, `"reply":"At most 500."`) || !strings.Contains(text, `"from":"the user"`) || !strings.HasSuffix(text, " Thanks.") {
		t.Errorf("the agent heard %s", text)
	}
	finance.st.until(t, "the answer is there", func(v *seen) bool { return len(said(v)) > 1 })
	finance.st.now(func(v *seen) {
		list := said(v)
		if len(list) != 2 || list[0] != "Planner: How much may it cost?" || list[1] != "person: At most 500." {
			t.Errorf("it was said: %q", list)
		}
	})
	if waits := finance.listed(t).Waits; len(waits) > 0 {
		t.Errorf("%+v still waits", waits)
	}

	// Behind it a prompt is a prompt again, and an answer that comes too late is refused, so that it is not lost.
	finance.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: finance.id, Text: "Or 600.", Answers: id}, "not_waiting")
	finance.tell(t, "And you?")
	finance.st.until(t, "Bob answers", func(v *seen) bool { return strings.HasPrefix(v.message().Content(), "heard: And you?") })
	shop.check(t)
	finance.check(t)
}

// A member that is asked by name answers by itself; what it says is a reply, too.
func TestMemberReplyEndsTheWait(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	c.tell(t, wishes(asking(c.id, "Who knows?")), "Ann")
	c.replyTo(t, "Who knows?")
	c.tell(t, "Ann wants to know.", "Bob")
	c.st.until(t, "both end", func(v *seen) bool { return v.runs["end_turn"] == 2 })
	text := ""
	c.st.now(func(v *seen) {
		for _, m := range v.conv.Messages {
			if m.Author.Name == "Ann" {
				text += m.Content()
			}
		}
	})
	if !strings.Contains(text, `"reply":"heard: Ann wants to know."`) || !strings.Contains(text, `"from":"Bob"`) {
		t.Errorf("Ann heard %s", text)
	}
	c.check(t)
}

// A message that another run sends into the space is a reply at once, also where its run continues.
func TestGuestReplyEndsTheWait(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	c := a.gather(t, "Ann")
	var sp spaces.Space
	a.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: c.id, MemberInput: spaces.MemberInput{AgentID: shop.listed(t).AgentID, Name: "Guest"}}, &sp)
	c.tell(t, wishes(asking(c.id, "Anybody?")), "Ann")
	c.replyTo(t, "Anybody?")
	shop.send(t, wishes(wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": c.id, "text": "Me."}}, wish{Say: "x", Wait: true}))
	shop.ctl.expect(t, "waits")
	c.st.until(t, "Ann hears it", func(v *seen) bool { return strings.Contains(v.message().Content(), `"reply":"Me."`) })
	shop.ctl.say(t, "go on")
	shop.ended(t, "end_turn")
	c.check(t)
}

// Several that wait are answered by name or, without one, the oldest first.
func TestSeveralRunsWaitForReplies(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	one := a.scripted(t, "caller")
	one.alone(t)
	two := a.reenter(t, one.folder, a.like(t, one).ID)
	to := a.reenter(t, one.folder, a.like(t, one).ID)
	one.send(t, wishes(asking(to.id, "First?")))
	to.replyTo(t, "First?")
	two.send(t, wishes(asking(to.id, "Second?")))
	second := to.replyTo(t, "Second?")
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: to.id, Text: "to the second", Answers: second}, nil)
	two.ended(t, "end_turn")
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: to.id, Text: "to the first"}, nil)
	one.ended(t, "end_turn")
	if text := two.agentText(); !strings.Contains(text, `"reply":"to the second"`) {
		t.Errorf("the second heard %s", text)
	}
	if text := one.agentText(); !strings.Contains(text, `"reply":"to the first"`) {
		t.Errorf("the first heard %s", text)
	}
	to.st.now(func(v *seen) {
		for _, m := range v.conv.Messages {
			if m.Role == transcript.RoleAgent && !strings.HasSuffix(m.Content(), "?") {
				t.Errorf("somebody else answered: %s", m.Content())
			}
		}
	})
	to.check(t)
}

// A run that ends takes its question back: what is written then is a prompt.
func TestQuestionGoesWithItsRun(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	shop.alone(t)
	to := a.reenter(t, shop.folder, a.like(t, shop).ID)
	w := asking(to.id, "Still there?")
	w.Leave = true
	shop.send(t, wishes(w))
	shop.ended(t, "end_turn")
	if waits := to.listed(t).Waits; len(waits) > 0 {
		t.Errorf("%+v still waits", waits)
	}
	to.send(t, "hello")
	to.st.until(t, "the member of the space answers", func(v *seen) bool { return v.message().Content() == "heard: hello" })
}
