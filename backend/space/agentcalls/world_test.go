package agentcalls

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/permission/files"
	"weft/backend/space/agentnotes"
	"weft/backend/space/gatecalls"
	"weft/backend/space/gatedrafts"
	"weft/backend/space/requests"
	"weft/backend/space/sessionservers"
	"weft/backend/space/toolcalls"
	"weft/backend/store/permissions"
)

const table = "showTable"

// find knows the tools for messages and tables.
func find(called string) (gatecalls.Tool, bool) {
	name, ok := strings.CutPrefix(called, "mcp__weft__")
	return gatecalls.Tool{Name: name, Exact: true, Draws: name == table}, ok && (name == gatedrafts.SendMessage || name == table)
}

// away is the message of the run in another space.
type away struct {
	text    strings.Builder
	changes int
}

func (a *away) SpaceID() string        { return "away" }
func (a *away) HomeTitle() string      { return "" }
func (a *away) Text(_, _, text string) { a.text.WriteString(text) }

func (a *away) Change(_ int, do func(*transcript.Fold)) {
	a.changes++
	do(transcript.NewFold(&transcript.Outbox{}, transcript.MessageStart{}))
}

// world is a session with everything that its calls use. It logs what it receives, in order.
type world struct {
	*Calls[*away]
	t     *testing.T
	log   []string
	ids   int
	order int

	turn     *actions.Turn // in progress, nil if there is none
	stopping bool
	prompted bool
	replayed bool
	terminal string // of Weft's that runs

	mode     permission.Mode
	box      transcript.Outbox
	turns    *transcript.Turns
	inbox    *requests.Inbox
	servers  sessionservers.List
	notes    *agentnotes.Notes
	away     *away
	files    map[string]string
	slow     bool // files are read later
	place    permission.Place
	disk     files.View              // where paths lead, as far as it was foreseen
	foreseen int                     // how much of it was
	read     int                     // how many of its files were read
	patches  []*transcript.ToolPatch // that were shown
	watched  *transcript.ToolPatch   // the last
	decided  []permissions.Decision
	told     []string // answers to requests
	effects  []func()
}

func newWorld(t *testing.T, mode permission.Mode, change ...func(*Session[*away])) *world {
	w := &world{t: t, mode: mode, prompted: true, away: &away{}, files: map[string]string{}}
	w.turns = transcript.NewTurns(&w.box, transcript.Author{}, transcript.Author{ID: "agent"}, func() string { return w.NewID("msg") })
	w.place = permission.Place{SpaceID: "own", Folder: t.TempDir(), AgentID: "agent"}
	place := w.place
	place.Disk = &w.disk
	rules := permission.NewSet(nil)
	w.inbox = requests.NewInbox(requests.Session{
		Place: place, Turns: w.turns, Now: w.Now, NewID: w.NewID, Rules: func() *permission.Set { return rules },
		Trusts: func(string) string { return "" }, Let: func(string) {}, TrustEdits: func() {},
	}, w, mode)
	w.notes = agentnotes.New(agentnotes.Options{Meta: noMeta{}, Go: func(func()) {}, Changed: func() {}})
	s := Session[*away]{
		Agent: agent.Config{ID: "agent", Name: "Agent", Source: "registry"}, Place: place, Inbox: w.inbox, Turns: w.turns, Servers: &w.servers, Notes: w.notes, Find: find,
		Rules: func() *permission.Set { return rules },
		Watch: func(_ string, p *transcript.ToolPatch) {
			w.note("watch", p.ID)
			w.watched = p
		},
		Step: w, Space: w, Host: w,
	}
	for _, do := range change {
		do(&s)
	}
	w.Calls = New(s)
	w.begins(rules)
	return w
}

// begins begins a turn.
func (w *world) begins(rules *permission.Set) {
	w.turn, w.stopping = &actions.Turn{}, false
	w.turns.Begin("run", "")
	w.turn.Found.Begin(false, w.mode, rules)
}

// ends ends it.
func (w *world) ends() {
	w.EndWriting()
	w.Drafts.End()
	w.Forget()
	w.over()
	w.turn = nil
}

type noMeta struct{}

func (noMeta) Get(context.Context, string) (string, bool, error) { return "", false, nil }
func (noMeta) Set(context.Context, string, string) error         { return nil }

func (w *world) note(what ...string) { w.log = append(w.log, strings.Join(what, " ")) }

// over ends a step.
func (w *world) over() {
	for len(w.effects) > 0 {
		do := w.effects[0]
		w.effects = w.effects[1:]
		do()
	}
}

// expect compares the log and clears it.
func (w *world) expect(what string, want ...string) {
	w.t.Helper()
	w.over()
	if !slices.Equal(w.log, want) {
		w.t.Errorf("%s: %q, want %q", what, w.log, want)
	}
	w.log = nil
}

// The step.

func (w *world) Turn() (*actions.Turn, bool) { return w.turn, w.turn != nil && !w.stopping }
func (w *world) Resume()                     {}
func (w *world) Effect(do func())            { w.effects = append(w.effects, do) }
func (w *world) After(do func())             { w.Effect(do) }
func (w *world) Flush()                      {}
func (w *world) Touched()                    {}
func (w *world) Changed()                    {}

func (w *world) Decided(d permissions.Decision) {
	w.decided = append(w.decided, d)
	w.note("decided", d.Outcome)
}

// The space.

func (w *world) InRun() bool            { return w.turn != nil }
func (w *world) Shows(call string) bool { return w.turns.Current().Knows(call) }
func (w *world) Own() *transcript.Fold  { return w.turns.Current() }
func (w *world) Now() int64             { return 1 }

func (w *world) NewID(kind string) string {
	w.ids++
	return fmt.Sprint(kind, w.ids)
}

func (w *world) Elsewhere(string) *away { return w.away }

func (w *world) From(call string) *displays.From { return &displays.From{ToolCallID: call} }

// Update receives what Weft itself shows.
func (w *world) Update(u *transcript.Update) {
	w.note("update", u.Tool.ID)
	w.turns.Update(u, 1)
}

// The host.

func (w *world) Reported(u *transcript.Update) { w.report(u.Tool) }
func (w *world) Visit(p *transcript.ToolPatch) { w.note("visit", p.ID) }
func (w *world) Replayed() bool                { return w.replayed }
func (w *world) Prompted() bool                { return w.prompted }
func (w *world) ReadsAlong() bool              { return true }
func (w *world) HasTerminal(id string) bool    { return id == w.terminal }
func (w *world) OfferChanged()                 { w.note("offer") }

func (w *world) Read(look *toolcalls.Look) {
	w.note("read")
	w.Effect(func() {
		look.Read(w)
		w.ShowRead(look)
	})
}

func (w *world) Show(u *transcript.Update) {
	w.note("show", u.Tool.ID)
	shown := *u.Tool
	w.patches = append(w.patches, &shown)
	w.turns.Update(u, 1)
}

func (w *world) ReportUnasked() {
	if w.turn == nil || !w.turn.Found.Waiting() || w.MayChange() {
		return
	}
	w.note("weigh")
	w.ShowFound(w.turn, w.Own)
}

// Text and Exists are the disk of the space's folder.
func (w *world) Text(path string) (string, bool) {
	w.read++
	text, ok := w.files[path]
	return text, ok
}

func (w *world) Exists(path string) bool {
	_, ok := w.files[path]
	return ok
}

// The agent.

// report makes the agent report an update of a call.
func (w *world) report(p *transcript.ToolPatch) {
	w.order++
	w.reads(p, false)
	w.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, w.order)
	w.hasRead(p)
}

// reads reads what an update or a request needs, as the session does.
func (w *world) reads(p *transcript.ToolPatch, asking bool) {
	if w.Files = nil; !w.slow {
		if look := w.Look(p, asking); look != nil {
			w.Files = look.Snapshot(w)
		}
	}
	w.disk = *actions.Foresee(w.Foresee(p, asking, w.Files), w.place)
	w.foreseen = w.disk.Reads()
}

// hasRead checks that nothing was read of the disk that wasn't foreseen.
func (w *world) hasRead(p *transcript.ToolPatch) {
	if n := w.disk.Reads() - w.foreseen; n > 0 {
		w.t.Errorf("the disk was read %d times for %+v", n, *p)
	}
	w.disk = files.View{}
}

// announces makes it announce a call of its own tool.
func (w *world) announces(id, kind, input string) {
	running, title := transcript.StatusRunning, "Call "+id
	w.report(&transcript.ToolPatch{ID: id, Announced: true, Title: &title, Kind: &kind, Status: &running, Input: jsontext.Value(input)})
}

// calls makes it announce a call of the tool for tables.
func (w *world) calls(id, input string) {
	name, title, pending := "mcp__weft__"+table, "weft: "+table, transcript.StatusPending
	w.report(&transcript.ToolPatch{ID: id, Announced: true, Name: &name, Title: &title, Status: &pending, Input: jsontext.Value(input)})
}

// completes makes it end a call.
func (w *world) completes(id string) {
	done := transcript.StatusCompleted
	w.report(&transcript.ToolPatch{ID: id, Status: &done})
}

// asks makes it ask for permission.
func (w *world) asks(p *transcript.ToolPatch) *requests.Permission {
	a := &requests.Permission{
		ID: w.NewID("ask"), Request: &acp.Request{}, Options: []transcript.PermissionOption{{ID: "yes", Kind: "allow_once"}, {ID: "no", Kind: "reject_once"}}, Tool: p.ID, At: 1,
	}
	a.Tell = func(o requests.Outcome) {
		w.note("told", o.Outcome.Outcome+o.Outcome.OptionID)
		w.told = append(w.told, a.ID)
	}
	w.Watch.Vouch(p.ID)
	w.reads(p, true)
	w.Ask(a, p)
	w.hasRead(p)
	return a
}

// arrives makes such a call arrive at the gateway.
func (w *world) arrives(sent string) (*Arrival[*away], <-chan struct{}) {
	return w.Arrive(table, jsontext.Value(sent), time.Unix(1000, 0))
}

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// call returns a call of the conversation, or nil.
func (w *world) call(id string) *transcript.ToolPatch {
	for _, p := range slices.Backward(w.patches) {
		if p.ID == id {
			return p
		}
	}
	return nil
}
