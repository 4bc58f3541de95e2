//go:build linux

package systemtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

func init() { addScript("keeps", keeps) }

// keeps has two earlier conversations, told on two pages; "c2" cannot be loaded. Its argument is their folder.
func keeps(a *scripted) {
	a.initialize(`{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{}}}`)
	for {
		m := a.next(func(m message) bool { return strings.HasPrefix(m.Method, "session/") })
		var p struct {
			Params struct {
				Cursor    string `json:"cursor"`
				SessionID string `json:"sessionId"`
			} `json:"params"`
		}
		_ = json.Unmarshal([]byte(m.line), &p)
		switch {
		case m.Method == "session/list" && p.Params.Cursor == "":
			a.respond(m.ID, `{"sessions":[{"sessionId":"c1","cwd":`+quote(a.args[0])+`,"title":"Pick\nthe apples","updatedAt":"2026-11-01T10:00:00Z"},{"sessionId":""},7],"nextCursor":"more"}`)
		case m.Method == "session/list":
			a.respond(m.ID, `{"sessions":[{"sessionId":"c2","cwd":"relative","updatedAt":"yesterday"}]}`)
		case m.Method == "session/load" && p.Params.SessionID == "c2":
			a.refuse(m.ID, -32002, "Session not found")
		case m.Method == "session/load":
			a.session = p.Params.SessionID
			a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Pick the apples"}}`)
			a.call("t1", "Looking at the tree", "completed")
			a.say("Picked.")
			if _, err := os.Stat(filepath.Join(a.args[0], "more")); err == nil { // it has gone on elsewhere
				a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"And the plums?"}}`)
				a.say("Those, too.")
			}
			a.respond(m.ID, `{}`)
		case m.Method == "session/resume":
			a.session = p.Params.SessionID
			a.respond(m.ID, `{}`)
		case m.Method == "session/prompt":
			a.turn = m.ID
			a.say("And now the pears.")
			a.end("end_turn")
		}
	}
}

func TestEarlierConversationsAreTakenOver(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	dir := t.TempDir()
	agent := a.custom(t, "Keeps", scriptedProgram, nil, "scripted", "keeps", dir)
	var first, second interchange.Earlier
	a.do(t, "EarlierSessions", interchange.EarlierRequest{AgentID: agent}, &first)
	a.do(t, "EarlierSessions", interchange.EarlierRequest{AgentID: agent, Cursor: first.Next}, &second)
	if len(first.Sessions) != 1 || first.Sessions[0] != (interchange.EarlierSession{SessionID: "c1", Title: "Pick\nthe apples", Folder: dir, UpdatedAt: 1793527200000}) || first.Next != "more" {
		t.Errorf("the first page is %+v", first)
	}
	if len(second.Sessions) != 1 || second.Sessions[0] != (interchange.EarlierSession{SessionID: "c2"}) || second.Next != "" {
		t.Errorf("the second page is %+v", second)
	}
	var sp, again spaces.Space
	req := interchange.ImportSessionRequest{AgentID: agent, SessionID: "c1", Folder: dir, Title: first.Sessions[0].Title}
	a.do(t, "ImportSession", req, &sp)
	a.do(t, "ImportSession", req, &again)
	if sp.ID != again.ID || sp.Title != "Pick" || sp.Folder != dir {
		t.Errorf("imported as %+v, and again as %+v", sp, again)
	}
	r := a.reenter(t, dir, sp.ID)
	t.Cleanup(r.st.close)
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	if n := len(snap.Page.Messages); n != 2 || snap.Page.Messages[0].Role != transcript.RoleUser {
		t.Errorf("there are %d messages", n)
	}
	// What was said elsewhere since comes when it is asked for again, and once.
	if err := os.WriteFile(filepath.Join(dir, "more"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a.do(t, "ImportSession", req, &again)
		if list := r.messages(t); again.ID != sp.ID || len(list) != 4 || list[2].Content() != "And the plums?" || list[3].Content() != "Those, too." {
			t.Errorf("with what was said elsewhere there is\n%s", dump(list))
		}
	}
	// What cannot be told apart is left alone.
	r.turn(t, "and the pears?", "end_turn")
	a.do(t, "ImportSession", req, &again)
	if list := r.messages(t); len(list) != 6 {
		t.Errorf("afterwards there is\n%s", dump(list))
	}
	r.turn(t, "and the cherries?", "end_turn")
	a.do(t, "EarlierSessions", interchange.EarlierRequest{AgentID: agent, Folder: dir}, &first)
	if first.Sessions[0].SpaceID != sp.ID {
		t.Errorf("the list does not know the space: %+v", first)
	}
	// What cannot be loaded leaves no space behind.
	var before, after []spaces.Space
	a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &before)
	if err := a.try("ImportSession", interchange.ImportSessionRequest{AgentID: agent, SessionID: "c2"}, nil); err == nil {
		t.Error("a conversation that the agent does not know was imported")
	}
	a.refused(t, "ImportSession", interchange.ImportSessionRequest{AgentID: agent, SessionID: "c3", Folder: dir + "/gone"}, "folder_not_found")
	a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &after)
	if len(after) != len(before) {
		t.Errorf("%d spaces before, %d after", len(before), len(after))
	}
	a.refused(t, "EarlierSessions", interchange.EarlierRequest{AgentID: a.custom(t, "Echo", scriptedProgram, nil, "scripted", "echo")}, "unsupported")
	a.stop(t)
}
