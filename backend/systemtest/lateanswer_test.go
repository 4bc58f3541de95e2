//go:build linux

package systemtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

const chosen = "I have answered “Ladder” (showCard)"

// ladder is a card with a button in a space.
func ladder(space string) wish {
	return wish{Tool: "showCard", Args: map[string]any{"title": "Ladder", "actions": []any{map[string]any{"id": "select", "label": "Select"}}, "targetSpaceId": space}}
}

// prompted are the prompts of a space.
func (r *room) prompted(t testing.TB) string {
	t.Helper()
	var all []string
	for _, m := range r.messages(t) {
		if m.Role == transcript.RoleUser {
			all = append(all, m.Content())
		}
	}
	return strings.Join(all, "\n")
}

// isTold waits until a prompt of a space begins so, and sees to it that the other space has none.
func (r *room) isTold(t testing.TB, what string, other *room) {
	t.Helper()
	r.st.until(t, "the asker is told and answers", func(v *seen) bool {
		return strings.Contains(v.message().Content(), "heard: "+what) && v.message().EndedAt > 0
	})
	if said := other.prompted(t); strings.Contains(said, what) {
		t.Errorf("the other space was told, too: %s", said)
	}
}

// tellsTheTruth checks what the one display of a space says about its answer.
func (r *room) tellsTheTruth(t testing.TB, unsent bool) {
	t.Helper()
	c := r.keptDisplay(t)
	if out := outputOf(t, &c); out.By != "person" || out.Unsent != unsent || out.Wait != "none" && !out.Late {
		t.Errorf("the display says %s, want unsent: %v", c.Output, unsent)
	}
}

// TestLateAnswerInAnotherSpaceReachesTheAsker: an answer that nobody waits for any more is the next prompt of the agent that has asked, where it works,
// and not of the one in the space where it stands.
func TestLateAnswerInAnotherSpaceReachesTheAsker(t *testing.T) {
	t.Parallel()
	approval := func(space string) wish {
		return wish{Tool: "showApprovalForm", Args: map[string]any{"title": "Order?", "targetSpaceId": space}}
	}
	t.Run("a card of a run that has ended", func(t *testing.T) {
		t.Parallel()
		a := launch(t, t.TempDir())
		asker := a.scripted(t, "caller")
		shop := a.reenter(t, asker.folder, a.like(t, asker).ID)
		asker.turn(t, wishes(ladder(shop.id)), "end_turn")
		m, c := shop.card(t, "Ladder")
		asker.st.reset()
		shop.answers(t, m, c, `{"action":"select"}`)
		asker.isTold(t, chosen, shop)
		shop.tellsTheTruth(t, false)
		asker.check(t)
		shop.check(t)
	})
	t.Run("a card of a member that is not the default one", func(t *testing.T) {
		t.Parallel()
		a := launch(t, t.TempDir())
		home := a.gather(t, "Ann", "Bob")
		var agent string
		for _, m := range home.listed(t).Members {
			if m.Name == "Bob" {
				agent = m.AgentID
			}
		}
		shop := a.gather(t, "Carl")
		a.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: shop.id, MemberInput: spaces.MemberInput{AgentID: agent, Name: "Bob"}}, nil)
		home.tell(t, wishes(ladder(shop.id)), "Bob")
		home.ended(t, "end_turn")
		m, c := shop.card(t, "Ladder")
		home.st.reset()
		shop.answers(t, m, c, `{"action":"select"}`)
		home.isTold(t, chosen, shop.room)
		home.st.now(func(v *seen) {
			if by := v.message().Author.Name; by != "Bob" {
				t.Errorf("%s was told", by)
			}
		})
		home.check(t)
	})
	t.Run("an approval over a crash", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		a := launch(t, dir)
		asker := a.scripted(t, "caller")
		shop := a.reenter(t, asker.folder, a.like(t, asker).ID)
		asker.send(t, wishes(approval(shop.id)))
		m, c := shop.display(t, "the approval", isWaiting)
		a.kill()
		a = launch(t, dir)
		a.waiting(t, shop.id, "Order?")
		asker, shop = a.reenter(t, asker.folder, asker.id), &room{app: a, id: shop.id, folder: shop.folder}
		t.Cleanup(asker.st.close)
		shop.answers(t, m, c, `{"approved":true}`)
		asker.isTold(t, "I have answered “Order?” (showApprovalForm)", shop)
		shop.tellsTheTruth(t, false)
	})
	t.Run("nobody is left to be told", func(t *testing.T) {
		t.Parallel()
		a := launch(t, t.TempDir())
		asker := a.scripted(t, "caller")
		shop := a.reenter(t, asker.folder, a.like(t, asker).ID)
		asker.turn(t, wishes(ladder(shop.id)), "end_turn")
		m, c := shop.card(t, "Ladder")
		a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: asker.id}, nil)
		shop.answers(t, m, c, `{"action":"select"}`)
		shop.tellsTheTruth(t, true)
		if said := shop.prompted(t); said != "" {
			t.Errorf("the agent of the space was told: %s", said)
		}
		shop.check(t)
	})
	t.Run("nobody is left to be told after a crash", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		a := launch(t, dir)
		asker := a.scripted(t, "caller")
		shop := a.reenter(t, asker.folder, a.like(t, asker).ID)
		asker.send(t, wishes(approval(shop.id)))
		m, c := shop.display(t, "the approval", isWaiting)
		a.kill()
		a = launch(t, dir)
		a.waiting(t, shop.id, "Order?")
		a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: asker.id}, nil)
		shop = &room{app: a, id: shop.id, folder: shop.folder}
		a.do(t, "AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: shop.id, MessageID: m.ID, ToolCallID: c.ID, Cancel: true}, nil)
		shop.tellsTheTruth(t, true)
	})
}

// TestRetriedCallInAnotherSpaceReachesTheAsker: the result of a call that the user repeats is told the agent that has made it, too.
func TestRetriedCallInAnotherSpaceReachesTheAsker(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"laptops":[{"name":"A"}]}`))
	}))
	t.Cleanup(web.Close)
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"laptops.json": `{"name":"laptops","description":"Lists laptops.","inputSchema":{"type":"object","properties":{}},"displayTool":true,"execution":{"mode":"http","method":"POST","url":"` + web.URL + `"}}`,
	})
	a := launch(t, home)
	asker := a.scripted(t, "caller")
	shop := a.reenter(t, asker.folder, a.like(t, asker).ID)
	asker.send(t, wishes(wish{Tool: "laptops", Args: map[string]any{"targetSpaceId": shop.id}}))
	asker.allow(t, 0, "once")
	asker.ended(t, "end_turn")
	m, c := shop.display(t, "the failure", func(_ *transcript.Message, c *transcript.ToolCall) bool { return c.Status == transcript.StatusFailed })
	up.Store(true)
	asker.st.reset()
	a.do(t, "RetryCall", conversation.CallRef{SpaceID: shop.id, MessageID: m.ID, ToolCallID: c.ID}, nil)
	shop.display(t, "the result", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Status == transcript.StatusCompleted
	})
	asker.isTold(t, "I ran laptops again", shop)
	asker.check(t)
	shop.check(t)
}
