package requests

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/space/toolcalls"
	"weft/backend/store/permissions"
)

var seedFlag = flag.Uint64("seed", 1, "of the random histories and requests")

// history is a session with random actions of the agent, the user and the store. It is also the step of the inbox.
type history struct {
	t     *testing.T
	n     uint64
	rnd   *rand.Rand
	inbox *Inbox
	ids   int

	turn     *actions.Turn // of the turn in progress, nil if there is none
	stopping bool
	turns    *transcript.Turns
	box      transcript.Outbox
	rules    *permission.Set

	effects []func()        // after the step
	then    []func()        // once the batch is stored
	flight  *batch          // that is being stored
	stored  map[string]bool // requests whose end is stored
	kept    int             // rows of the history

	asked   map[string]*ask
	waiting []*unanswered
	calls   Calls
}

type batch struct {
	ended []string // requests
	then  []func()
}

// ask is the state of a request.
type ask struct {
	kind   string // request, operation, gateway, question; "" for a call of the gateway that was decided at once
	action string // what it is about; "" if it is like no other
	shown  int    // times that it was shown, and that it ended in the transcript
	ended  int
	told   int // times that the asker was answered
	taken  bool
	is     *Permission // nil for a question
}

// behind reports whether the user was asked about the same action by another request, whose answer decided this one.
func (a *ask) behind() bool { return a.is != nil && a.is.Behind != nil }

// unanswered is an operation or a call of the gateway whose asker waits.
type unanswered struct {
	*Waiting
	call *GatewayCall // nil for an operation
}

func (h *history) failf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d, history %d: %s", *seedFlag, h.n, fmt.Sprintf(format, args...))
}

// of returns what has become of a request.
func (h *history) of(id string) *ask {
	if h.asked[id] == nil {
		h.asked[id] = &ask{}
	}
	return h.asked[id]
}

func (h *history) newID(prefix string) string {
	h.ids++
	return fmt.Sprint(prefix, h.ids)
}

// The step.

func (h *history) Turn() (*actions.Turn, bool)    { return h.turn, h.turn != nil && !h.stopping }
func (h *history) Resume()                        {}
func (h *history) Effect(do func())               { h.effects = append(h.effects, do) }
func (h *history) Decided(_ permissions.Decision) { h.kept++ }
func (h *history) Touched()                       {}
func (h *history) Changed()                       {}

func (h *history) After(do func()) {
	switch {
	case !h.box.Empty():
		h.then = append(h.then, do)
	case h.flight != nil:
		h.flight.then = append(h.flight.then, do)
	default:
		h.Effect(do)
	}
}

func (h *history) Flush() {
	if h.flight != nil || h.box.Empty() {
		return
	}
	b := &batch{then: h.then}
	h.then = nil
	for _, body := range h.box.Take().Bodies {
		switch e := body.(type) {
		case *transcript.PermissionRequest:
			h.of(e.RequestID).shown++
		case *transcript.PermissionResolved:
			h.of(e.RequestID).ended++
			b.ended = append(b.ended, e.RequestID)
		}
	}
	h.flight = b
}

// store stores what is in flight, and what has gathered meanwhile.
func (h *history) store() {
	for h.Flush(); h.flight != nil; h.Flush() {
		b := h.flight
		h.flight = nil
		for _, id := range b.ended {
			h.stored[id] = true
		}
		h.effects = append(h.effects, b.then...)
		h.over()
	}
}

// over carries out the effects of a step.
func (h *history) over() {
	for len(h.effects) > 0 {
		list := h.effects
		h.effects = nil
		for _, do := range list {
			do()
		}
	}
}

// answered notes that whoever has asked is told the answer. One that the user gave is told only once it is stored.
func (h *history) answered(id, outcome string) {
	a := h.of(id)
	if a.told++; a.told > 1 {
		h.failf("%s %s is answered %d times", a.kind, id, a.told)
	}
	if a.behind() {
		return // what is stored is the answer that counted for it
	}
	if outcome == "selected" && !h.stored[id] {
		h.failf("%s %s is answered before that is stored", a.kind, id)
	}
}

// Answer and RespondCanceled answer a question of the agent.
func (h *history) Answer(r *acp.Request, result any) {
	raw, err := json.Marshal(result)
	if err != nil {
		h.failf("%v", err)
	}
	var a Action
	_ = json.Unmarshal(raw, &a)
	outcome := ""
	if a.Action == "accept" || a.Action == "decline" {
		outcome = "selected"
	}
	h.answered(h.idOf(r), outcome)
}

func (h *history) RespondCanceled(r *acp.Request) { h.answered(h.idOf(r), "") }

func (h *history) idOf(r *acp.Request) string { return string(r.Params) }

func pick[T any](h *history, of ...T) T { return of[h.rnd.IntN(len(of))] }

// operation makes up something that Weft is asked to do, or that the agent wants to do.
func (h *history) operation() (o *Operation, action string) {
	f := Folder{Path: h.inbox.Permissions.session.Place.Folder, Text: func(path string) (string, error) {
		b, err := os.ReadFile(path)
		return string(b), err
	}}
	file := filepath.Join(f.Path, pick(h, "a.txt", "b.txt"))
	if h.rnd.IntN(2) == 0 {
		return f.Write(file, "two"), file
	}
	o = &Operation{Action: actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: actions.CommandKey(file, nil), Dir: f.Path}}}}
	o.Call = permission.Call{Kind: "execute", Title: "Run", Input: jsontext.Value(fmt.Sprintf(`{"command":%q}`, file))}
	return o, "run " + file
}

// asks has the agent send a permission request.
func (h *history) asks() {
	o, about := h.operation()
	id, tool := h.newID("ask"), pick(h, "call1", "call2", "call3")
	a := &Permission{
		ID: id, Request: &acp.Request{Params: jsontext.Value(id)}, Tool: tool, Call: o.Call, Action: &o.Action,
		Options: []transcript.PermissionOption{{ID: "yes", Kind: "allow_once"}, {ID: "always", Kind: "allow_always"}, {ID: "no", Kind: "reject_once"}}[h.rnd.IntN(3):],
	}
	a.Tell = func(o Outcome) { h.answered(id, o.Outcome.Outcome) }
	a.Describe(h.inbox.Permissions.session.Place)
	h.of(id).kind, h.of(id).action, h.of(id).is = "request", about, a
	title := "Do it"
	h.inbox.Permissions.Ask(a, &transcript.ToolPatch{ID: tool, Announced: true, Title: &title})
}

// wants has the agent ask Weft to do something.
func (h *history) wants() {
	o, about := h.operation()
	before := h.ids
	w, _, err := h.inbox.Permissions.Consent(o, nil, h.calls)
	if w == nil {
		if h.inbox.Mode.Now() == permission.ReadOnly && err == nil {
			h.failf("%s is done in a space that is read-only", about)
		}
		if err == nil && h.turn != nil && h.ids != before {
			h.failf("%s is shown and not asked about", about)
		}
		return
	}
	h.of(w.ID).kind, h.of(w.ID).action, h.of(w.ID).is = "operation", about, w.Permission
	h.waiting = append(h.waiting, &unanswered{Waiting: w})
}

// calls a tool of the gateway.
func (h *history) callsGateway() {
	if h.turn == nil || h.stopping {
		return
	}
	c := &GatewayCall{Tool: "deploy", Key: "deploy", Kind: "other", Input: jsontext.Value(`{}`)}
	shown := pick(h, "", "call1")
	w, how := h.inbox.Permissions.Permit(c, shown)
	if w == nil {
		if h.inbox.Mode.Now() == permission.ReadOnly && c.Denied(how) == nil {
			h.failf("a tool is run in a space that is read-only")
		}
		return
	}
	h.of(w.ID).kind = "gateway"
	h.waiting = append(h.waiting, &unanswered{Waiting: w, call: c})
}

// poses has the agent ask a question.
func (h *history) poses() {
	r := &acp.Request{}
	e := &Elicitation{Mode: "url", URL: "https://example.org", Message: "What?", Address: pick(h, "", "one")}
	if h.turn != nil {
		e.Tool = pick(h, "", "call1", "call2")
	}
	q := NewQuestion(h, r, e)
	next := fmt.Sprint("ask", h.ids+1)
	r.Params = jsontext.Value(next)
	h.of(next).kind = "question"
	h.inbox.Questions.Ask(q, h.rnd.IntN(2) == 0)
}

// answers has the user answer an open request.
func (h *history) answers() {
	inboxes := Inboxes{h.inbox}
	list := h.inbox.Permissions.List()
	if len(list) == 0 {
		return
	}
	a := list[h.rnd.IntN(len(list))]
	how := Selected(pick(h, "", "yes", "no", "once"))
	if h.rnd.IntN(3) == 0 {
		how = WithEffect(pick(h, permission.Allow, permission.Reject))
	}
	can := inboxes.CanAnswer(a.ID, how)
	if err := inboxes.Answer(a.ID, how); (err == nil) != (can == nil) {
		h.failf("an answer that is taken (%v) fails: %v", can, err)
	} else if err != nil {
		if !h.inbox.Permissions.open.IsOpen(a) {
			h.failf("a request ends with the error %v", err)
		}
		return
	}
	if err := inboxes.Answer(a.ID, how); !errors.Is(err, ErrNotWaiting) {
		h.failf("a request is answered twice: %v", err)
	}
	said := h.asked[a.ID]
	if kind := a.OptionKind(a.How); kind == "" || kind[:5] == "allow" || h.turn == nil {
		return
	}
	for _, b := range h.inbox.Permissions.List() {
		if o := h.asked[b.ID]; o.action != "" && o.action == said.action && (o.kind == "operation" || said.kind == "operation") {
			h.failf("%s %s was rejected, and %s %s about the same stays open", said.kind, a.ID, o.kind, b.ID)
		}
	}
}

func (h *history) answersQuestion() {
	if list := h.inbox.Questions.List(); len(list) > 0 {
		q := list[h.rnd.IntN(len(list))]
		if err := (Inboxes{h.inbox}).AnswerQuestion(q.ID, pick(h, "accept", "decline", "cancel"), nil); err != nil {
			h.failf("%v", err)
		}
	}
}

// reconsiders changes the rules or the mode.
func (h *history) reconsiders() {
	h.inbox.Mode.Space = pick(h, permission.FollowRules, permission.AskAlways, permission.ReadOnly)
	h.inbox.Mode.Limit(pick(h, "", permission.ReadOnly), "Robin")
	rule := permission.Rule{ID: "r", Enabled: true, Scope: permission.Everywhere, Kind: "edit", Path: pick(h, "a.txt", "b.txt"), Effect: pick(h, permission.Allow, permission.Reject)}
	h.rules = permission.NewSet(nil)
	if h.rnd.IntN(2) == 0 {
		h.rules = permission.NewSet([]permission.Rule{rule})
	}
	open := len(h.inbox.Permissions.List())
	if n := h.inbox.Permissions.Reconsider(); n > open {
		h.failf("%d of %d requests are decided", n, open)
	}
	if one, others := h.inbox.Permissions.Covered(h.rules, ""); one || others > 0 {
		for _, a := range h.inbox.Permissions.List() {
			if _, ok := a.Answered(permission.Allow, nil); ok {
				h.failf("%d requests stay open that the rules decide", others)
			}
		}
	}
}

// takesBack has the agent take back a request of the protocol.
func (h *history) takesBack() {
	for _, a := range h.inbox.Permissions.List() {
		if a.Request != nil {
			h.inbox.Canceled(h, a.Request)
			if h.inbox.Permissions.open.IsOpen(a) {
				h.failf("%s stays open, which the agent took back", a.ID)
			}
			return
		}
	}
	for _, q := range h.inbox.Questions.List() {
		h.inbox.Canceled(h, q.Request)
		return
	}
}

// endsCall has the agent end a call.
func (h *history) endsCall() {
	call, done := pick(h, "call1", "call2", "call3"), transcript.StatusCompleted
	h.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: call, Status: &done}}, 1)
	h.inbox.CallEnded(call)
	for _, q := range h.inbox.Questions.List() {
		if q.Tool == call {
			h.failf("%s stays open, whose call has ended", q.ID)
		}
	}
}

// continues has an asker take its answer, or stop waiting.
func (h *history) continues(all bool) {
	if len(h.waiting) == 0 || !all && h.rnd.IntN(2) == 0 {
		return
	}
	i := h.rnd.IntN(len(h.waiting))
	w := h.waiting[i]
	var canceled error
	select {
	case said := <-w.Answer:
		h.answered(w.ID, said.Outcome.Outcome)
		if w.call != nil {
			h.inbox.Permissions.Permitted(w.call, w.Waiting, Resolution(said))
		}
	default:
		if !all && h.rnd.IntN(4) > 0 {
			return
		}
		canceled = errors.New("the agent doesn't wait")
		h.of(w.ID).taken = true
		h.inbox.Permissions.GiveUp(w.Permission)
	}
	h.waiting = append(h.waiting[:i:i], h.waiting[i+1:]...)
	if w.call != nil {
		return
	}
	err := h.inbox.Permissions.Consented(w.Waiting, false, canceled)
	if err == nil && (h.inbox.Mode.Now() == permission.ReadOnly || Refused(w.How) != nil) {
		h.failf("%s is done after %+v", w.ID, w.How)
	}
	if w.Row != "" {
		h.inbox.Permissions.EndRow(w.Row, err)
	}
}

// waits checks that the transcript waits for all that is open.
func (h *history) waits() {
	for _, a := range h.inbox.Permissions.List() {
		if !h.turns.Waits(a.ID) {
			h.failf("%s of call %s is open, and the transcript doesn't wait for it", a.ID, a.Tool)
		}
	}
	for _, q := range h.inbox.Questions.List() {
		if !h.turns.Waits(q.ID) {
			h.failf("%s of call %s is open, and the transcript doesn't wait for it", q.ID, q.Call)
		}
	}
}

// next begins a turn, stops it, or ends it.
func (h *history) next() {
	switch {
	case h.turn == nil:
		h.turn, h.stopping = &actions.Turn{}, false
		h.turns.Prompt("Go on.")
		h.turns.Begin(h.newID("run"), "Go on.")
	case !h.stopping && h.rnd.IntN(2) == 0:
		h.stopping = true
		h.inbox.Withdraw(Stopped)
		if n := h.inbox.Open(); n > 0 {
			h.failf("%d requests stay open in a turn that is stopped", n)
		}
	default:
		h.inbox.Withdraw(Stopped)
		h.turns.EndRun(h.turns.Current(), "end_turn", nil, 1)
		h.turn = nil
		h.inbox.Questions.Forget()
	}
}

func newHistory(t *testing.T, n uint64, folder string) *history {
	h := &history{
		t: t, n: n, rnd: rand.New(rand.NewPCG(*seedFlag, n)), rules: permission.NewSet(nil), stored: map[string]bool{}, asked: map[string]*ask{},
		calls: Calls{Open: toolcalls.Open{}, Shown: actions.Shown{}},
	}
	agent := transcript.Author{Kind: "agent", ID: "robin", Name: "Robin"}
	h.turns = transcript.NewTurns(&h.box, transcript.Author{Kind: "person"}, agent, func() string { return h.newID("msg") })
	h.inbox = NewInbox(Session{
		Place: permission.Place{SpaceID: "s", Folder: folder, AgentID: "robin"}, Turns: h.turns, Now: func() int64 { return 1 }, NewID: h.newID,
		Rules: func() *permission.Set { return h.rules }, Trusts: func(string) string { return "" }, Let: func(string) {}, TrustEdits: func() {},
	}, h, permission.FollowRules)
	return h
}

func TestStricterModeApplies(t *testing.T) {
	t.Parallel()
	const rules, ask, read = permission.FollowRules, permission.AskAlways, permission.ReadOnly
	for _, c := range []struct {
		space, limit, now, carried permission.Mode
		notice                     bool
	}{
		{rules, "", rules, "", false},
		{rules, rules, rules, "", false},
		{rules, ask, ask, ask, true},
		{rules, read, read, read, true},
		{ask, "", ask, ask, false},
		{ask, read, read, read, true},
		{read, ask, read, read, false},
		{read, "", read, read, false},
	} {
		m := Mode{Space: c.space}
		m.Limit(c.limit, "Robin")
		if m.Now() != c.now || m.Carried() != c.carried || (m.Notice() != "") != c.notice {
			t.Errorf("%s with the limit %q: %s, carries %q, says %q", c.space, c.limit, m.Now(), m.Carried(), m.Notice())
		}
	}
}

// Rules evaluate the command of a gateway tool, and the agent is told who refused it.
func TestGatewayCallIsJudgedByItsCommand(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 0, t.TempDir())
	c := &GatewayCall{Tool: "deploy", Kind: "execute", Input: jsontext.Value(`{"to":"test"}`), Command: []string{"make", "deploy"}, Dir: h.inbox.Permissions.session.Place.Folder}
	if a := c.request(&h.inbox.Permissions.session); len(a.About.Commands) != 1 || string(a.Call.Sent) != `{"to":"test"}` {
		t.Errorf("%+v", a.Call)
	}
	denied := func(how transcript.Resolution) string {
		var e *Error
		if err := c.Denied(how); !errors.As(err, &e) {
			return ""
		}
		return e.Code
	}
	for _, r := range []struct {
		how  transcript.Resolution
		want string
	}{
		{transcript.Resolution{Outcome: "selected", OptionID: "once"}, ""},
		{transcript.Resolution{Outcome: "selected", OptionID: "once", By: &transcript.By{Who: "rule"}}, ""},
		{transcript.Resolution{Outcome: "selected", OptionID: "no"}, "denied"},
		{transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "mode"}}, "denied"},
		{Stopped, "cancelled"},
		{transcript.Resolution{Outcome: "cancelled"}, "cancelled"},
	} {
		if got := denied(r.how); got != r.want {
			t.Errorf("%+v: %q, want %q", r.how, got, r.want)
		}
	}
}

// An agent that asks before it acts gets an answer without the user if nothing speaks against it, and the paths that
// rules reject.
func TestAgentThatAsksBeforeItActs(t *testing.T) {
	t.Parallel()
	at := permission.Place{Folder: t.TempDir()}
	rules := permission.NewSet([]permission.Rule{{ID: "r", Enabled: true, Scope: permission.Everywhere, Path: "**/secret.txt", Effect: permission.Reject}})
	for _, c := range []struct {
		p      ToPermit
		mode   permission.Mode
		denied string // "ask": the user may have to be asked
	}{
		{ToPermit{Kind: "read", Paths: []string{"a.txt", "secret.txt"}}, permission.AskAlways, "[1]"},
		{ToPermit{Kind: "read", Title: "Read", Paths: []string{"a.txt"}, Ask: true}, permission.FollowRules, "ask"},
		{ToPermit{Kind: "search", Title: "Search"}, permission.FollowRules, "[]"},
		{ToPermit{Kind: "search", Title: "Search"}, permission.AskAlways, "ask"},
		{ToPermit{Kind: "edit", Title: "Edit"}, permission.ReadOnly, "ask"},
	} {
		out, err := c.p.Decide(at, rules, func() permission.Mode { return c.mode })
		got := "ask"
		if out != nil {
			got = fmt.Sprint(out.Denied)
		}
		if err != nil || got != c.denied {
			t.Errorf("%+v in %s: %s, %v, want %s", c.p, c.mode, got, err, c.denied)
		}
	}
	if _, err := (&ToPermit{Paths: make([]string, maxPermitPaths+1)}).Decide(at, rules, nil); err == nil {
		t.Error("too many paths are looked at")
	}
	f := Folder{Path: at.Folder}
	if o := (&ToPermit{Kind: "read", Paths: []string{"a.txt"}}).Operation(f); o.Kind != actions.Read || o.Files[0] != f.Key("a.txt") {
		t.Errorf("%+v", o)
	}
	one, other := (&ToPermit{Kind: "search", Title: "x", Paths: []string{"a"}}).Operation(f), (&ToPermit{Kind: "search", Title: "y", Paths: []string{"a"}}).Operation(f)
	if one.Files[0] == other.Files[0] {
		t.Error("two searches are one")
	}
}

// A call that asks a question ends with the question, and so does the permission request about it.
func TestPermissionRequestEndsWithTheQuestionOfItsCall(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(d *Inbox, q *Question) error{
		"answered":          func(d *Inbox, q *Question) error { return (Inboxes{d}).AnswerQuestion(q.ID, "accept", nil) },
		"ended by its call": func(d *Inbox, q *Question) error { d.Questions.CallEnded(q.Call); return nil },
	} {
		h := newHistory(t, 0, t.TempDir())
		h.next()
		told, title := "", "Do it"
		a := &Permission{
			ID: "request", Tool: "call", Call: permission.Call{Kind: "execute", Title: title}, Options: ownOptions,
			Tell: func(o Outcome) { told += o.Outcome.Outcome },
		}
		a.Describe(h.inbox.Permissions.session.Place)
		h.inbox.Permissions.Ask(a, &transcript.ToolPatch{ID: a.Tool, Announced: true, Title: &title})
		q := NewQuestion(h, &acp.Request{}, &Elicitation{Mode: "url", URL: "https://example.org", Message: "What?", Tool: "call"})
		h.inbox.Questions.Ask(q, false)
		q.Request.Params = jsontext.Value(q.ID)
		if err := ends(h.inbox, q); err != nil {
			t.Fatal(err)
		}
		h.over()
		h.store()
		if told != "cancelled" || h.inbox.Open() > 0 || h.of(q.ID).told != 1 {
			t.Errorf("%s: the agent is told %q, %d requests are open", name, told, h.inbox.Open())
		}
	}
}

// A call that the agent showed outside of a turn, next to a question, ends with that question, even if the agent asks
// about the call again in a turn that has begun since.
func TestPermissionRequestEndsWithTheMessageOutsideOfTheTurn(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 0, t.TempDir())
	q := NewQuestion(h, &acp.Request{}, &Elicitation{Mode: "url", URL: "https://example.org", Message: "Who?"})
	h.inbox.Questions.Ask(q, true)
	q.Request.Params = jsontext.Value(q.ID)
	told, title := "", "Do it"
	for i, id := range []string{"before", "in the turn"} {
		a := &Permission{
			ID: id, Tool: "call", Call: permission.Call{Kind: "execute", Title: title}, Options: ownOptions,
			Tell: func(o Outcome) { told += id + " " + o.Outcome.Outcome + "," },
		}
		a.Describe(h.inbox.Permissions.session.Place)
		h.inbox.Permissions.Ask(a, &transcript.ToolPatch{ID: a.Tool, Announced: i == 0, Title: &title})
		h.over()
		h.store()
		if h.turn == nil {
			h.next()
		}
	}
	if h.inbox.Open() != 2 {
		t.Fatalf("%d requests are open", h.inbox.Open())
	}
	if err := (Inboxes{h.inbox}).AnswerQuestion(q.ID, "accept", nil); err != nil {
		t.Fatal(err)
	}
	h.waits()
	h.over()
	h.store()
	if told != "before cancelled,in the turn cancelled," || h.inbox.Open() > 0 {
		t.Errorf("the agent is told %q, %d requests are open", told, h.inbox.Open())
	}
}

// The number of operations of an agent that wait for the user is limited. Those that no longer wait don't count.
func TestOperationsThatHaveEndedMakeWayForOthers(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 0, t.TempDir())
	h.inbox.Mode.Space = permission.AskAlways
	h.next()
	p := &h.inbox.Permissions
	for i := range 100 {
		o := &Operation{Action: actions.Action{Kind: actions.Execute, Runs: []actions.Run{{Command: fmt.Sprint("run ", i)}}}}
		o.Call = permission.Call{Kind: "execute", Title: "Run", Input: jsontext.Value(fmt.Sprintf(`{"command":"run %d"}`, i))}
		w, _, err := p.Consent(o, nil, h.calls)
		if w == nil {
			t.Fatalf("after %d operations: %v", i, err)
		}
		p.GiveUp(w.Permission)
		if err := p.Consented(w, false, context.Canceled); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// Whatever agent and user do: each shown request ends once, each asker gets one answer, and only after that answer is
// stored. A rejection applies to all requests about the same action.
func TestEachRequestEndsOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("one"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ended, joined := map[string]int{}, 0
	for n := range uint64(raced.Of(600)) {
		h := newHistory(t, n, folder)
		acts := []func(){
			h.asks, h.asks, h.wants, h.wants, h.callsGateway, h.poses, h.answers, h.answers, h.answersQuestion, h.reconsiders, h.takesBack, h.endsCall,
			func() { h.continues(false) }, h.store, h.store, h.next,
			func() {
				if h.rnd.IntN(4) == 0 {
					(Inboxes{h.inbox}).RefuseAll()
					if len(h.inbox.Permissions.List()) > 0 {
						h.failf("a request stays open after all were refused")
					}
				}
			},
		}
		for range 60 {
			acts[h.rnd.IntN(len(acts))]()
			h.waits()
			if h.rnd.IntN(3) > 0 {
				h.over()
			}
		}
		h.inbox.Withdraw(Shut)
		h.over()
		h.store()
		for len(h.waiting) > 0 {
			h.continues(true)
		}
		h.over()
		h.store()
		if h.inbox.Open() > 0 {
			h.failf("%d requests are open at the end", h.inbox.Open())
		}
		rows := 0
		for id, a := range h.asked {
			if want := map[bool]int{false: 1}[a.behind()]; a.shown != want || a.ended != want {
				h.failf("%s %s is shown %d times and ends %d times", a.kind, id, a.shown, a.ended)
			}
			if a.told == 0 && !a.taken && a.kind != "" {
				h.failf("%s %s is never answered", a.kind, id)
			}
			if a.behind() {
				joined++
			} else if a.kind != "question" {
				rows++
			}
			ended[a.kind]++
		}
		if h.kept < rows {
			h.failf("%d rows of the history for %d requests", h.kept, rows)
		}
	}
	if joined < raced.Of(50) {
		t.Errorf("only %d requests were about what another one was open for", joined)
	}
	for kind, n := range ended {
		if n < raced.Of(300) {
			t.Errorf("only %d of kind %s", n, kind)
		}
	}
}

func TestUnaskedCallIsShownAndKept(t *testing.T) {
	for _, found := range []bool{false, true} {
		h := newHistory(t, 1, t.TempDir())
		h.turns.Begin("run", "")
		done, title := transcript.StatusCompleted, "Run"
		h.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "call", Announced: true, Title: &title, Status: &done}}, 1)
		h.box.Take()
		kept, call := h.kept, permission.Call{Kind: actions.Execute, Title: title}
		about := permission.Describe(&call, permission.Place{})
		h.inbox.Permissions.Unasked(h.turns, "call", &call, about, permission.Decision{Verdict: permission.Ask}, found)
		if h.kept != kept+1 {
			t.Errorf("%d rows are kept", h.kept-kept)
		}
		var by *transcript.By
		for _, b := range h.box.Take().Bodies {
			if p, ok := b.(*transcript.PermissionResolved); ok && p.Outcome == transcript.OutcomeUnasked {
				by = p.By
			}
		}
		if by == nil || by.Found != found {
			t.Errorf("shown is %+v", by)
		}
	}
}
