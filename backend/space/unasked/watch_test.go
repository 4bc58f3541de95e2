package unasked

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/raced"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/requests"
	"weft/backend/space/toolcalls"
)

// session is a watched agent that never asks.
type session struct {
	*Watch
	open toolcalls.Open
	turn *actions.Turn
	now  Now
	seen bool
	// exited: the results of calls contain exit codes
	exited bool
}

func newSession(t *testing.T, change func(*Agent)) *session {
	s := &session{open: toolcalls.Open{}, turn: &actions.Turn{}}
	s.now = Now{Place: permission.Place{SpaceID: "s", Folder: t.TempDir()}, Rules: permission.NewSet(nil), Mode: permission.ReadOnly}
	agent := Agent{
		Keeps: func() []string { return nil },
		Seen:  func() bool { return s.seen },
		Lets:  func(string) bool { return false },
	}
	if change != nil {
		change(&agent)
	}
	s.Watch = New(agent, s.open)
	s.turn.Found.Begin(false, s.now.Mode, s.now.Rules)
	return s
}

// shows makes the agent show a running call.
func (s *session) shows(id, kind, input string) {
	running := transcript.StatusRunning
	s.open.Update(&transcript.ToolPatch{ID: id, Announced: true, Kind: &kind, Status: &running, Input: jsontext.Value(input)}, len(s.open))
}

// ends makes it end a call.
func (s *session) ends(id string, status transcript.Status) Finding {
	p := &transcript.ToolPatch{ID: id, Status: &status}
	f := s.Ended(p, s.turn, s.exited, false, s.now)
	s.open.Update(p, 0)
	return f
}

const command = `{"command":"touch a"}`

func TestCommandInAReadOnlySpaceIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		agent           func(*Agent)
		change          func(*session)
		report, unasked bool
	}{
		"nobody was asked": {report: true, unasked: true},
		"trusted":          {agent: func(a *Agent) { a.Trusted = true }},
		"in a sandbox":     {agent: func(a *Agent) { a.Sandboxed = true }},
		"the user lets it": {agent: func(a *Agent) { a.Lets = func(kind string) bool { return kind == actions.Execute } }, report: true},
		"vouched for":      {change: func(s *session) { s.Vouch("1") }},
		"another vouched":  {change: func(s *session) { s.Vouch("2") }, report: true, unasked: true},
		"outside of a turn": {change: func(s *session) {
			s.turn = nil
		}},
		"Weft was asked about the command": {change: func(s *session) {
			s.turn.Note(&actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: actions.CommandKey("touch a", nil)}}})
		}},
		"asked about another": {change: func(s *session) {
			s.turn.Note(&actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: actions.CommandKey("touch b", nil)}}})
		}, report: true, unasked: true},
		"known, and no rule refuses": {change: func(s *session) { s.seen, s.now.Mode = true, permission.FollowRules }},
		"no rule refuses":            {change: func(s *session) { s.now.Mode = permission.FollowRules }, unasked: true},
		"everything is asked":        {change: func(s *session) { s.seen, s.now.Mode = true, permission.AskAlways }, report: true, unasked: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, test.agent)
			if test.change != nil {
				test.change(s)
			}
			s.shows("1", actions.Execute, command)
			f := s.ends("1", transcript.StatusCompleted)
			if f.Report != test.report || f.Unasked != test.unasked {
				t.Errorf("report %v, unasked %v; want %v, %v", f.Report, f.Unasked, test.report, test.unasked)
			}
		})
	}
}

// Agents show a command that only reads in different ways.
func TestReadByACommandIsNotReported(t *testing.T) {
	for _, kind := range []string{"read", "search", "execute", "other", ""} {
		for name, input := range map[string]string{
			"a shell's arguments": `{"command":["bash","-lc","cat src/a.ts"],"cwd":%q}`,
			"parsed":              `{"call_id":"c","turn_id":"1","command":["bash","-lc","cat src/a.ts"],"cwd":%q,"parsed_cmd":[{"type":"read","cmd":"cat src/a.ts","name":"a.ts","path":"src/a.ts"}],"source":"agent"}`,
			"a list":              `{"command":["bash","-lc","ls -la"],"workdir":%q}`,
			"a search":            `{"command":["/bin/bash","-lc","rg -n word src"],"cwd":%q,"parsed_cmd":[{"type":"search","cmd":"rg -n word src","query":"word","path":"src"}]}`,
			"a pipe":              `{"command":"cat src/a.ts | head -5","cwd":%q}`,
		} {
			s := newSession(t, nil)
			s.shows("1", kind, fmt.Sprintf(input, s.now.Place.Folder))
			if f := s.ends("1", transcript.StatusCompleted); f.Report || f.Unasked {
				t.Errorf("%s, kind %q: reported %v, unasked %v: %q of kind %s, %s %v %d", name, kind, f.Report, f.Unasked, f.About.Line, f.About.Kind, f.About.Unclear, f.About.Writes, len(f.About.Commands))
			}
		}
	}
}

func TestReportedCommandExplainsFilesThatAreFound(t *testing.T) {
	for _, reported := range []bool{true, false} {
		s := newSession(t, nil)
		if reported {
			s.shows("1", actions.Execute, command)
			s.ends("1", transcript.StatusCompleted)
		}
		s.turn.Found.Add([]string{"a"}, true, nil)
		if g, ok := s.turn.JudgeFound(s.now.Place, s.now.Rules, s.now.Mode); ok == reported {
			t.Errorf("reported %v, found as well: %v, %+v", reported, ok, g)
		}
	}
}

func TestCallThatFailedIsNotReported(t *testing.T) {
	s := newSession(t, nil)
	s.shows("1", actions.Execute, command)
	if f := s.ends("1", transcript.StatusFailed); f.Report || f.Unasked {
		t.Errorf("%+v", f)
	}
}

func TestCommandThatFailedHasRunWhereItHasAnExitCode(t *testing.T) {
	s := newSession(t, nil)
	s.exited = true
	s.shows("1", actions.Execute, command)
	if f := s.ends("1", transcript.StatusFailed); !f.Report || !f.Unasked {
		t.Errorf("%+v", f)
	}
	s.shows("2", actions.Execute, command)
	if f := s.ends("2", transcript.StatusRejected); f.Report || f.Unasked {
		t.Errorf("rejected: %+v", f)
	}
}

func TestCallOfWeftsOwnToolIsNotReported(t *testing.T) {
	s := newSession(t, nil)
	s.shows("1", actions.Execute, command)
	done := transcript.StatusCompleted
	if f := s.Ended(&transcript.ToolPatch{ID: "1", Status: &done}, s.turn, false, true, s.now); f.Report || f.Unasked {
		t.Errorf("%+v", f)
	}
}

func TestFilesThatTheAgentKeepsAreItsOwn(t *testing.T) {
	keeps := t.TempDir()
	s := newSession(t, func(a *Agent) { a.Keeps = func() []string { return []string{keeps} } })
	s.shows("1", actions.Edit, fmt.Sprintf(`{"file_path":%q}`, filepath.Join(keeps, "plan.md")))
	s.open["1"].Paths = []string{filepath.Join(keeps, "plan.md")}
	if f := s.ends("1", transcript.StatusCompleted); f.Report || f.Unasked {
		t.Errorf("%+v", f)
	}
}

func TestCallThatShowsATerminalOfWeftsIsVouchedFor(t *testing.T) {
	s := newSession(t, nil)
	ours := func(id string) bool { return id == "t1" }
	s.shows("1", actions.Execute, command)
	s.shows("2", actions.Execute, command)
	s.VouchShown(&transcript.ToolPatch{ID: "1", Content: &[]transcript.Content{{Type: "terminal", Terminal: "t1"}}}, ours)
	s.VouchShown(&transcript.ToolPatch{ID: "2", Content: &[]transcript.Content{{Type: "terminal", Terminal: "t2"}}}, ours)
	if f := s.ends("1", transcript.StatusCompleted); f.Report {
		t.Error("a call with a terminal of Weft's is reported")
	}
	if f := s.ends("2", transcript.StatusCompleted); !f.Report {
		t.Error("a call with another terminal isn't reported")
	}
}

func TestReadingThroughWeftVouchesForNoCall(t *testing.T) {
	s := newSession(t, nil)
	s.shows("1", actions.Execute, command)
	if noted := s.VouchFor(&requests.Operation{Action: actions.Action{Kind: actions.Read, Files: []string{"/a"}}}, s.turn, nil, permission.Place{}); noted != nil {
		t.Errorf("kept is %+v", noted)
	}
	if !s.turn.HasRead(&actions.Action{Files: []string{"/a"}}) || s.vouched["1"] {
		t.Error("the turn doesn't know the file, or the call is vouched for")
	}
}

func TestOpenCallMayExplainFoundFiles(t *testing.T) {
	for kind, want := range map[string]bool{actions.Execute: true, actions.Edit: true, "other": true, "": true, actions.Read: false, "think": false} {
		s := newSession(t, nil)
		s.shows("1", kind, "")
		if got := s.MayChange(func(string) bool { return false }); got != want {
			t.Errorf("%q: %v", kind, got)
		}
		if s.MayChange(func(id string) bool { return id == "1" }) {
			t.Errorf("%q: a display may change files", kind)
		}
	}
}

func TestRowOfFoundFilesNamesThem(t *testing.T) {
	g := &actions.FoundGroup{Call: permission.Call{Kind: actions.Edit, Title: "Changed 2 files", Paths: []string{"a", "d/b"}}}
	p := Row("r", "/f", g)
	if p.ID != "r" || !p.Announced || *p.Title != "Changed 2 files" || *p.Status != transcript.StatusCompleted || len(*p.Locations) != 2 || (*p.Locations)[1].Path != filepath.FromSlash("/f/d/b") {
		t.Errorf("%+v", p)
	}
}

func TestVouchedCallsAreBounded(t *testing.T) {
	s := newSession(t, nil)
	for i := range toolcalls.MaxCalls {
		s.Vouch(fmt.Sprint("v", i))
	}
	s.shows("1", actions.Execute, command)
	if f := s.ends("1", transcript.StatusCompleted); f.Report {
		t.Error("a call is reported of which it isn't known whether it is vouched for")
	}
	s.Forget()
	s.turn = &actions.Turn{}
	s.shows("2", actions.Execute, command)
	if f := s.ends("2", transcript.StatusCompleted); !f.Report {
		t.Error("the next run's call isn't reported")
	}
}

// In any history, a command is reported exactly when Weft wasn't asked about it before it ended, by any call, and ran
// nothing itself that the command could have shown.
func TestRandomHistoriesOfCommands(t *testing.T) {
	for n := range simtest.Seeds(raced.Of(1000)) {
		s, rnd := newSession(t, nil), rand.New(rand.NewPCG(n, 25))
		asked, may := map[string]bool{}, map[string]bool{} // commands that Weft was asked about; calls that may be what Weft ran
		lines := map[string]string{}
		for step := range 20 {
			line := fmt.Sprint("touch ", rnd.IntN(4))
			switch rnd.IntN(4) {
			case 0, 1:
				id := fmt.Sprint("c", step)
				lines[id] = line
				s.shows(id, actions.Execute, fmt.Sprintf(`{"command":%q}`, line))
			case 2:
				if rnd.IntN(3) > 0 {
					continue
				}
				key := actions.CommandKey(line, nil)
				s.VouchFor(&requests.Operation{Action: actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: key, Dir: actions.Path(s.now.Place.Folder, "")}}}}, s.turn, nil, s.now.Place)
				asked[line] = true
				shown := false
				for id := range s.open {
					shown = shown || lines[id] == line
				}
				for id := range s.open {
					if !shown || lines[id] == line {
						may[id] = true
					}
				}
			case 3:
				for _, id := range slices.Sorted(maps.Keys(s.open)) {
					want := !asked[lines[id]] && !may[id]
					if f := s.ends(id, transcript.StatusCompleted); f.Report != want || f.Unasked != want {
						t.Fatalf("seed %d, step %d: %s (%s) is reported %v, want %v", n, step, id, lines[id], f.Report, want)
					}
					break
				}
			}
		}
	}
}
