package gatecalls

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/space/toolcalls"
)

// session drives the calls of one session, with a fake clock.
type session struct {
	*Calls[string]
	open  toolcalls.Open
	now   time.Time
	count int
}

// find knows the tools "send", which writes to spaces, and "act", which the gateway asks about.
func find(called string) (Tool, bool) {
	for _, name := range []string{"send", "act"} {
		switch {
		case called == prefix+name, called == name+" (weft MCP Server)":
			return Tool{Name: name, Exact: true, Acts: name == "act", Bare: withoutTarget}, true
		case strings.HasPrefix(called, name):
			return Tool{Name: name, Acts: name == "act", Bare: withoutTarget}, true
		}
	}
	return Tool{}, false
}

func withoutTarget(args jsontext.Value) jsontext.Value { return args }

func newSession() *session {
	open := toolcalls.Open{}
	return &session{Calls: New[string](find, open), open: open, now: time.Unix(1000, 0)}
}

// tells reports an agent's update of a call; "" means that a field isn't set.
func (s *session) tells(id, name, title, input, delta string, status transcript.Status, announced bool) Report[string] {
	p := &transcript.ToolPatch{ID: id, Announced: announced, InputDelta: delta}
	if name != "" {
		p.Name = &name
	}
	if title != "" {
		p.Title = &title
	}
	if input != "" {
		p.Input = jsontext.Value(input)
	}
	if status != "" {
		p.Status = &status
	}
	r := s.Report(p, true)
	s.count++
	s.open.Update(p, s.count)
	return r
}

func (s *session) shows(id, title, input string) Report[string] {
	return s.tells(id, "", title, input, "", transcript.StatusPending, true)
}

func (s *session) arrives(tool, sent string) *Arrival[string] {
	return s.Arrive(tool, jsontext.Value(sent), s.now)
}

func lineOf(a *Arrival[string]) string {
	if a.Call == nil {
		return ""
	}
	return a.Call.ID
}

func TestCallThatArrivesGetsItsLineAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		show func(s *session)
		sent string
		want string
	}{
		{"same arguments", func(s *session) { s.shows("a", "send", `{"to": "x", "text":"t"}`) }, `{"text":"t","to":"x"}`, "a"},
		{"the oldest of the same arguments", func(s *session) { s.shows("b", "send", `{"n":1}`); s.shows("a", "send", `{"n":1}`) }, `{"n":1}`, "b"},
		{"the one with the arguments", func(s *session) { s.shows("a", "send", `{"n":1}`); s.shows("b", "send", `{"n":2}`) }, `{"n":2}`, "b"},
		{"its arguments before an older one without any", func(s *session) { s.shows("a", "send", ""); s.shows("b", "send", `{"n":2}`) }, `{"n":2}`, "b"},
		{"wrapped arguments", func(s *session) {
			s.shows("a", "use_mcp_tool", `{"server_name":"weft","tool_name":"send","arguments":"{\"n\":1}"}`)
		}, `{"n":1}`, "a"},
		{"arguments within a request", func(s *session) { s.shows("a", "send", `{"id":7,"request":{"params":{"n":1}}}`) }, `{"n":1}`, "a"},
		{"an unknown name with the arguments", func(s *session) { s.shows("a", "Something", `{"n":1}`) }, `{"n":1}`, "a"},
		{"an unknown name with the arguments before a line without any", func(s *session) { s.shows("a", "send", ""); s.shows("b", "Something", `{"n":1}`) }, `{"n":1}`, "b"},
		{"a line without arguments", func(s *session) { s.shows("a", "send", "{}") }, `{"n":1}`, "a"},
		{"an input that is written", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"n":1,"text":"ab`, "", false)
		}, `{"n":1,"text":"abc"}`, "a"},
		{"an input that is written whole", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"n":1}`, "", false)
		}, `{"n":1}`, "a"},
		{"not another one's input that is written whole", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"n":1}`, "", false)
		}, `{"n":2}`, ""},
		{"not another one's input that is being written", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"n":1,"te`, "", false)
		}, `{"n":2}`, ""},
		{"not another one's text that is being written", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"text":"no`, "", false)
		}, `{"text":"yes"}`, ""},
		{"not one with other arguments", func(s *session) { s.shows("a", "send", `{"n":1}`) }, `{"n":2}`, ""},
		{"not one of another tool", func(s *session) { s.shows("a", "act", "") }, `{"n":2}`, ""},
		{"not one that has ended", func(s *session) {
			s.shows("a", "send", `{"n":1}`)
			s.tells("a", "", "", "", "", transcript.StatusFailed, false)
		}, `{"n":1}`, ""},
		{"not one that is taken", func(s *session) { s.shows("a", "send", `{"n":1}`); s.arrives("send", `{"n":1}`) }, `{"n":1}`, ""},
		{"not a command of the agent", func(s *session) { s.shows("a", "Bash", `{"command":"ls"}`) }, `{"n":1}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSession()
			test.show(s)
			a := s.arrives("send", test.sent)
			if got := lineOf(a); got != test.want {
				t.Errorf("the line is %q, want %q", got, test.want)
			}
			if a.Settled != (test.want != "") {
				t.Errorf("settled is %v", a.Settled)
			}
		})
	}
}

func TestCallWaitsForItsLineUntilTheDeadlineOnly(t *testing.T) {
	s := newSession()
	a := s.arrives("send", `{"n":1}`)
	if a.Settled || a.Until.Sub(s.now) != Wait {
		t.Fatalf("settled %v, until %v", a.Settled, a.Until.Sub(s.now))
	}
	if got := s.Tick(a.Until.Add(-time.Nanosecond)); len(got) != 0 || a.Settled {
		t.Fatal("settled before the deadline")
	}
	if got := s.Tick(a.Until); len(got) != 1 || got[0] != a || !a.Settled || a.Call != nil {
		t.Fatalf("at the deadline: %v, settled %v with %q", got, a.Settled, lineOf(a))
	}
	if got := s.Tick(a.Until.Add(time.Hour)); len(got) != 0 {
		t.Fatal("settled twice")
	}
	a.Drawn = true
	if r := s.shows("a", "send", `{"n":1}`); !r.Arrived || a.Call != r.Call || !r.Call.Drawn {
		t.Fatalf("a line that comes after the deadline: %+v", r)
	}
}

func TestLineThatComesDuringTheWait(t *testing.T) {
	for _, test := range []struct {
		name  string
		show  func(s *session) Report[string]
		sent  []string // waiting calls of "send"
		which int      // which of them it is; -1 none
	}{
		{"with the arguments", func(s *session) Report[string] { return s.shows("a", "send", `{"n":2}`) }, []string{`{"n":1}`, `{"n":2}`}, 1},
		{"with the arguments rather than around them", func(s *session) Report[string] { return s.shows("a", "send", `{"n":{"n":1}}`) }, []string{`{"n":1}`, `{"n":{"n":1}}`}, 1},
		{"without arguments", func(s *session) Report[string] { return s.shows("a", "send", "") }, []string{`{"n":1}`, `{"n":2}`}, 0},
		{"shortened", func(s *session) Report[string] { return s.shows("a", "send", `{"to":"x","text":"two wo…"}`) }, []string{`{"to":"x","text":"one word"}`, `{"to":"x","text":"two words"}`}, 1},
		{"in an unknown name", func(s *session) Report[string] { return s.shows("a", "Something", `{"n":2}`) }, []string{`{"n":1}`, `{"n":2}`}, 1},
		{"for the same space with another text", func(s *session) Report[string] { return s.shows("a", "send", `{"to":"x","text":"other"}`) }, []string{`{"to":"x","text":"one"}`}, -1},
		{"of another tool", func(s *session) Report[string] { return s.shows("a", "act", "") }, []string{`{"n":1}`}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSession()
			var waiting []*Arrival[string]
			for _, sent := range test.sent {
				waiting = append(waiting, s.arrives("send", sent))
			}
			r := test.show(s)
			for i, a := range waiting {
				if a.Settled != (i == test.which) || (lineOf(a) == "a") != (i == test.which) {
					t.Errorf("call %d: settled %v with %q", i, a.Settled, lineOf(a))
				}
			}
			if r.Arrived != (test.which >= 0) {
				t.Errorf("arrived is %v", r.Arrived)
			}
		})
	}
}

func TestLineAtTheDeadline(t *testing.T) {
	for _, test := range []struct {
		name string
		show func(s *session)
		sent string
		want string
	}{
		{"the same in part", func(s *session) { s.shows("a", "send", `{"to":"x","text":"[12 characters]"}`) }, `{"to":"x","text":"twelve chars"}`, "a"},
		{"the one that is shortened", func(s *session) {
			s.shows("a", "send", `{"to":"x","text":"other"}`)
			s.shows("b", "send", `{"to":"x","text":"twelve…"}`)
		}, `{"to":"x","text":"twelve chars"}`, "b"},
		{"nobody knows which", func(s *session) {
			s.shows("a", "send", `{"to":"x","text":"other"}`)
			s.shows("b", "send", `{"to":"x","text":"third"}`)
		}, `{"to":"x","text":"twelve chars"}`, ""},
		{"nothing alike", func(s *session) { s.shows("a", "send", `{"from":"x"}`) }, `{"to":"x"}`, ""},
		{"still being written", func(s *session) {
			s.shows("a", "send", "")
			s.tells("a", "", "", "", `{"to":"x","text":"ot`, "", false)
		}, `{"to":"x","text":"twelve chars"}`, ""},
		{"the only open call without facts", func(s *session) { s.shows("a", "Calling a tool", "{}") }, `{"to":"x"}`, "a"},
		{"two open calls without facts", func(s *session) { s.shows("a", "Calling a tool", ""); s.shows("b", "Calling a tool", "") }, `{"to":"x"}`, ""},
		{"the only open call with a path", func(s *session) { s.shows("a", "Reading", `{"path":"f"}`) }, `{"to":"x"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSession()
			s.shows("z", "Something else", `{"command":"ls"}`)
			s.tells("z", "", "", "", "", transcript.StatusCompleted, false)
			test.show(s)
			a := s.arrives("send", test.sent)
			if a.Settled {
				t.Fatalf("settled with %q before the deadline", lineOf(a))
			}
			s.Tick(a.Until)
			if got := lineOf(a); got != test.want || !a.Settled {
				t.Errorf("the line is %q, want %q; settled %v", got, test.want, a.Settled)
			}
		})
	}
}

func TestCanceledCallIsSettled(t *testing.T) {
	s := newSession()
	a := s.arrives("send", `{"n":1}`)
	if s.Cancel(a); !a.Settled || len(s.Tick(a.Until)) != 0 {
		t.Fatal("a call that the agent has canceled isn't settled once")
	}
}

func TestEndOfARunSettlesAndForgets(t *testing.T) {
	s := newSession()
	s.shows("a", "send", `{"n":1}`)
	shown := s.shows("b", "send", `{"n":2}`).Call
	s.arrives("send", `{"n":2}`)
	shown.Drawn = true
	a := s.arrives("act", `{"n":1}`)
	if got := s.Forget(); len(got) != 1 || got[0] != a || !a.Settled {
		t.Fatalf("waiting calls at the end: %v", got)
	}
	if s.Get("a") != nil || !s.Drawn("b") {
		t.Fatal("only displays stay")
	}
	if r := s.shows("b", "send", `{"n":2}`); r.Call == shown {
		t.Fatal("a call of the next run was taken for the display with its id")
	}
}

func TestDisplayThatIsAnnouncedAgainStays(t *testing.T) {
	s := newSession()
	g := s.shows("a", "send", `{"n":1}`).Call
	s.arrives("send", `{"n":1}`)
	g.Drawn = true
	if r := s.shows("a", "send", `{"n":1}`); r.Call != g {
		t.Error("the same call became another")
	}
	if r := s.shows("a", "send", `{"n":2}`); r.Call == g {
		t.Error("another call with the id was taken for it")
	}
}

func TestPassedCallIsNotTakenForAnother(t *testing.T) {
	s := newSession()
	if a := s.Pass("send", jsontext.Value(`{"n":1}`)); !a.Settled || a.Call != nil {
		t.Fatal("a passed call waits")
	}
	b := s.arrives("send", `{"n":2}`)
	if r := s.shows("a", "send", `{"n":1}`); !r.Arrived || b.Settled {
		t.Fatal("the line of a passed call went to another")
	}
}

func TestCallThatIsShownAheadKeepsItsText(t *testing.T) {
	s := newSession()
	g := s.Ahead("own", "send")
	g.Write(`{"to":"x","text":"hello"}`)
	s.Rename(g, "a")
	r := s.shows("a", "send (weft MCP Server)", "")
	if !r.Caught || r.Call != g || g.PartID() != "own" || !g.Tool.Exact || r.Patch.Name == nil || *r.Patch.Name != "send" {
		t.Fatalf("%+v", r)
	}
	if a := s.arrives("send", `{"to":"x","text":"hello"}`); a.Call != g {
		t.Fatal("the call didn't get its line")
	}
}

func TestArrivedLineShowsItsCall(t *testing.T) {
	s := newSession()
	kind := "execute"
	title := "mcp.weft.act"
	p := &transcript.ToolPatch{ID: "a", Announced: true, Title: &title, Kind: &kind, Input: jsontext.Value(`{"server":"weft","tool":"act","arguments":{"n":1}}`)}
	r := s.Report(p, true)
	s.open.Update(p, 1)
	if r.Patch.Name == nil || *r.Patch.Name != "act" || p.Name != nil {
		t.Fatalf("the line isn't named: %+v", r.Patch)
	}
	if got := string(r.Call.Plain(r.Patch).Input); got != `{"n":1}` {
		t.Errorf("arguments: %s", got)
	}
	a := s.arrives("act", `{"n":1}`)
	if a.Patch == nil || a.Patch.Kind == nil || *a.Patch.Kind != "other" {
		t.Errorf("it is still a command: %+v", a.Patch)
	}
}

func TestBoundsOfWhatIsCorrelated(t *testing.T) {
	s := newSession()
	for i := range MaxCalls + 10 {
		s.arrives("send", fmt.Sprintf(`{"n":%d}`, i))
	}
	if len(s.arrivals.list) != MaxCalls {
		t.Errorf("%d calls wait", len(s.arrivals.list))
	}
	if a := s.arrives("send", `{"n":-1}`); !a.Settled {
		t.Error("a call beyond the bound waits")
	}
	s = newSession()
	for i := range MaxCalls + 10 {
		s.shows(fmt.Sprint(i), "send", fmt.Sprintf(`{"n":%d}`, i))
	}
	if len(s.lines.byID) != MaxCalls {
		t.Errorf("%d lines are kept", len(s.lines.byID))
	}
}

func TestTrustInNames(t *testing.T) {
	done, failed := transcript.StatusCompleted, transcript.StatusFailed
	var names Trust
	if names.Counts() {
		t.Fatal("names count before the agent has reached the gateway")
	}
	names.Reached("")
	names.Allow("a", "send")
	names.Reached("send")
	if lost := names.Ended(&transcript.ToolPatch{ID: "a", Status: &done}); lost != "" || !names.Counts() {
		t.Fatal("a call that has arrived is called lost")
	}
	names.Allow("b", "send")
	if lost := names.Ended(&transcript.ToolPatch{ID: "b", Status: &failed}); lost != "" || !names.Counts() {
		t.Fatal("a call that wasn't made is called lost")
	}
	names.Allow("c", "send")
	if lost := names.Ended(&transcript.ToolPatch{ID: "c", Status: &done}); lost != "send" || names.Counts() {
		t.Fatal("a call that hasn't arrived isn't noticed")
	}
}
