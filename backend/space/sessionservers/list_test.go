package sessionservers

import (
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/settings"
	"weft/backend/space/toolcalls"
)

func TestServerIsConnectedOnceItsCallIsShown(t *testing.T) {
	var l List
	if l.Waits() || l.ReachedGateway() {
		t.Error("an empty list waits for a server")
	}
	l.Set([]Handed{{Name: "weft", Via: settings.ViaGateway, Handed: true}, {Name: "files", Handed: true}, {Name: "refused"}})
	before := l.All()
	call := &transcript.ToolCall{Name: "mcp__files__read"}
	if !l.Called(call) || l.Called(call) {
		t.Error("the first call isn't new, or the second one is")
	}
	if l.Called(&transcript.ToolCall{Name: "mcp__weft__read"}) || l.Called(&transcript.ToolCall{Name: "mcp__refused__read"}) {
		t.Error("a call connects to the gateway, or to a server that wasn't handed over")
	}
	if now := l.All(); now[0].Connected || !now[1].Connected || now[2].Connected || before[1].Connected {
		t.Errorf("%+v, and before %+v", now, before)
	}
	if !l.Waits() || !l.ReachedGateway() || l.ReachedGateway() || l.Waits() {
		t.Error("the gateway isn't reached once")
	}
}

func TestReportsThatNameToolConnectToItsServer(t *testing.T) {
	var l List
	l.Set([]Handed{{Name: "files", Handed: true}})
	name, other, done := "mcp__files__read", "mcp__other__read", transcript.StatusCompleted
	if open := (toolcalls.Open{}); l.Shown(open, &transcript.ToolPatch{ID: "a", Name: &other}) || l.Shown(open, &transcript.ToolPatch{ID: "a", Status: &done}) {
		t.Error("another call connects to the server")
	}
	if open := (toolcalls.Open{}); !l.Shown(open, &transcript.ToolPatch{ID: "a", Name: &name}) || l.Shown(open, &transcript.ToolPatch{ID: "b", Name: &name}) {
		t.Error("the first call isn't new, or the second one is")
	}
	l.Set([]Handed{{Name: "files", Handed: true}})
	open := toolcalls.Open{}
	open.Update(&transcript.ToolPatch{ID: "a", Name: &name}, 1)
	if l.Shown(open, &transcript.ToolPatch{ID: "a", Name: &name}) {
		t.Error("a report that says nothing new of the tool connects to the server")
	}
}

func TestServersThatTheAgentRefuses(t *testing.T) {
	var l List
	l.Set([]Handed{{Name: "through", Via: settings.ViaGateway, Handed: true}, {Name: "files", Handed: true}, {Name: "web", Why: "transport"}})
	before := l.All()
	if names := l.Refuse(); len(names) != 2 || names[0] != "through" || names[1] != "files" {
		t.Errorf("%q are refused", names)
	}
	if now := l.All(); now[0].Handed || now[1].Why != "refused" || now[2].Why != "transport" || !before[0].Handed || l.Waits() {
		t.Errorf("%+v, before %+v", now, before)
	}
}
