//go:build linux

package systemtest

import (
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// guest is what a space shows of a run of another space that writes into it.
func (r *room) guest(t testing.TB) (list []conversation.Run) {
	t.Helper()
	var snap conversation.Snapshot
	r.do(t, "OpenSpace", r.ref(), &snap)
	if snap.Run != nil {
		t.Errorf("%s is taken for a run of the space itself", snap.Run.ID)
	}
	return snap.Runs
}

// A space into which a run of another one writes is told about that run until it ends, and can stop it.
func TestRunIsShownInEverySpaceItWritesTo(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	finance := a.reenter(t, shop.folder, a.like(t, shop).ID)
	if list := finance.guest(t); len(list) > 0 {
		t.Fatalf("%+v works there before anything is written", list)
	}
	shop.send(t, wishes(
		wish{Say: "Looking. ", Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": finance.id, "text": "A question for you."}, Delta: 4},
		wish{Say: "Going on. ", Wait: true},
	))
	shop.ctl.expect(t, "written")
	finance.st.until(t, "the text", func(v *seen) bool { return v.message().Content() == "A question for you." })
	var begun transcript.RunCreated
	finance.st.now(func(v *seen) {
		if len(v.guests) == 1 {
			begun = v.guests[0]
		}
	})
	message := transcript.Message{}
	finance.st.now(func(v *seen) { message = *v.message() })
	if begun.RunID == "" || begun.RunID != message.RunID || begun.SpaceID != shop.id || begun.AgentName != message.Author.Name {
		t.Errorf("the space was told of %+v, want the run of %+v in %s", begun, message.Author, shop.id)
	}
	shop.st.now(func(v *seen) {
		if len(v.guests) > 0 {
			t.Errorf("the space of the run was told of it as of another one's: %+v", v.guests)
		}
	})
	list := finance.guest(t)
	if len(list) != 1 || list[0].ID != begun.RunID || list[0].SpaceID != shop.id || list[0].MessageID != message.ID || list[0].MemberID != transcript.MainMember {
		t.Errorf("the space has the runs %+v", list)
	}
	if state := finance.listed(t).State; state != spaces.SpaceRunning {
		t.Errorf("the list says that the space is %s", state)
	}

	// What is stopped in the other space is this run, and only by its id.
	shop.ctl.say(t, "go on")
	shop.ctl.expect(t, "waits")
	finance.stop(t)
	a.do(t, "StopRun", conversation.StopRunRequest{SpaceID: finance.id, RunID: "run_unknown"}, nil)
	if list := finance.guest(t); len(list) != 1 || list[0].Stopping {
		t.Fatalf("to stop the other space itself has changed its guest: %+v", list)
	}
	a.do(t, "StopRun", conversation.StopRunRequest{SpaceID: finance.id, RunID: begun.RunID}, nil)
	if list := finance.guest(t); len(list) != 1 || !list[0].Stopping {
		t.Errorf("it is not stopping: %+v", list)
	}
	shop.ctl.say(t, "go on")
	shop.ended(t, "end_turn") // as its agent says
	finance.st.until(t, "the end of the guest", func(v *seen) bool { return v.left == 1 })
	if list := finance.guest(t); len(list) != 0 {
		t.Errorf("%+v is still there", list)
	}
	var of conversation.RunMessages
	a.do(t, "RunMessages", conversation.RunRef{RunID: begun.RunID}, &of)
	if of.Run.SpaceID != shop.id || len(of.Messages) != 2 {
		t.Errorf("the run is %+v", of)
	}
	shop.check(t)
	finance.check(t)
}

// listed is a space as the list tells it.
func (r *room) listed(t testing.TB) (found spaces.Space) {
	t.Helper()
	var list []spaces.Space
	r.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
	for _, s := range list {
		if s.ID == r.id {
			found = s
		}
	}
	return found
}

// A mention ends the message, not the run: the space is told about that once, when the run ends.
func TestGuestStaysBehindAMention(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	shop := a.scripted(t, "caller")
	finance := a.gather(t, "Bob")
	var sp spaces.Space
	a.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: finance.id, MemberInput: spaces.MemberInput{AgentID: shop.listed(t).AgentID, Name: "Guest"}}, &sp)
	shop.send(t, wishes(mention(finance.id, "Look at this.", "Bob", true), wish{Say: "x", Wait: true}))
	shop.ctl.expect(t, "waits")
	finance.st.until(t, "Bob's run ends", func(v *seen) bool { return v.runs["end_turn"] == 1 })
	if list := finance.guest(t); len(list) != 1 || list[0].SpaceID != shop.id {
		t.Errorf("behind the mention the space has the runs %+v", list)
	}
	shop.ctl.say(t, "go on")
	shop.ended(t, "end_turn")
	finance.st.until(t, "the end of the guest", func(v *seen) bool { return v.left == 1 })
	finance.st.now(func(v *seen) {
		if len(v.guests) != 1 {
			t.Errorf("the space was told %d times that the run began", len(v.guests))
		}
	})
	finance.check(t)
}

// A run that ends with the app is over in every space.
func TestGuestEndsWithTheApp(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	shop := a.scripted(t, "caller")
	finance := a.reenter(t, shop.folder, a.like(t, shop).ID)
	shop.send(t, wishes(wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": finance.id, "text": "Begun."}, Delta: 4}))
	shop.ctl.expect(t, "written")
	finance.st.until(t, "the text", func(v *seen) bool { return v.message().Content() == "Begun." })
	var at conversation.SinceRequest
	finance.st.now(func(v *seen) { at = conversation.SinceRequest{SpaceID: finance.id, Epoch: v.epoch, Seq: v.seq} })
	a.kill()
	a = launch(t, home)
	var events conversation.Events
	a.do(t, "Since", at, &events)
	over := 0
	for _, raw := range events.Events {
		e, err := transcript.ParseEvent(raw)
		if err != nil {
			t.Fatal(err)
		}
		if done, ok := e.Body.(*transcript.RunCompleted); ok {
			over++
			if done.SpaceID != shop.id || done.StopReason != "interrupted" {
				t.Errorf("it was told that %+v", done)
			}
		}
	}
	if over != 1 && !events.Reset {
		t.Errorf("the end was told %d times", over)
	}
	again := &room{app: a, id: finance.id, folder: finance.folder}
	if list := again.guest(t); len(list) != 0 {
		t.Errorf("after the restart the space has the runs %+v", list)
	}
}
