package acpsession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/sessionservers"
	"weft/backend/store/spaces"
)

// fake is a session whose space, store and agent are in memory.
type fake struct {
	t       *testing.T
	session *Session
	options sessionoptions.Options
	known   agentauth.Known
	tried   Tried
	calls   []string // of the agent, and what was stored, in order

	// The space.
	held      bool
	gone      bool // the session was given up
	turn      bool // one is in progress
	folded    []string
	replaying bool
	fromZero  int
	offers    []bool // each time that it was told what there is: whether a sign-in is wanted
	shown     bool   // since something has changed
	logOut    bool
	warnings  strings.Builder
	servers   sessionservers.Given

	// The store.
	last, fork *spaces.Session
	prompts    []string
	broken     string // the method of the store that fails

	// The agent.
	about acp.InitializeResult
	fails map[string][]error // what it returns for each call of a method; nil, or none left: it does that
	model string             // that is in force
	other string             // another option
	does  func(call string)  // is called while the agent works on a call; nil: nothing
}

var (
	errAuth    = &acp.RPCError{Code: acp.CodeAuthRequired, Message: "sign in"}
	errRefused = &acp.RPCError{Code: acp.CodeInternal, Message: "no such thing"}
	errSilent  = fault.New("agent_silent", "no answer").Because(context.DeadlineExceeded)
	errStore   = errors.New("the store is broken")
)

// newFake returns a session that is joined; the agent can do nothing but make sessions, and the store has none.
func newFake(t *testing.T) *fake {
	f := &fake{t: t, fails: map[string][]error{}, model: "a", other: "a", about: acp.InitializeResult{Raw: jsontext.Value("{}")}}
	f.options = sessionoptions.New(sessionoptions.Values{"model": jsontext.Value(`"b"`)})
	f.opens()
	return f
}

// opens begins an opening of the member's session.
func (f *fake) opens() {
	f.calls = nil
	f.session = New(Options{
		SpaceID: "space", MemberID: "member", Config: agent.Config{ID: "agent", Name: "Agent"}, Folder: "/here", Space: fakeSpace{f}, Store: fakeStore{f},
		Offered: &f.options, Known: &f.known, Tried: &f.tried, SawLogOut: func(can bool) { f.logOut = can }, Redact: strings.ToUpper, Now: func() int64 { return 7 },
		Log: zerolog.New(&f.warnings), Servers: &f.servers,
	})
	f.session.Join(fakeAgent{f})
}

// outside fails the test if something that takes time is done within a step.
func (f *fake) outside(what string) {
	f.t.Helper()
	if f.held {
		f.t.Errorf("%s is called with the lock", what)
	}
}

// inside fails the test if the space is changed outside of a step.
func (f *fake) inside() {
	f.t.Helper()
	if !f.held {
		f.t.Error("the space is changed without the lock")
	}
}

// sends has an update of the agent come, as the space takes it: "u:" is the user's words, "a:" the agent's.
func (f *fake) sends(sessionID, text string) {
	fakeSpace{f}.Step(func() {
		u := &transcript.Update{Kind: transcript.UpdateText, Text: text}
		if strings.HasPrefix(text, "u:") {
			u.Kind, u.Text = transcript.UpdateUser, text[2:]
		}
		if ours, err := f.session.Take(sessionID, u, len(text)); err != nil {
			f.t.Error(err)
		} else if ours {
			fakeSpace{f}.Update([]*transcript.Update{u})
		}
	})
}

type fakeSpace struct{ *fake }

func (f fakeSpace) Step(do func()) {
	f.outside("a step")
	f.held = true
	defer func() { f.held = false }()
	do()
}
func (f fakeSpace) Current() bool { f.inside(); return !f.gone }
func (f fakeSpace) InTurn() bool  { f.inside(); return f.turn }
func (f fakeSpace) ResetCost()    { f.inside(); f.fromZero++ }
func (f fakeSpace) Flush()        { f.inside(); f.shown = true }

func (f fakeSpace) Update(list []*transcript.Update) {
	f.inside()
	for _, u := range list {
		if u.Kind != transcript.UpdateState && f.session.Discarding() {
			if !f.session.IsNew(u) {
				continue
			}
			if !f.replaying {
				f.t.Errorf("%q is replayed, and folded as if it weren't", u.Text)
			}
		}
		text := u.Text
		if u.Kind == transcript.UpdateState {
			text = "state"
		}
		f.folded = append(f.folded, text)
	}
	f.shown = true
}

func (f fakeSpace) Replay(begins bool) {
	f.inside()
	if begins && f.replaying {
		f.t.Error("a replay begins twice")
	}
	f.replaying = begins
}

func (f fakeSpace) PublishOptions(signIn bool) {
	f.inside()
	f.offers, f.shown = append(f.offers, signIn), false
}

type fakeStore struct{ *fake }

func (f fakeStore) fault(method string) error {
	f.outside(method)
	if f.broken == method {
		return errStore
	}
	return nil
}

func (f fakeStore) Last(_ context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error) {
	return f.one("Last", f.last, spaceID, memberID, agentID)
}

func (f fakeStore) ToFork(_ context.Context, spaceID, memberID, agentID string) (spaces.Session, bool, error) {
	return f.one("ToFork", f.fork, spaceID, memberID, agentID)
}

func (f fakeStore) one(method string, s *spaces.Session, spaceID, memberID, agentID string) (spaces.Session, bool, error) {
	if of := spaceID + " " + memberID + " " + agentID; of != "space member agent" {
		f.t.Errorf("%s of %s", method, of)
	}
	if err := f.fault(method); err != nil || s == nil {
		return spaces.Session{}, false, err
	}
	return *s, true, nil
}

func (f fakeStore) Add(_ context.Context, s spaces.Session) error {
	if err := f.fault("Add"); err != nil {
		return err
	}
	if want := (spaces.Session{SpaceID: "space", MemberID: "member", AgentID: "agent", SessionID: s.SessionID, Cwd: "/here", CreatedAt: 7}); s != want {
		f.t.Errorf("%+v is stored", s)
	}
	f.calls = append(f.calls, "store "+s.SessionID)
	return nil
}

func (f fakeStore) Prompts(context.Context, string, int) ([]string, error) {
	return f.prompts, f.fault("Prompts")
}

type fakeAgent struct{ *fake }

// call notes a call, and returns what the agent says of it. An end of ctx is noticed at once.
func (f fakeAgent) call(ctx context.Context, method, about string) error {
	f.outside(method)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.calls = append(f.calls, strings.TrimSpace(method+" "+about))
	if f.does != nil {
		f.does(method)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	list := f.fails[method]
	if len(list) == 0 {
		return nil
	}
	f.fails[method] = list[1:]
	return list[0]
}

// result is what the agent says of a session.
func (f fakeAgent) result(id string, err error) (acp.SessionResult, error) {
	if err != nil {
		return acp.SessionResult{}, err
	}
	return acp.SessionResult{SessionID: id, ConfigOptions: f.config()}, nil
}

func (f fakeAgent) config() jsontext.Value {
	const option = `{"id":%q,"name":"Option","type":"select","currentValue":%q,"options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}`
	return fmt.Appendf(nil, "["+option+","+option+"]", "model", f.model, "other", f.other)
}

func (f fakeAgent) About(ctx context.Context) (acp.InitializeResult, error) {
	if err := f.call(ctx, "about", ""); err != nil {
		return acp.InitializeResult{}, err
	}
	return f.about, nil
}
func (f fakeAgent) Initialize(ctx context.Context) { _ = f.call(ctx, "initialize", "") }
func (f fakeAgent) Authenticate(ctx context.Context, methodID string) error {
	return f.call(ctx, "authenticate", methodID)
}

func (f fakeAgent) New(ctx context.Context) (acp.SessionResult, error) {
	return f.result("made", f.call(ctx, "new", ""))
}

func (f fakeAgent) Resume(ctx context.Context, id string) (acp.SessionResult, error) {
	return f.result("", f.call(ctx, "resume", id))
}

func (f fakeAgent) Load(ctx context.Context, id string, r *Replay) (acp.SessionResult, error) {
	if r != f.session.Replay {
		f.t.Error("the replay of another session is followed")
	}
	return f.result("", f.call(ctx, "load", id))
}

func (f fakeAgent) Fork(ctx context.Context, id string) (acp.SessionResult, bool, error) {
	err := f.call(ctx, "fork", id)
	if Refused(err) {
		return acp.SessionResult{}, false, nil // as [Opener.Fork] has it
	}
	res, err := f.result("copy", err)
	return res, err == nil, err
}

func (f fakeAgent) Choose(ctx context.Context, sessionID string, option acp.Option, value jsontext.Value) (jsontext.Value, error) {
	if sessionID == "" {
		f.t.Error("an option is set in a session that isn't known")
	}
	if err := f.call(ctx, "choose", option.ID+" "+string(value)); err != nil {
		return nil, err
	}
	if option.ID == "model" {
		f.model = strings.Trim(string(value), `"`)
	} else {
		f.other = strings.Trim(string(value), `"`)
	}
	return f.config(), nil
}

// settled fails the test if the session isn't in the state in which a way that was taken to its end leaves it.
func (f *fake) settled() {
	f.t.Helper()
	if f.held || f.session.Discarding() {
		f.t.Error("the lock is held, or a replay is still discarded")
	}
	if len(f.offers) > 0 && !f.shown {
		f.t.Error("what the session offers wasn't shown")
	}
}

// did returns the calls of the agent that open something, and what was stored.
func (f *fake) did() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.calls), func(call string) bool {
		return call == "about" || call == "initialize" || strings.HasPrefix(call, "choose")
	}), ", ")
}

// warned returns how many warnings name what.
func (f *fake) warned(what string) int { return strings.Count(f.warnings.String(), what) }
