package acpsession

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/settings"
	"weft/backend/space/prelude"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/sessionservers"
	"weft/backend/store/spaces"
)

// here is a session that the store has for the folder of the tests, there one for another folder.
var (
	here  = &spaces.Session{SessionID: "kept", Cwd: "/here"}
	there = &spaces.Session{SessionID: "kept", Cwd: "/there"}
)

func TestOpenContinuesLastSessionOrMakesOne(t *testing.T) {
	t.Parallel()
	resumes, loads, forks := acp.AgentCapabilities{ResumeSession: true}, acp.AgentCapabilities{LoadSession: true}, acp.AgentCapabilities{ForkSession: true}
	both := acp.AgentCapabilities{ResumeSession: true, LoadSession: true}
	for name, c := range map[string]struct {
		can        acp.AgentCapabilities
		last, fork *spaces.Session
		fails      map[string]error
		broken     string
		did        string
		id, err    string
		forgot     bool
	}{
		"first session":                    {did: "new", id: "made"},
		"resumed":                          {can: resumes, last: here, did: "resume kept", id: "kept"},
		"resumed rather than loaded":       {can: both, last: here, did: "resume kept", id: "kept"},
		"loaded":                           {can: loads, last: here, did: "load kept", id: "kept"},
		"can't be continued":               {last: here, did: "new", id: "made"},
		"made in another folder":           {can: resumes, last: there, did: "new", id: "made"},
		"not resumed":                      {can: resumes, last: here, fails: map[string]error{"resume": errRefused}, did: "resume kept, new", id: "made", forgot: true},
		"not loaded":                       {can: loads, last: here, fails: map[string]error{"load": errRefused}, did: "load kept, new", id: "made", forgot: true},
		"resumed without sign-in":          {can: resumes, last: here, fails: map[string]error{"resume": errAuth}, did: "resume kept", id: "kept", err: "sign-in"},
		"loaded without sign-in":           {can: loads, last: here, fails: map[string]error{"load": errAuth}, did: "load kept", id: "kept", err: "sign-in"},
		"made without sign-in":             {fails: map[string]error{"new": errAuth}, did: "new", err: "sign-in"},
		"initialized without sign-in":      {fails: map[string]error{"about": errAuth}, err: "sign-in"},
		"process has it already":           {can: resumes, last: here, fails: map[string]error{"resume": acp.ErrSessionTaken}, did: "resume kept", id: "kept", err: "exclusive for now"},
		"process has what is loaded":       {can: loads, last: here, fails: map[string]error{"load": acp.ErrSessionTaken}, did: "load kept", id: "kept", err: "exclusive for now"},
		"process is gone":                  {can: resumes, last: here, fails: map[string]error{"resume": acp.ErrClosed}, did: "resume kept", id: "kept", err: acp.ErrClosed.Error()},
		"copied for a branch":              {can: forks, fork: here, did: "fork kept, store copy", id: "copy"},
		"copy of another folder":           {can: forks, fork: there, did: "new", id: "made"},
		"copies are not made":              {fork: here, did: "new", id: "made"},
		"copy is refused":                  {can: forks, fork: here, fails: map[string]error{"fork": errRefused}, did: "fork kept, new", id: "made"},
		"copied without sign-in":           {can: forks, fork: here, fails: map[string]error{"fork": errAuth}, did: "fork kept", err: "sign-in"},
		"no copy where there was one":      {can: forks, last: here, fork: here, did: "new", id: "made"},
		"copy can't be stored":             {can: forks, fork: here, broken: "Add", did: "fork kept", id: "copy", err: errStore.Error()},
		"last one can't be read":           {broken: "Last", err: errStore.Error()},
		"origin of branch can't be read":   {can: forks, fork: here, broken: "ToFork", err: errStore.Error()},
		"prompts to compare can't be read": {can: loads, last: here, broken: "Prompts", id: "kept", err: errStore.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.about.Capabilities, f.last, f.fork, f.broken = c.can, c.last, c.fork, c.broken
			for method, err := range c.fails {
				f.fails[method] = []error{err}
			}
			err := f.session.Open(t.Context())
			f.settled()
			if kind(err) != c.err || f.did() != c.did || f.session.ID() != c.id {
				t.Errorf("error %q after %q in session %q, want %q after %q in %q", kind(err), f.did(), f.session.ID(), c.err, c.did, c.id)
			}
			made := c.id == "made"
			if (f.session.Lost() == prelude.Forgotten) != c.forgot || f.session.Unused() != made || (f.fromZero == 1) != made {
				t.Errorf("lost %v, unused %v, %d times from zero", f.session.Lost(), f.session.Unused(), f.fromZero)
			}
			if f.options.Settled() != (c.err == "") || slices.Contains(f.offers, true) != (c.err == "sign-in") {
				t.Errorf("options are settled: %v; the user is told %v", f.options.Settled(), f.offers)
			}
		})
	}
}

// TestSessionIsContinuedAtMostTwice has an agent fail to continue a session, or to copy one, at each of several openings.
func TestSessionIsContinuedAtMostTwice(t *testing.T) {
	t.Parallel()
	type opening struct{ did, err string }
	for name, c := range map[string]struct {
		can        acp.AgentCapabilities
		last, fork *spaces.Session
		fails      map[string][]error
		want       []opening
	}{
		"hangs":       {acp.AgentCapabilities{LoadSession: true}, here, nil, map[string][]error{"load": {errSilent, errSilent}}, []opening{{"load kept", "agent_silent"}, {"load kept", "fresh"}, {"new", ""}}},
		"is gone":     {acp.AgentCapabilities{ResumeSession: true}, here, nil, map[string][]error{"resume": {acp.ErrClosed, acp.ErrStalled}}, []opening{{"resume kept", acp.ErrClosed.Error()}, {"resume kept", "fresh"}, {"new", ""}}},
		"in two ways": {acp.AgentCapabilities{LoadSession: true}, here, nil, map[string][]error{"load": {errSilent, acp.ErrClosed}}, []opening{{"load kept", "agent_silent"}, {"load kept", "fresh"}, {"new", ""}}},
		"sign-in":     {acp.AgentCapabilities{LoadSession: true}, here, nil, map[string][]error{"load": {errAuth, errAuth}}, []opening{{"load kept", "sign-in"}, {"load kept, new", ""}}},
		"signs in after": {
			acp.AgentCapabilities{LoadSession: true},
			here, nil,
			map[string][]error{"load": {errAuth, errAuth, nil}, "new": {errAuth}},
			[]opening{{"load kept", "sign-in"}, {"load kept, new", "sign-in"}, {"load kept", ""}},
		},
		"works between": {
			acp.AgentCapabilities{LoadSession: true},
			here, nil,
			map[string][]error{"load": {errSilent, nil, errSilent, errSilent}},
			[]opening{{"load kept", "agent_silent"}, {"load kept", ""}, {"load kept", "agent_silent"}, {"load kept", "fresh"}, {"new", ""}},
		},
		"copy": {acp.AgentCapabilities{ForkSession: true}, nil, here, map[string][]error{"fork": {errSilent, acp.ErrClosed}}, []opening{{"fork kept", "agent_silent"}, {"fork kept", "fresh"}, {"new", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.about.Capabilities, f.last, f.fork, f.fails = c.can, c.last, c.fork, c.fails
			for i, want := range c.want {
				f.opens()
				err := f.session.Open(t.Context())
				f.settled()
				if kind(err) != want.err || f.did() != want.did {
					t.Errorf("opening %d: error %q after %q, want %q after %q", i, kind(err), f.did(), want.err, want.did)
				}
			}
			made := strings.HasSuffix(c.want[len(c.want)-1].did, "new")
			if lost := f.session.Lost(); (lost == prelude.Lost) != (made && c.last != nil) {
				t.Errorf("the earlier session is lost: %v", lost)
			}
		})
	}
}

func TestNewSessionIsStoredBeforeFirstPrompt(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if err := f.session.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !f.session.CanEnd() {
		t.Error("a session in which nothing was said can't be ended without loss")
	}
	f.broken = "Add"
	if err := f.session.StoreUnused(t.Context()); !errors.Is(err, errStore) || !f.session.Unused() {
		t.Errorf("%v; unused: %v", err, f.session.Unused())
	}
	f.broken = ""
	for range 2 {
		if err := f.session.StoreUnused(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.session.MarkUsed()
	}
	if f.did() != "new, store made" || f.session.Unused() || f.session.CanEnd() {
		t.Errorf("%s; unused: %v, can end: %v", f.did(), f.session.Unused(), f.session.CanEnd())
	}
	f.session.About.Capabilities.LoadSession = true
	if !f.session.CanEnd() {
		t.Error("a session that can be loaded can't be ended without loss")
	}
}

func TestOpenGivesUpWhenContextEnds(t *testing.T) {
	t.Parallel()
	why := errors.New("nobody waits any more")
	for _, at := range []string{"about", "resume", "new", "fork", "load"} {
		f := newFake(t)
		switch at {
		case "resume":
			f.last, f.about.Capabilities.ResumeSession = here, true
		case "load":
			f.last, f.about.Capabilities.LoadSession = here, true
		case "fork":
			f.fork, f.about.Capabilities.ForkSession = here, true
		default:
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		f.does = func(call string) {
			if call == at {
				cancel(why)
			}
		}
		if err := f.session.Open(ctx); !errors.Is(err, why) {
			t.Errorf("%s: %v", at, err)
		}
		f.settled()
		if last := f.calls[len(f.calls)-1]; !strings.HasPrefix(last, at) || f.options.Settled() {
			t.Errorf("%s: the agent was asked for %v; settled: %v", at, f.calls, f.options.Settled())
		}
	}
}

func TestOptionsAreRestoredWhereAgentAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails   error
		gone    bool
		model   string
		settled bool
		notSet  int
		offers  int
	}{
		"set back":              {nil, false, "b", true, 0, 1},
		"refused":               {errRefused, false, "a", true, 1, 1},
		"session was given up":  {nil, true, "b", false, 0, 0},
		"given up, and not set": {errRefused, true, "a", false, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.fails["choose"] = []error{c.fails}
			f.does = func(call string) { f.gone = f.gone || c.gone && call == "choose" }
			if err := f.session.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.settled()
			if f.model != c.model || f.options.Settled() != c.settled || f.warned("model") != c.notSet || len(f.offers) != c.offers {
				t.Errorf("model %s, settled %v, not set %v, told %v", f.model, f.options.Settled(), f.warnings.String(), f.offers)
			}
			inForce := strings.Trim(string(f.options.Find("model").Current), `"`)
			if want := map[bool]string{true: "a", false: c.model}[c.gone]; inForce != want {
				t.Errorf("%s is in force for the member, want %s", inForce, want)
			}
		})
	}
}

func TestNoOptionIsRestoredOnceContextHasEnded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.options = sessionoptions.New(sessionoptions.Values{"model": jsontext.Value(`"b"`), "other": jsontext.Value(`"b"`)})
	ctx, cancel := context.WithCancel(t.Context())
	f.does = func(call string) {
		if call == "choose" {
			cancel()
		}
	}
	if err := f.session.Open(ctx); err != nil || f.warned("couldn't set an option") != 1 || f.options.Settled() || f.model+f.other != "aa" {
		t.Errorf("%v; not set: %v; in force: %s and %s", err, f.warnings.String(), f.model, f.other)
	}
}

func TestServersAreGivenForEachOpening(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	alive := 0
	f.servers = sessionservers.Given{
		Servers: func() []settings.MCPServer {
			f.outside("the settings")
			return []settings.MCPServer{{Name: "web", Type: "http", URL: "http://x"}}
		},
		Open: func() (url, token string, release func(), ok bool) {
			f.outside("the gateway")
			alive++
			return "http://gateway", "token", func() { alive-- }, true
		},
		Program: func() (string, error) { return "weft", nil },
	}
	f.session.About.Capabilities.MCPHTTP = true
	if list := f.session.ServersToSend(); len(list) != 2 || alive != 1 || !f.session.Servers.All()[0].Handed || f.warned("web") != 0 {
		t.Errorf("%+v, %+v; %d tokens", list, f.session.Servers.All(), alive)
	}
	f.session.About.Capabilities.MCPHTTP = false
	if list := f.session.ServersToSend(); len(list) != 1 || alive != 1 || f.session.Servers.All()[0].Why != "transport" || f.warned("web") != 1 {
		t.Errorf("%+v, %+v; %d tokens; %s", list, f.session.Servers.All(), alive, f.warnings.String())
	}
	f.session.End()
	if alive != 0 {
		t.Error("the token outlives the session")
	}
}
