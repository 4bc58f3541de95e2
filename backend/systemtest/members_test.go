//go:build linux

package systemtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// company is a space with scripted agents as its members.
type company struct {
	*room
	ids  map[string]string   // of members, by name
	ctls map[string]*control // likewise
}

// gather makes a space with callers as members, each an agent of its own.
func (a *app) gather(t testing.TB, names ...string) company {
	t.Helper()
	dir, c := t.TempDir(), company{ids: map[string]string{}, ctls: map[string]*control{}}
	var team []spaces.MemberInput
	for _, name := range names {
		ctl := listen(t)
		id := a.custom(t, "Agent "+name, scriptedProgram, map[string]string{controlVariable: ctl.l.Addr().String()}, "scripted", "caller")
		c.ctls[name] = ctl
		team = append(team, spaces.MemberInput{Name: name, AgentID: id})
	}
	var sp spaces.Space
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: dir, Title: "Company", Members: team}, &sp)
	for _, m := range sp.Members {
		c.ids[m.Name] = m.ID
	}
	c.room = a.reenter(t, dir, sp.ID)
	t.Cleanup(c.st.close)
	return c
}

func (c company) tell(t testing.TB, text string, to ...string) conversation.SendPromptResult {
	t.Helper()
	req := conversation.SendPromptRequest{SpaceID: c.id, Text: text}
	for _, name := range to {
		req.To = append(req.To, c.ids[name])
	}
	var res conversation.SendPromptResult
	c.do(t, "SendPrompt", req, &res)
	return res
}

// said is the messages of a conversation, each with its author.
func said(v *seen) []string {
	var list []string
	for _, m := range v.conv.Messages {
		who := m.Author.Name
		if m.Role == transcript.RoleUser {
			who = "person"
		}
		list = append(list, who+": "+m.Content())
	}
	return list
}

// comes waits until the last messages are these and n runs have ended.
func (c company) comes(t testing.TB, runs int, want ...string) {
	t.Helper()
	got := []string{}
	defer func() {
		if t.Failed() {
			c.st.now(func(v *seen) { t.Logf("it was said:\n%s", strings.Join(said(v), "\n")) })
		}
	}()
	c.st.until(t, fmt.Sprintf("%d runs end and it was said: %q", runs, want), func(v *seen) bool {
		ended := 0
		for _, n := range v.runs {
			ended += n
		}
		got = said(v)
		return ended >= runs && len(got) >= len(want) && slices.Equal(got[len(got)-len(want):], want)
	})
}

func mention(space, text, who string, wait bool) wish {
	args := map[string]any{"spaceId": space, "text": text, "mention": who}
	if wait {
		args["wait"] = true
	}
	return wish{Tool: "sendSpaceMessage", Args: args}
}

// Several members are asked with one message and answer in messages of their own, at the same time.
func TestMembersAreAskedTogether(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	c.tell(t, wishes(wish{Say: "Half ", Wait: true}, wish{Say: "and whole."}), "Ann", "Bob")
	c.ctls["Ann"].expect(t, "waits")
	c.ctls["Bob"].expect(t, "waits")
	c.st.until(t, "both have begun", func(v *seen) bool { return strings.Count(strings.Join(said(v), "\n"), ": Half ") == 2 })
	var snap conversation.Snapshot
	c.do(t, "OpenSpace", c.ref(), &snap)
	if len(snap.Runs) != 2 || snap.Runs[0].MemberID == snap.Runs[1].MemberID || snap.Space.State != spaces.SpaceRunning {
		t.Errorf("runs: %+v, the space is %s", snap.Runs, snap.Space.State)
	}
	c.ctls["Bob"].say(t, "go on")
	c.comes(t, 1, "Ann: Half ", "Bob: Half and whole.")
	c.ctls["Ann"].say(t, "go on")
	c.comes(t, 2, "Ann: Half and whole.", "Bob: Half and whole.")

	// Nobody is named: the default member. What it is told is what the other said.
	c.st.reset()
	c.tell(t, "And you?")
	c.comes(t, 1, "person: And you?", "Ann: heard: And you?")

	// One that works gets it later, and the words are there once.
	c.st.reset()
	c.tell(t, wishes(wish{Say: "Busy. ", Wait: true}), "Bob")
	c.ctls["Bob"].expect(t, "waits")
	if res := c.tell(t, "Both of you.", "Ann", "Bob"); res.Queued {
		t.Error("it is queued although Ann is free")
	}
	c.comes(t, 1, "person: Both of you.", "Ann: heard: Both of you.")
	c.ctls["Bob"].say(t, "go on")
	c.comes(t, 3, "Bob: Busy. ", "person: Both of you.", "Ann: heard: Both of you.", "Bob: heard: Both of you.")
	c.check(t)
}

// A member asks another and waits for it: its message ends before that one's begins, and what it says then comes after it.
func TestMembersAskEachOther(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	c.tell(t, wishes(wish{Say: "Asking. "}, mention(c.id, "What do you think?", "bob", true)))
	c.comes(t, 2,
		"Ann: Asking. What do you think?",
		"Bob: heard: Ann asks you in this space:\n\nWhat do you think?",
		`Ann: {{"messageId":"`+c.message(t, 1)+`","reply":"heard: Ann asks you in this space:\n\nWhat do you think?"}}`)
	runs := map[string]int{}
	c.st.now(func(v *seen) {
		for _, m := range v.conv.Messages[1:] {
			runs[m.RunID]++
			if m.EndedAt == 0 {
				t.Errorf("the message of %s has no end", m.Author.Name)
			}
		}
	})
	if got := slices.Sorted(maps.Values(runs)); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("messages per run: %v", got)
	}
	// Every message of a run leads to all of them.
	for run, n := range runs {
		var all conversation.RunMessages
		c.do(t, "RunMessages", conversation.RunRef{RunID: run}, &all)
		if len(all.Messages) != n || all.Run.EndedAt == 0 {
			t.Errorf("run %s: %+v", run, all)
		}
	}
	c.check(t)
}

// message is the id of the n-th message.
func (c company) message(t testing.TB, n int) (id string) {
	t.Helper()
	c.st.until(t, "the message", func(v *seen) bool {
		if len(v.conv.Messages) > n {
			id = v.conv.Messages[n].ID
		}
		return id != ""
	})
	return id
}

// What cannot be asked is refused with a sentence, and the text is there all the same.
func TestRefusedMentionKeepsTheText(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	for _, one := range []struct{ name, who, says string }{
		{"nobody of that name", "Zoe", `There is no member called "Zoe"`},
		{"itself", "Ann", "You mentioned yourself"},
	} {
		c.st.reset()
		c.turn(t, wishes(mention(c.id, "Hello?", one.who, false)), "end_turn")
		if text := c.agentText(); !strings.Contains(text, one.says) || !strings.Contains(text, "The text was added, but no agent was asked") || !strings.HasPrefix(text, "Hello?") {
			t.Errorf("%s: %s", one.name, text)
		}
	}

	// Two that wait for each other: the second is refused, the first is told with its reply.
	c.st.reset()
	c.tell(t, wishes(mention(c.id, wishes(mention(c.id, "No, you first.", "Ann", true)), "Bob", true)))
	c.st.until(t, "both end", func(v *seen) bool { return v.runs["end_turn"] == 2 })
	all := ""
	c.st.now(func(v *seen) { all = strings.Join(said(v), "\n") })
	if !strings.Contains(all, "Ann is waiting for you, so neither of you could continue") || !strings.Contains(all, "Bob asked you while you waited for it") {
		t.Errorf("the circle: %s", all)
	}

	// One that is stopped gives no reply.
	c.st.reset()
	c.tell(t, wishes(mention(c.id, wishes(wish{Say: "Hm. ", Wait: true}), "Bob", true)))
	c.ctls["Bob"].expect(t, "waits")
	c.do(t, "StopRun", ref.MemberRef{SpaceID: c.id, MemberID: c.ids["Bob"]}, nil)
	c.ctls["Bob"].say(t, "go on")
	c.st.until(t, "both end", func(v *seen) bool { return v.runs["end_turn"] == 2 }) // the script does not hear of the stop
	if text := c.agentText(); !strings.Contains(text, "there is no reply: It was stopped") {
		t.Errorf("the stopped one: %s", text)
	}
	c.check(t)
}

// Agents that ask each other again and again are stopped by the limits of the settings.
func TestChainsOfMentionsEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, settingsPath(home), `{"mentions": {"depth": 3}}`)
	a := launch(t, home)
	c := a.gather(t, "Ann", "Bob")
	text := wishes()
	for n := range 6 {
		text = wishes(mention(c.id, text, []string{"Ann", "Bob"}[n%2], false))
	}
	c.tell(t, text, "Ann")
	c.st.until(t, "the limit", func(v *seen) bool {
		return v.runs["end_turn"] == 4 && strings.Contains(strings.Join(said(v), "\n"), "agents have asked each other 3 times in a row")
	})
	c.check(t)
}

// A member can be renamed while its agent sends to the space and asks another one.
func TestMemberIsRenamedWhileItSends(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	const texts = 20
	list := []wish{{Say: "Half ", Wait: true}}
	for i := range texts {
		list = append(list, wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": c.id, "text": fmt.Sprintf("Text %d.", i)}})
	}
	c.tell(t, wishes(append(list, mention(c.id, "And you?", "Bob", true))...), "Ann")
	c.ctls["Ann"].expect(t, "waits")
	over := make(chan error, 1)
	go func() {
		over <- c.st.awaitFor(timeout, "both have answered", func(v *seen) bool { return v.runs["end_turn"] == 2 })
	}()
	c.ctls["Ann"].say(t, "go on")
	names := []string{"Ann", "Anna"}
	for n := 0; len(over) == 0; n++ {
		c.do(t, "UpdateMember", spaces.UpdateMemberRequest{SpaceID: c.id, MemberID: c.ids["Ann"], Name: &names[n%2]}, nil)
	}
	must(t, <-over)
	c.st.now(func(v *seen) {
		all := strings.Join(slices.DeleteFunc(said(v), func(line string) bool { return strings.HasPrefix(line, "person: ") }), "\n")
		for i := range texts {
			if text := fmt.Sprintf("Text %d.", i); strings.Count(all, text) != 1 {
				t.Errorf("%q is there %d times:\n%s", text, strings.Count(all, text), all)
			}
		}
	})
	c.check(t)
	a.stop(t)
}

// Of a member that speaks by tool only what it sends is said; it appears while it is written, and once.
func TestMemberThatSpeaksByToolSaysOnlyWhatItSends(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	c := a.gather(t, "Ann", "Bob")
	speaks := "tool"
	c.do(t, "UpdateMember", spaces.UpdateMemberRequest{SpaceID: c.id, MemberID: c.ids["Ann"], Speaks: &speaks}, nil)
	text := "This is said — größe 日本."
	c.tell(t, wishes(wish{Say: "I think."}, wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": c.id, "text": text}, Delta: 3}))
	c.ctls["Ann"].expect(t, "written")
	c.st.until(t, "the text before the call", func(v *seen) bool { return strings.Contains(strings.Join(said(v), "\n"), text) })
	c.ctls["Ann"].say(t, "go on")
	c.ended(t, "end_turn")
	var segments []string
	c.st.now(func(v *seen) {
		for _, s := range v.message().Segments {
			switch {
			case s.Type == transcript.SegmentText:
				segments = append(segments, "says "+s.Text)
			case len(s.Items) > 0 && s.Items[0].Call == nil:
				segments = append(segments, "thinks")
			default:
				segments = append(segments, "does "+s.Items[0].Call.Title)
			}
		}
	})
	if want := []string{"thinks", "says " + text, "thinks"}; !slices.Equal(segments, want) {
		t.Errorf("%q, want %q", segments, want)
	}

	// Also where the space is known before there is any text, and someone is asked.
	c.st.reset()
	c.tell(t, wishes(wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": c.id, "text": "Bob?", "mention": "Bob"}, Delta: 1}))
	c.ctls["Ann"].expect(t, "written")
	c.ctls["Ann"].say(t, "go on")
	c.st.until(t, "both end", func(v *seen) bool { return v.runs["end_turn"] == 2 })
	c.st.now(func(v *seen) {
		for _, m := range v.conv.Messages {
			for _, s := range m.Segments {
				for _, it := range s.Items {
					if it.Call != nil {
						t.Errorf("%s: a row %q", m.Author.Name, it.Call.Title)
					}
				}
			}
		}
	})
	c.check(t)
}

// Members come and go; a newcomer reads as far back as it may.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	c := a.gather(t, "Ann", "Bob")
	c.turn(t, "The old secret.", "end_turn")
	ctl := listen(t)
	id := a.custom(t, "Agent Cy", scriptedProgram, map[string]string{controlVariable: ctl.l.Addr().String()}, "scripted", "caller")
	var sp spaces.Space
	c.do(t, "AddMember", spaces.AddMemberRequest{SpaceID: c.id, MemberInput: spaces.MemberInput{Name: "Cy", AgentID: id, Reads: "joined"}}, &sp)
	c.ids["Cy"] = sp.Members[2].ID
	c.refused(t, "AddMember", spaces.AddMemberRequest{SpaceID: c.id, MemberInput: spaces.MemberInput{Name: "cy", AgentID: id}}, "conflict")
	c.refused(t, "AddMember", spaces.AddMemberRequest{SpaceID: c.id, MemberInput: spaces.MemberInput{Name: "two words", AgentID: id}}, "invalid")
	c.st.reset()
	c.tell(t, wishes(wish{Tool: "readSpaceMessages", Args: map[string]any{"spaceId": c.id}}), "Cy")
	c.ended(t, "end_turn")
	if text := c.agentText(); strings.Contains(text, "secret") || !strings.Contains(text, "readSpaceMessages") {
		t.Errorf("Cy reads %s", text)
	}
	if told := c.prompted(t, "Cy"); strings.Contains(told, "secret") || !strings.Contains(told, "You are called Cy") || !strings.Contains(told, "- Ann") {
		t.Errorf("Cy is told %s", told)
	}
	// Bob, who may, is told what was said before it was asked first, and later only what is new.
	c.st.reset()
	c.tell(t, "Now Bob.", "Bob")
	c.ended(t, "end_turn")
	if told := c.prompted(t, "Bob"); !strings.Contains(told, "secret") || strings.Contains(told, "Now Bob.\n") {
		t.Errorf("Bob is told %s", told)
	}
	c.turn(t, "Something new.", "end_turn")
	c.st.reset()
	c.tell(t, "Bob again.", "Bob")
	c.ended(t, "end_turn")
	if told := c.prompted(t, "Bob"); strings.Contains(told, "secret") || !strings.Contains(told, "Something new.") || strings.Contains(told, "You are called") {
		t.Errorf("Bob is told %s", told)
	}
	// Who leaves is stopped, and what it said stays. The default continues to the next.
	c.st.reset()
	c.tell(t, wishes(wish{Say: "Still here. ", Wait: true}))
	c.ctls["Ann"].expect(t, "waits")
	c.do(t, "RemoveMember", ref.MemberRef{SpaceID: c.id, MemberID: c.ids["Ann"]}, &sp)
	c.ended(t, "cancelled")
	if len(sp.Members) != 2 || sp.Members[0].Name != "Bob" || !sp.Members[0].Default || sp.AgentName != "Agent Bob" {
		t.Errorf("%+v %s", sp.Members, sp.AgentName)
	}
	c.st.reset()
	c.turn(t, "Who is there?", "end_turn")
	c.comes(t, 1, "Bob: heard: Who is there?")
	c.check(t)
	a.kill()

	// All of it is there after a restart.
	a = launch(t, home)
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", c.ref(), &snap)
	if len(snap.Space.Members) != 2 || snap.Space.Members[1].Name != "Cy" || snap.Space.Members[1].Reads != "joined" {
		t.Errorf("%+v", snap.Space.Members)
	}
}

// prompted is the last prompt that a member was sent, with all that it was told, from its protocol log.
func (c company) prompted(t testing.TB, name string) string {
	t.Helper()
	var list []conversation.ProtocolEntry
	c.do(t, "ProtocolLog", conversation.ProtocolLogRequest{SpaceID: c.id, MemberID: c.ids[name], Filter: "session/prompt"}, &list)
	last := ""
	for _, e := range list {
		if strings.Contains(e.Line, `"session/prompt"`) {
			last = strings.ReplaceAll(strings.ReplaceAll(e.Line, `\n`, "\n"), `\"`, `"`)
		}
	}
	return last
}

// What is sent in the end is there, also where it is not what was shown while it was written; and a message can be read as its parts.
func TestFinalTextReplacesTheStreamedText(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	from := a.scripted(t, "caller")
	to := a.reenter(t, from.folder, a.like(t, from).ID)
	from.send(t, wishes(wish{Tool: "sendSpaceMessage", Args: map[string]any{"spaceId": to.id, "text": "The right words."}, Shown: map[string]any{"spaceId": to.id, "text": "The wrong ones"}, Delta: 4},
		wish{Tool: "showCard", Args: map[string]any{"title": "A card", "targetSpaceId": to.id}}))
	from.ctl.expect(t, "written")
	to.st.until(t, "the text before the call", func(v *seen) bool { return v.message().Content() == "The wrong ones" })
	from.ctl.say(t, "go on")
	from.ended(t, "end_turn")
	id := ""
	to.st.until(t, "the end", func(v *seen) bool { id = v.message().ID; return v.message().EndedAt > 0 })
	var m transcript.CompositeMessage
	to.do(t, "MessageParts", ref.MessageRef{SpaceID: to.id, MessageID: id}, &m)
	if len(m.Parts) != 3 || m.Parts[1].Text != "The right words." || m.Parts[2].Name != "showCard" || strings.Contains(string(m.Parts[2].Args), "targetSpaceId") ||
		m.SpaceID != to.id || m.EntityID == "" || m.RunID == "" || m.Parts[2].Status != transcript.StatusCompleted {
		t.Errorf("%+v", m)
	}
	to.check(t)
}
