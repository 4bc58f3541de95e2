//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

func init() { addScript("branches", branchScript) }

// branchScript tells the test what it is asked to do with sessions, and what it hears in a prompt. Its arguments: its capabilities, then what is
// odd about it: "forgets" (every session that it did not make itself), "nofork" (it offers to and refuses), "echo" (it repeats prompts), "mute".
func branchScript(a *scripted) {
	odd := func(name string) bool { return slices.Contains(a.args[1:], name) }
	a.initialize(a.args[0])
	for n := 0; ; {
		m := a.next(func(m message) bool { return strings.HasPrefix(m.Method, "session/") })
		name := strings.TrimPrefix(m.Method, "session/")
		if silent := odd("mute") && name == "close"; name != "prompt" && !silent {
			a.tell(strings.TrimSpace(name + " " + m.Params.SessionID))
		}
		switch name {
		case "new":
			n++
			a.session = fmt.Sprintf("s%d-%d", os.Getpid(), n)
			a.respond(m.ID, `{"sessionId":`+quote(a.session)+`}`)
		case "fork":
			if odd("nofork") {
				a.refuse(m.ID, -32603, "Not now")
				continue
			}
			a.session = m.Params.SessionID + "+"
			a.respond(m.ID, `{"sessionId":`+quote(a.session)+`}`)
		case "resume":
			if odd("forgets") {
				a.refuse(m.ID, -32002, "Session not found")
				continue
			}
			a.session = m.Params.SessionID
			a.respond(m.ID, `{}`)
		case "close", "delete":
			if !odd("mute") {
				a.respond(m.ID, `{}`)
			}
		case "prompt":
			a.turn = m.ID
			blocks := blocksOf(m)
			a.tell("prompt " + quote(strings.Join(blocks, "|")))
			if odd("echo") {
				for _, b := range rawBlocks(m) {
					a.update(`{"sessionUpdate":"user_message_chunk","content":` + string(b) + `}`)
				}
			}
			last := blocks[len(blocks)-1]
			switch {
			case strings.HasPrefix(last, "wait"):
				a.say("so far")
				a.call("open", "Something long", "in_progress")
				a.tell("waiting")
				a.await()
				a.callUpdate("open", "completed", "")
			default:
				a.call("read", "Read the tree", "completed")
				a.say("answer to " + last)
			}
			a.end("end_turn")
		}
	}
}

func rawBlocks(m message) []json.RawMessage {
	var p struct {
		Params struct {
			Prompt []json.RawMessage `json:"prompt"`
		} `json:"params"`
	}
	_ = json.Unmarshal([]byte(m.line), &p)
	return p.Params.Prompt
}

// blocksOf is the text of each block of a prompt; that of a resource has its address before it.
func blocksOf(m message) (list []string) {
	for _, raw := range rawBlocks(m) {
		var b struct {
			Text     string `json:"text"`
			Resource struct{ URI, Text string }
		}
		_ = json.Unmarshal(raw, &b)
		if b.Resource.URI != "" {
			b.Text = b.Resource.URI + " " + b.Resource.Text
		}
		list = append(list, b.Text)
	}
	return list
}

const managed = `{"promptCapabilities":{"embeddedContext":true},"sessionCapabilities":{"resume":{},"fork":{},"close":{},"delete":{}}}`

// branch makes a branch and follows it.
func (r *room) branch(t testing.TB, req conversation.BranchRequest) *room {
	t.Helper()
	req.SpaceID = r.id
	var sp spaces.Space
	r.do(t, "Branch", req, &sp)
	b := r.reenter(t, r.folder, sp.ID)
	b.ctl = r.ctl
	t.Cleanup(b.st.close)
	return b
}

// messages are those of the space as they are stored.
func (r *room) messages(t testing.TB) []*transcript.Message {
	t.Helper()
	conv, err := r.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	return conv.Messages
}

// comesTo waits for the space to have messages that fit.
func (r *room) comesTo(t testing.TB, what string, fits func([]*transcript.Message) bool) []*transcript.Message {
	t.Helper()
	r.settled(t)
	list := r.messages(t)
	if !fits(list) {
		t.Errorf("%s: there is\n%s", what, dump(list))
	}
	return list
}

// settled waits until nothing runs in the space.
func (r *room) settled(t testing.TB) {
	t.Helper()
	r.st.until(t, "the turn is over", func(*seen) bool {
		var snap conversation.Snapshot
		if err := r.try("OpenSpace", r.ref(), &snap); err != nil {
			t.Error(err)
			return true
		}
		return snap.Run == nil
	})
}

func (r *room) heardPrompt(t testing.TB) string {
	t.Helper()
	var text string
	line := r.ctl.hear(t)
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "prompt ")), &text); err != nil {
		t.Fatalf("the agent told %q, want a prompt", line)
	}
	return text
}

func TestEditAndResend(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "branches", managed)
	r.turn(t, "first", "end_turn")
	r.ctl.expect(t, "new")
	r.heardPrompt(t)
	r.turn(t, "second", "end_turn")
	r.heardPrompt(t)
	whole := r.messages(t)
	b := r.branch(t, conversation.BranchRequest{MessageID: whole[2].ID, Before: true, Text: "second, but better"})
	// From an earlier prompt no copy of the session would do: a new one is told what is before it.
	if line := b.ctl.hear(t); line != "new" {
		t.Fatalf("the agent was asked for %q", line)
	}
	got := b.heardPrompt(t)
	for _, want := range []string{transcript.PreludeOpening, "[person]\nfirst\n", "- Read the tree\n", "answer to first\n", transcript.PreludeEnd + "\n\n|second, but better"} {
		if !strings.Contains(got, want) {
			t.Errorf("the agent was not told %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "second|") || strings.Contains(got, "answer to second") {
		t.Errorf("the agent was told what the branch does not have:\n%s", got)
	}
	list := b.comesTo(t, "the branch", func(list []*transcript.Message) bool {
		return len(list) == 4 && list[2].Content() == "second, but better" && list[3].Content() == "answer to second, but better" &&
			list[0].ID == whole[0].ID && list[1].ID == whole[1].ID && strings.Contains(dump(list[3:]), "received the conversation so far")
	})
	same(t, &transcript.Conversation{Messages: whole[:2]}, &transcript.Conversation{Messages: list[:2]})
	r.kept(t)
	if now := r.messages(t); len(now) != 4 || now[2].Content() != "second" {
		t.Errorf("the old branch is\n%s", dump(now))
	}
	// It is told once.
	b = a.reenter(t, r.folder, b.id)
	b.ctl = r.ctl
	t.Cleanup(b.st.close)
	b.turn(t, "third", "end_turn")
	if got := b.heardPrompt(t); got != "third" {
		t.Errorf("the next prompt was %q", got)
	}
	var tree conversation.Tree
	a.do(t, "Branches", r.ref(), &tree)
	if len(tree.Spaces) != 2 || tree.Spaces[1].Parent != r.id || tree.Spaces[1].Words != "second, but better" || len(tree.Forks) != 1 ||
		tree.Forks[0].MessageID != whole[2].ID || !slices.Equal(tree.Forks[0].Spaces, []string{r.id, b.id}) || tree.Forks[0].At != 0 {
		t.Errorf("the tree is %+v", tree)
	}
	a.do(t, "Branches", b.ref(), &tree)
	if len(tree.Forks) != 1 || tree.Forks[0].MessageID != list[2].ID || tree.Forks[0].At != 1 {
		t.Errorf("as seen from the branch the tree is %+v", tree)
	}
	// What cannot be sent makes no branch.
	a.refused(t, "Branch", conversation.BranchRequest{SpaceID: r.id, MessageID: whole[2].ID, Before: true, Parts: []conversation.PromptPart{{Path: "gone.txt"}}}, "not_found")
	a.refused(t, "Branch", conversation.BranchRequest{SpaceID: r.id, MessageID: "nobody"}, "not_found")
	a.do(t, "Branches", r.ref(), &tree)
	if len(tree.Spaces) != 2 {
		t.Errorf("there are %d spaces", len(tree.Spaces))
	}
	// The branch outlives its parent.
	a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: r.id}, nil)
	if line := r.ctl.hear(t); !strings.HasPrefix(line, "close s") {
		t.Errorf("the agent heard %q", line)
	}
	b.turn(t, "fourth", "end_turn")
	a.do(t, "Branches", b.ref(), &tree)
	if len(tree.Spaces) != 1 || tree.Spaces[0].Parent != "" || len(tree.Forks) != 0 {
		t.Errorf("without its parent the tree is %+v", tree)
	}
	a.stop(t)
}

func TestBranchAtTheEndForksTheSession(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "branches", managed)
	r.turn(t, "first", "end_turn")
	r.ctl.expect(t, "new")
	r.heardPrompt(t)
	b := r.branch(t, conversation.BranchRequest{})
	line := b.ctl.hear(t)
	forked, ok := strings.CutPrefix(line, "fork ")
	if !ok || forked == "" {
		t.Fatalf("the agent was asked for %q, want a copy of its session", line)
	}
	b.turn(t, "second", "end_turn")
	if got := b.heardPrompt(t); got != "second" {
		t.Errorf("the agent knows it all, and was told %q", got)
	}
	list := b.messages(t)
	if len(list) != 4 || strings.Contains(dump(list), "told the conversation") {
		t.Errorf("the branch is\n%s", dump(list))
	}
	// From here on its copy is not what a second branch would need.
	r.turn(t, "third", "end_turn")
	r.heardPrompt(t)
	c := r.branch(t, conversation.BranchRequest{MessageID: list[1].ID})
	c.turn(t, "fourth", "end_turn")
	c.ctl.expect(t, "new")
	if got := c.heardPrompt(t); !strings.HasPrefix(got, transcript.PreludeOpening) || !strings.HasSuffix(got, "|fourth") {
		t.Errorf("the agent was told %q", got)
	}
	var copies spaces.AgentCopies
	a.do(t, "AgentCopies", b.ref(), &copies)
	if copies.Sessions != 1 || copies.AgentName == "" {
		t.Errorf("the agent has kept %+v", copies)
	}
	var deleted spaces.DeletedSpace
	a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: b.id, AtAgent: true}, &deleted)
	b.ctl.expect(t, "close "+forked+"+")
	b.ctl.expect(t, "delete "+forked+"+")
	if deleted.Left != "" {
		t.Errorf("left: %s", deleted.Left)
	}
	// A session in which nothing was said is not kept at the agent.
	d := a.reenter(t, r.folder, a.like(t, r).ID)
	t.Cleanup(d.st.close)
	a.do(t, "PrepareAgent", d.ref(), nil)
	r.ctl.expect(t, "new")
	a.do(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: d.id, Archived: new(true)}, nil)
	for _, name := range []string{"close", "delete"} {
		if line := r.ctl.hear(t); !strings.HasPrefix(line, name+" ") {
			t.Errorf("the agent heard %q, want %s", line, name)
		}
	}
	a.stop(t)
}

// like makes another space with the agent of r.
func (a *app) like(t testing.TB, r *room) spaces.Space {
	t.Helper()
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	var sp spaces.Space
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: snap.Space.AgentID, Folder: r.folder}, &sp)
	return sp
}

func TestBranchWhileSomethingRuns(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "branches", managed)
	r.turn(t, "first", "end_turn")
	r.ctl.expect(t, "new")
	r.heardPrompt(t)
	r.st.reset()
	r.send(t, "wait for it")
	r.heardPrompt(t)
	r.ctl.expect(t, "waiting")
	r.st.until(t, "the call", func(v *seen) bool { return strings.Contains(dump(v.conv.Messages), "Something long") })
	b := r.branch(t, conversation.BranchRequest{})
	list := b.messages(t)
	if len(list) != 4 || list[3].StopReason != "branched" || list[3].Content() != "so far" || callOf(list[3], "open").Status != transcript.StatusCancelled {
		t.Errorf("the branch has\n%s", dump(list))
	}
	// What runs continues where it began.
	r.ctl.say(t, "go")
	r.ended(t, "end_turn")
	if list := r.messages(t); callOf(list[3], "open").Status != transcript.StatusCompleted {
		t.Errorf("the old branch has\n%s", dump(list))
	}
	// What the branch holds no copy of the session has.
	b.turn(t, "go on", "end_turn")
	b.ctl.expect(t, "new")
	if got := b.heardPrompt(t); !strings.Contains(got, "so far\n- Something long (cancelled)\n[not finished]") {
		t.Errorf("the agent was told %q", got)
	}
	a.stop(t)
}

func TestForgottenSessionReceivesTheHistory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	// Without embedded context the conversation is a text; the agent repeats whatever it gets.
	r := a.scripted(t, "branches", `{"sessionCapabilities":{"resume":{},"fork":{}}}`, "forgets", "nofork", "echo")
	r.turn(t, "first", "end_turn")
	r.ctl.expect(t, "new")
	r.heardPrompt(t)
	b := r.branch(t, conversation.BranchRequest{})
	for range 2 { // once more without the servers, as the agent may have refused those
		if line := b.ctl.hear(t); !strings.HasPrefix(line, "fork ") {
			t.Fatalf("the agent was asked for %q", line)
		}
	}
	b.ctl.expect(t, "new")
	b.turn(t, "/second", "end_turn")
	if got := b.heardPrompt(t); !strings.HasPrefix(got, "/second|"+transcript.PreludeOpening) {
		t.Errorf("the agent was told %q", got)
	}
	a.kill()
	a = launch(t, home)
	again := a.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	t.Cleanup(again.st.close)
	again.turn(t, "third", "end_turn")
	if line := r.ctl.hear(t); !strings.HasPrefix(line, "resume ") {
		t.Fatalf("the agent was asked for %q", line)
	}
	r.ctl.expect(t, "new")
	if got := again.heardPrompt(t); !strings.HasPrefix(got, transcript.PreludeOpening) || !strings.HasSuffix(got, transcript.PreludeEnd+"\n\n|third") {
		t.Errorf("the agent was told %q", got)
	}
	list := again.messages(t)
	said := dump(list[3:])
	if !strings.Contains(said, "no longer knew this conversation. A new session was started and received the conversation so far.") {
		t.Errorf("the user is not told:\n%s", said)
	}
	if list[3].Content() != "answer to third" || strings.Contains(said, transcript.PreludeOpening) || strings.Contains(said, "text user") {
		t.Errorf("what the agent repeated is in the transcript:\n%s", said)
	}
	a.stop(t)
}

func TestLongHistoriesAreCut(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "branches", `{}`)
	long := strings.Repeat("many words ", 700)
	for i := range 30 {
		r.turn(t, fmt.Sprintf("number %d %s", i, long), "end_turn")
	}
	list := r.messages(t)
	b := r.branch(t, conversation.BranchRequest{MessageID: list[len(list)-1].ID, Text: "and now?"})
	for {
		if got := r.ctl.hear(t); strings.HasPrefix(got, "prompt") && strings.HasSuffix(got, `|and now?"`) {
			var text string
			if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "prompt ")), &text); err != nil {
				t.Fatal(err)
			}
			if len(text) > 70<<10 || !strings.Contains(text, "number 0 ") || strings.Contains(text, "number 15 ") || !strings.Contains(text, "number 29 ") || !strings.Contains(text, "messages are left out here]") {
				t.Errorf("the agent was told %d bytes: %.200s", len(text), text)
			}
			break
		}
	}
	b.comesTo(t, "the note", func(list []*transcript.Message) bool {
		return strings.Contains(dump(list[len(list)-1:]), "messages in the middle, because it is long.")
	})
	a.stop(t)
}

// An agent that does not answer a farewell does not hold up the end.
func TestFarewellIsShort(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "branches", managed, "mute")
	r.turn(t, "first", "end_turn")
	a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: r.id}, nil)
	noneLeft(t, r.ctl.l.Addr().String(), 0)
	a.stop(t)
}
