package agentcalls

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/settings/secret"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/requests"
	"weft/backend/space/sessionservers"
)

const command = `{"command":"touch a"}`

func TestReportIsShownThenWatchedThenVisited(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.announces("1", actions.Execute, command)
	w.expect("announced", "show 1", "visit 1", "watch 1")
	w.completes("1")
	w.expect("completed", "show 1", "visit 1", "watch 1")
	if len(w.open) != 0 {
		t.Errorf("open are %v", w.open)
	}
}

func TestCallThatIsAQuestionIsNotShown(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.announces("1", "other", "")
	q := requests.NewQuestion(asker{w}, &acp.Request{}, &requests.Elicitation{Mode: "url", URL: "https://example.org", Message: "What?", Tool: "1"})
	w.inbox.Questions.Ask(q, false)
	w.expect("asked", "show 1", "visit 1", "watch 1")
	w.announces("1", "other", "")
	if w.expect("reported"); w.inbox.Open() != 1 || w.open["1"] == nil {
		t.Errorf("%d requests are open, calls %v", w.inbox.Open(), w.open)
	}
	w.completes("1")
	if w.expect("completed", "told question"); w.inbox.Open() != 0 || w.open["1"] != nil {
		t.Errorf("%d requests are open, calls %v", w.inbox.Open(), w.open)
	}
	w.Forget()
	w.announces("1", "other", "")
	w.expect("in the next run", "show 1", "visit 1", "watch 1")
}

// asker records the answers to questions.
type asker struct{ *world }

func (a asker) Answer(*acp.Request, any)     { a.note("told question") }
func (a asker) RespondCanceled(*acp.Request) { a.note("taken back") }

func TestCallThatIsADisplayIsNotShown(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.calls("1", `{"rows":[]}`)
	a, known := w.arrives(`{"rows":[]}`)
	w.Continue(a, Known)
	if known != nil || a.Call == nil {
		t.Fatal("the call isn't known")
	}
	a.Call.Drawn = true
	w.log, w.effects = nil, nil
	w.report(&transcript.ToolPatch{ID: "1", Input: jsontext.Value(`{"rows":[1]}`)})
	w.completes("1")
	if w.expect("reported and completed"); len(w.open) != 0 {
		t.Errorf("open are %v", w.open)
	}
}

func TestEndIsJudgedByWhatWasReportedBefore(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world)
		want   []string
	}{
		"nobody was asked":           {nil, []string{"show 1", "decided unasked", "visit 1", "watch 1"}},
		"outside of a turn":          {func(w *world) { w.turn = nil }, []string{"show 1", "visit 1", "watch 1"}},
		"in a turn that was stopped": {func(w *world) { w.stopping = true }, []string{"show 1", "visit 1", "watch 1"}},
		"before the prompt":          {func(w *world) { w.prompted = false }, []string{"show 1", "visit 1", "watch 1"}},
		"in a replay":                {func(w *world) { w.turns.Replay() }, []string{"show 1", "visit 1", "watch 1"}},
		"vouched for":                {func(w *world) { w.Watch.Vouch("1") }, []string{"show 1", "visit 1", "watch 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, permission.ReadOnly)
			w.announces("1", actions.Execute, command)
			w.expect("announced", "show 1", "visit 1", "watch 1")
			if c.change != nil {
				c.change(w)
			}
			w.completes("1")
			w.expect("completed", c.want...)
			if seen := w.notes.Seen("agent"); seen != (len(c.want) == 4) {
				t.Errorf("noted of the agent: %v", seen)
			}
		})
	}
}

func TestAgentThatAsksByItselfIsNotWatched(t *testing.T) {
	for name, config := range map[string]agent.Config{"Weft's own": {ID: "agent", Source: agent.SourceBuiltin}, "started by hand": {ID: "agent"}} {
		w := newWorld(t, permission.ReadOnly, func(s *Session[*away]) { s.Agent = config })
		w.announces("1", actions.Execute, command)
		w.completes("1")
		if w.expect(name, "show 1", "visit 1", "show 1", "visit 1", "watch 1", "watch 1"); !w.Watch.Trusted() {
			t.Errorf("%s: it isn't trusted", name)
		}
	}
}

func TestCallWithATerminalOfWeftsIsVouchedFor(t *testing.T) {
	w := newWorld(t, permission.ReadOnly)
	w.announces("1", actions.Execute, command)
	w.terminal = "term"
	done := transcript.StatusCompleted
	w.report(&transcript.ToolPatch{ID: "1", Status: &done, Content: &[]transcript.Content{{Type: "terminal", Terminal: "term"}}})
	if len(w.decided) != 0 {
		t.Errorf("%+v", w.decided)
	}
}

func TestFoundFilesAreShownOnceNoOpenCallExplainsThem(t *testing.T) {
	w := newWorld(t, permission.ReadOnly)
	w.announces("1", actions.Edit, `{"file_path":"b"}`)
	w.announces("2", actions.Edit, `{"file_path":"c"}`)
	w.turn.Found.Add([]string{"a"}, true, actions.Foresee(actions.Edits([]string{"a"}), w.place))
	fails := transcript.StatusFailed
	w.report(&transcript.ToolPatch{ID: "1", Status: &fails})
	if len(w.decided) != 0 {
		t.Fatalf("%+v, while a call is open", w.decided)
	}
	w.log, w.effects = nil, nil
	w.report(&transcript.ToolPatch{ID: "2", Status: &fails})
	w.expect("the last call has ended", "show 2", "weigh", "decided unasked", "visit 2", "watch 2")
	if w.notes.Seen("agent") {
		t.Error("it is noted of the agent, though none of its calls has done anything")
	}
	w.announces("3", "other", `{"query":"x"}`)
	w.turn.Found.Add([]string{"d"}, true, actions.Foresee(actions.Edits([]string{"d"}), w.place))
	w.completes("3")
	if !w.notes.Seen("agent") {
		t.Error("it isn't noted of the agent, though one of its calls may have done it")
	}
}

func TestNoteOfTheAgentHidesSecrets(t *testing.T) {
	hide := &secret.Redactor{}
	hide.Add("sk-ant-known-0123456789")
	w := newWorld(t, permission.ReadOnly, func(s *Session[*away]) { s.Hide = hide })
	w.announces("1", actions.Execute, `{"command":"login sk-ant-known-0123456789"}`)
	w.completes("1")
	if did := w.notes.Unasked("agent"); did == nil || strings.Contains(did.About, "known") || !strings.Contains(did.About, "login") || did.SpaceID != "own" {
		t.Errorf("noted is %+v", did)
	}
}

func TestEndOfARunForgetsWhatWasVouchedFor(t *testing.T) {
	w := newWorld(t, permission.ReadOnly)
	w.announces("1", actions.Execute, command)
	w.Watch.Vouch("1")
	w.ends()
	w.begins(permission.NewSet(nil))
	w.announces("1", actions.Execute, command)
	w.completes("1")
	if len(w.decided) != 1 {
		t.Errorf("decided is %+v", w.decided)
	}
}

func TestPrintedSecretIsHiddenAndInputIsKept(t *testing.T) {
	hide := &secret.Redactor{}
	hide.Add("sk-ant-known-0123456789")
	w := newWorld(t, permission.FollowRules, func(s *Session[*away]) { s.Hide = hide })
	w.announces("1", "other", `{"key":"sk-ant-known-0123456789"}`)
	if p := w.call("1"); !strings.Contains(string(p.Input), "known") {
		t.Errorf("the input is %s", p.Input)
	}
	done := transcript.StatusCompleted
	w.report(&transcript.ToolPatch{ID: "1", Status: &done, Output: jsontext.Value(`"it is sk-ant-known-0123456789"`)})
	if p := w.call("1"); strings.Contains(string(p.Output), "known") || !strings.Contains(string(p.Output), "it is") {
		t.Errorf("the output is %s", p.Output)
	}
}

func TestPatchIsShownAsADiff(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	patch := jsontext.Value(`{"patch":"*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n"}`)
	w.announces("1", "other", string(patch))
	p := w.call("1")
	if p.Content == nil || len(*p.Content) != 1 || (*p.Content)[0].NewText != "hello\n" {
		t.Fatalf("%+v", p.Content)
	}
	title := "Apply"
	a := w.asks(&transcript.ToolPatch{ID: "1", Title: &title})
	if len(a.Call.Diffs) != 1 || a.About.Kind != actions.Edit {
		t.Errorf("the request is about %+v", a.About)
	}
	a = w.asks(&transcript.ToolPatch{ID: "2", Title: &title, Input: jsontext.Value(strings.Replace(string(patch), "hello", "bye", 1))})
	if len(a.Call.Texts) != 2 || a.Call.Texts[1] != "bye\n" {
		t.Errorf("the request for a call that wasn't shown is about %+v", a.Call)
	}
	own := newWorld(t, permission.FollowRules, func(s *Session[*away]) { s.Agent = agent.Config{ID: "agent", Source: agent.SourceBuiltin} })
	own.announces("1", "other", string(patch))
	if p := own.call("1"); p.Content != nil {
		t.Errorf("what Weft's own agent says is changed: %+v", *p.Content)
	}
}

func TestChangesThatAreReadLaterAreShownLater(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.slow = true
	w.announces("1", "other", `{"patch":"*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n"}`)
	if p := w.call("1"); p.Content != nil || w.read > 0 {
		t.Fatalf("%d files are read, and %+v is shown", w.read, p.Content)
	}
	w.over()
	if p := w.call("1"); p.Content == nil || len(*p.Content) != 1 || (*p.Content)[0].NewText != "hello\n" {
		t.Errorf("afterwards %+v is shown", p.Content)
	}
}

func TestServerIsConnectedWithTheFirstCallThatNamesIt(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.servers.Set([]sessionservers.Handed{{Name: "docs", Handed: true}, {Name: "Other", Handed: true, Via: "gateway"}})
	name, title := "mcp__docs__search", "Search"
	w.report(&transcript.ToolPatch{ID: "1", Announced: true, Name: &name, Title: &title})
	w.expect("called", "offer", "show 1", "visit 1", "watch 1")
	w.report(&transcript.ToolPatch{ID: "2", Announced: true, Name: &name, Title: &title})
	w.expect("called again", "show 2", "visit 2", "watch 2")
	w.Reached("")
	w.expect("reached the gateway", "offer")
	w.Reached(table)
	w.expect("reached it again")
}

func TestRequestIsAskedAtItsCall(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	w.announces("1", actions.Execute, command)
	w.log, w.effects = nil, nil
	title := "Approve"
	a := w.asks(&transcript.ToolPatch{ID: "1", Title: &title})
	w.expect("asked", "watch 1")
	if w.inbox.Open() != 1 || a.About.Line != "touch a" {
		t.Errorf("%d are open, about %+v", w.inbox.Open(), a.About)
	}
	if !w.turn.Knows(a.Noted) {
		t.Error("the turn doesn't know that Weft was asked")
	}
	w.completes("1")
	w.expect("completed without an answer", "show 1", "visit 1", "decided cancelled", "watch 1", "told cancelled")
}

func TestRequestThatOnlyNamesItsCallIsForWhatTheLastOneTold(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.announces("1", actions.Execute, `{"command":"ls"}`)
	for _, p := range []transcript.ToolPatch{{Input: jsontext.Value(`{"command":"rm -r src"}`)}, {}, {}} {
		p.ID = "1"
		if a := w.asks(&p); a.About.Line != "rm -r src" {
			t.Errorf("%s: it asks about %q", p.Input, a.About.Line)
		}
	}
}

func TestRequestOutsideOfATurnIsCanceled(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	w.stopping = true
	title := "Approve"
	w.asks(&transcript.ToolPatch{ID: "1", Title: &title})
	w.expect("asked", "decided cancelled", "told cancelled")
}

func TestRequestForOneOfWeftsToolsIsAllowedByItsName(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	name, title := "mcp__weft__"+table, "weft: "+table
	ask := func(id string) *transcript.ToolPatch {
		return &transcript.ToolPatch{ID: id, Name: &name, Title: &title, Input: jsontext.Value(`{"rows":[]}`)}
	}
	w.asks(ask("1"))
	if w.expect("before the agent has reached the gateway", "watch 1"); w.inbox.Open() != 1 {
		t.Fatal("it isn't asked")
	}
	w.Reached("")
	w.asks(ask("2"))
	w.expect("then", "show 2", "visit 2", "decided allowed", "told selectedyes", "watch 2")
	if d := w.decided[len(w.decided)-1]; d.Title != table {
		t.Errorf("kept is %+v", d)
	}
	w.Reached(table)
	w.completes("2")
	w.expect("it has arrived", "show 2", "visit 2", "watch 2")
	w.asks(ask("3"))
	w.log, w.effects = nil, nil
	w.completes("3")
	w.expect("another one has not", "decided lost", "show 3", "visit 3", "watch 3")
	w.asks(ask("4"))
	if w.expect("names don't count any more", "watch 4"); w.inbox.Open() != 2 {
		t.Errorf("%d requests are open", w.inbox.Open())
	}
}

func TestArrivalWaitsForItsLine(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	a, known := w.arrives(`{"rows":[1]}`)
	if known == nil || isClosed(known) {
		t.Fatal("it doesn't wait")
	}
	w.calls("1", `{"rows":[1]}`)
	if !isClosed(known) {
		t.Fatal("it isn't told that its line is there")
	}
	w.Continue(a, Known)
	if a.Call == nil || a.Call.ID != "1" || w.Expects(table) {
		t.Errorf("its call is %+v", a.Call)
	}
}

func TestArrivalWithoutALineContinues(t *testing.T) {
	for how, line := range map[Waited]string{TimeUp: "1", Known: "1", Gone: ""} {
		w := newWorld(t, permission.FollowRules)
		w.announces("1", "other", "") // may be the call, but that is known only if nothing better comes
		a, known := w.arrives(`{"rows":[1]}`)
		w.log, w.effects = nil, nil
		w.Continue(a, how)
		got := ""
		if a.Call != nil {
			got = a.Call.ID
		}
		if got != line || isClosed(known) || len(w.waiting) != 0 {
			t.Errorf("%v: the line is %q, %d wait", how, got, len(w.waiting))
		}
		if line != "" {
			w.expect("shown", "update 1")
		} else {
			w.expect("not shown")
		}
	}
}

func TestTimeOfOneArrivalSettlesOthersThatAreDue(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	a, _ := w.arrives(`{"rows":[1]}`)
	_, other := w.arrives(`{"rows":[2]}`)
	if w.Continue(a, TimeUp); !isClosed(other) {
		t.Error("the other one waits on")
	}
}

func TestEndOfARunWakesArrivals(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	_, known := w.arrives(`{"rows":[1]}`)
	if w.Forget(); !isClosed(known) || len(w.waiting) != 0 {
		t.Error("it waits on")
	}
}

func TestCallThatPassesIsNotTakenForAnother(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.calls("1", `{"rows":[1]}`)
	if !w.Expects(table) {
		t.Error("the call isn't expected")
	}
	if w.Pass(table, jsontext.Value(`{"rows":[1]}`)); w.Expects(table) {
		t.Error("the call is expected still")
	}
	w.calls("2", `{"rows":[1]}`)
	a, _ := w.arrives(`{"rows":[1]}`)
	if w.Continue(a, Known); a.Call == nil || a.Call.ID != "2" {
		t.Errorf("the line of the next one is %+v", a.Call)
	}
}

func TestOperationVouchesForTheCallThatShowsIt(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	folder := w.session.Place.Folder
	w.announces("1", actions.Execute, command)
	o := &requests.Operation{Action: actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: actions.CommandKey("touch a", nil), Dir: folder}}}}
	o.Call = permission.Call{Kind: actions.Execute, Title: "Run", Input: jsontext.Value(command)}
	waiting, _, err := w.Consent(o)
	if waiting == nil || err != nil || waiting.Tool != "1" {
		t.Fatalf("it is asked at %+v, error %v", waiting, err)
	}
	w.completes("1")
	for _, d := range w.decided {
		if d.Outcome == transcript.OutcomeUnasked {
			t.Error("the call is said to be unasked")
		}
	}
}

func TestWrittenInputIsShownBehindTheReport(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: "Write", ID: "call_1", Fragment: `{"path":`})
	w.expect("before the agent shows it")
	name, pending := "Write", transcript.StatusPending
	w.report(&transcript.ToolPatch{ID: "call_1", Announced: true, Name: &name, Status: &pending})
	w.expect("shown", "show call_1", "visit call_1", "update call_1", "watch call_1")
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Fragment: `"a"}`, Ended: true})
	w.expect("the rest", "update call_1")
}

func TestMessageIsShownWhileTheModelWritesIt(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	name := "mcp__weft__" + gatedrafts.SendMessage
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: name, ID: "call_1", Fragment: `{"spaceId":"away","text":"hel`})
	if got := w.away.text.String(); got != "hel" {
		t.Fatalf("shown is %q", got)
	}
	w.report(&transcript.ToolPatch{ID: "call_1", Announced: true, Name: &name})
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Fragment: `lo"}`, Ended: true})
	if got := w.away.text.String(); got != "hello" {
		t.Errorf("shown is %q", got)
	}
	if g := w.Drafts.Get("call_1"); g == nil || g.Ahead {
		t.Errorf("the call is %+v", g)
	}
}

func TestMessageWrittenAheadIsKnownByAnotherID(t *testing.T) {
	name, title := "mcp__weft__"+gatedrafts.SendMessage, "Approve"
	for how, show := range map[string]func(w *world){
		"reported": func(w *world) { w.report(&transcript.ToolPatch{ID: "agent:toolu_0123", Announced: true, Name: &name}) },
		"asked":    func(w *world) { w.asks(&transcript.ToolPatch{ID: "agent:toolu_0123", Name: &name, Title: &title}) },
	} {
		w := newWorld(t, permission.AskAlways)
		w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: name, ID: "toolu_0123", Fragment: `{"spaceId":"away","text":"hel`})
		show(w)
		if g := w.Drafts.Get("agent:toolu_0123"); g == nil || g.First != "toolu_0123" {
			t.Errorf("%s: the call is %+v", how, g)
		}
		if w.Drafts.Get("toolu_0123") != nil {
			t.Errorf("%s: there are two calls", how)
		}
	}
}

func TestMessageThatIsNeverSentIsSaidToBeThat(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	name := "mcp__weft__" + gatedrafts.SendMessage
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: name, ID: "call_1", Fragment: `{"spaceId":"away","text":"hel`})
	w.EndWriting()
	if w.away.changes != 1 {
		t.Errorf("the message was changed %d times", w.away.changes)
	}
	w.Drafts.End()
	w.Forget()
	w.begins(permission.NewSet(nil))
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: name, ID: "call_1", Fragment: `{"spaceId":"away","text":"an`})
	if got := w.away.text.String(); got != "helan" {
		t.Errorf("shown is %q", got)
	}
}

func TestInputIsShownAtACallThatWasShownBefore(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.announces("call_1", "other", "")
	w.log, w.effects = nil, nil
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: "Find", ID: "call_1", Fragment: `{"a":1`})
	w.expect("written", "update call_1")
}

func TestRequestThatShowsACallWakesItsArrival(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	_, known := w.arrives(`{"rows":[1]}`)
	name, title := "mcp__weft__"+table, "Approve"
	w.asks(&transcript.ToolPatch{ID: "1", Name: &name, Title: &title, Input: jsontext.Value(`{"rows":[1]}`)})
	if !isClosed(known) {
		t.Error("it isn't told that its line is there")
	}
}

func TestRequestDoesNotChangeTheTitleOfACallOfWefts(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	w.calls("1", `{"rows":[1]}`)
	title, name := "Approve MCP tool call", "mcp__weft__"+table
	w.asks(&transcript.ToolPatch{ID: "1", Name: &name, Title: &title})
	if w.over(); w.watched.ID != "1" || w.watched.Title != nil {
		t.Errorf("told is %+v", w.watched)
	}
}

func TestRequestDoesNotChangeATitleThatSaysMore(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	kind, shown, asked := "other", "Tool: music/getTracks", "Approve MCP tool call"
	w.report(&transcript.ToolPatch{ID: "1", Announced: true, Kind: &kind, Title: &shown, Input: jsontext.Value(`{"by":"Nina"}`)})
	w.asks(&transcript.ToolPatch{ID: "1", Title: &asked})
	if w.over(); w.watched.ID != "1" || w.watched.Title != nil {
		t.Errorf("told is %+v", w.watched)
	}
}

func TestRequestDoesNotChangeADisplay(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	w.calls("1", `{"rows":[1]}`)
	a, _ := w.arrives(`{"rows":[1]}`)
	w.Continue(a, Known)
	a.Call.Drawn = true
	kind := actions.Execute
	w.asks(&transcript.ToolPatch{ID: "1", Kind: &kind, Input: jsontext.Value(command)})
	if w.over(); w.watched.ID != "1" || w.watched.Kind != nil || w.watched.Input != nil {
		t.Errorf("told is %+v", w.watched)
	}
}

func TestCallThatPassesIsARow(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.calls("1", `{"targetSpaceId":"own","rows":[1]}`)
	if p := w.call("1"); p.Kind == nil || *p.Kind != transcript.KindDisplay {
		t.Fatalf("shown is %+v", p)
	}
	w.log, w.effects = nil, nil
	w.Pass(table, jsontext.Value(`{"targetSpaceId":"own","rows":[1]}`))
	w.expect("drawn before", "update 1", "update 1")
	w.announces("2", actions.Execute, `{"arguments":{"rows":[2]}}`)
	w.log, w.effects = nil, nil
	w.Pass(table, jsontext.Value(`{"rows":[2]}`))
	w.expect("shown under another name", "update 2")
}

func TestOperationIsAskedAtTheCallThatShowsItsChange(t *testing.T) {
	w := newWorld(t, permission.AskAlways)
	folder := w.session.Place.Folder
	f := requests.Folder{Path: folder, Text: func(string) (string, error) { return "one", nil }}
	path := filepath.Join(folder, "a.txt")
	kind, title := actions.Edit, "Edit"
	w.report(&transcript.ToolPatch{ID: "1", Announced: true, Kind: &kind, Title: &title, Content: &[]transcript.Content{{Type: "diff", Path: path, OldText: "one", NewText: "two"}}})
	waiting, _, err := w.Consent(f.Write(path, "two"))
	if waiting == nil || err != nil || waiting.Tool != "1" {
		t.Errorf("it is asked at %+v, error %v", waiting, err)
	}
}

func TestFilesAreNotReadInAReplay(t *testing.T) {
	for _, replayed := range []bool{true, false} {
		w := newWorld(t, permission.FollowRules)
		w.replayed = replayed
		path := filepath.Join(w.session.Place.Folder, "a.txt")
		w.files[path] = "zero\none\n"
		kind := actions.Edit
		w.report(&transcript.ToolPatch{ID: "1", Announced: true, Kind: &kind, Content: &[]transcript.Content{{Type: "diff", Path: path, OldText: "one", NewText: "two"}}})
		if (w.read == 0) != replayed {
			t.Errorf("replayed: %v, and %d files are read", replayed, w.read)
		}
	}
}

func TestTitleOfACallOfWeftsIsKept(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	name, title, kind := "mcp__weft__"+table, `{"command":"ls"}`, actions.Execute
	w.report(&transcript.ToolPatch{ID: "1", Announced: true, Name: &name, Title: &title, Kind: &kind, Input: jsontext.Value(title)})
	if p := w.call("1"); *p.Title != title {
		t.Errorf("its title is %q", *p.Title)
	}
	w.report(&transcript.ToolPatch{ID: "2", Announced: true, Title: &title, Kind: &kind, Input: jsontext.Value(title)})
	if p := w.call("2"); *p.Title == title {
		t.Error("the title of another call is kept, too")
	}
}

func TestEndOfARunForgetsWhatWasWritten(t *testing.T) {
	w := newWorld(t, permission.FollowRules)
	w.Observe(modelproxy.Event{Request: 1, Call: 1, Name: "Find", Fragment: `{"a":1`})
	w.announces("1", "other", `{"patch":"*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n"}`)
	w.ends()
	w.begins(permission.NewSet(nil))
	w.log = nil
	name := "Find"
	w.report(&transcript.ToolPatch{ID: "2", Announced: true, Name: &name})
	w.expect("a call that another run has written", "show 2", "visit 2", "watch 2")
	if w.announces("1", "other", ""); w.call("1").Content != nil {
		t.Error("another run's patch is shown")
	}
}
