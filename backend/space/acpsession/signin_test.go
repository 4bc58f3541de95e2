package acpsession

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/base/fault"
)

// methods are ways to sign in as agents tell them.
func methods(ids ...string) (list []acp.AuthMethod) {
	for _, id := range ids {
		list = append(list, acp.AuthMethod{ID: id, Name: id})
	}
	return list
}

func TestOpenSignedInAtEachStep(t *testing.T) {
	t.Parallel()
	auth := []error{errAuth}
	for name, c := range map[string]struct {
		method string
		fails  map[string][]error
		calls  string // but for the options that are restored
		err    string
		wants  []bool // a sign-in, each time that the user is told
	}{
		"by the agent":                       {agentauth.ByAgent, nil, "about, authenticate way, new", "", []bool{false, false}},
		"by the agent, before initialize":    {agentauth.ByAgent, map[string][]error{"about": auth}, "about, authenticate way, initialize, about, authenticate way, new", "", []bool{true, false, false}},
		"by the agent, for nothing":          {agentauth.ByAgent, map[string][]error{"new": auth}, "about, authenticate way, new", "fresh", []bool{false, true}},
		"by the agent, refused":              {agentauth.ByAgent, map[string][]error{"authenticate": {errRefused}}, "about, authenticate way", "refused", nil},
		"by the agent, connection lost":      {agentauth.ByAgent, map[string][]error{"authenticate": {acp.ErrClosed}}, "about, authenticate way", acp.ErrClosed.Error(), nil},
		"in a terminal":                      {agentauth.ByTerminal, nil, "about, new", "", []bool{false, false}},
		"in a terminal, before initialize":   {agentauth.ByTerminal, map[string][]error{"about": auth}, "about", "auth_required", []bool{true}},
		"in a terminal, for nothing":         {agentauth.ByTerminal, map[string][]error{"new": auth}, "about, new", "auth_required", []bool{true}},
		"with variables":                     {agentauth.ByVariables, nil, "about, new", "", []bool{false, false}},
		"with variables, told to":            {agentauth.ByVariables, map[string][]error{"new": auth}, "about, new, authenticate way, new", "", []bool{true, false, false}},
		"with variables, for nothing":        {agentauth.ByVariables, map[string][]error{"new": {errAuth, errAuth}}, "about, new, authenticate way, new", "auth_required", []bool{true, true}},
		"with variables, told to, refused":   {agentauth.ByVariables, map[string][]error{"new": auth, "authenticate": {errRefused}}, "about, new, authenticate way", "refused", []bool{true}},
		"with variables, before initialize":  {agentauth.ByVariables, map[string][]error{"about": auth}, "about, authenticate way, initialize, about, new", "", []bool{true, false, false}},
		"refused at once, before initialize": {agentauth.ByVariables, map[string][]error{"about": auth, "authenticate": {errRefused}}, "about, authenticate way", "refused", []bool{true}},
		"twice before initialize":            {agentauth.ByVariables, map[string][]error{"about": {errAuth, errAuth}}, "about, authenticate way, initialize, about", "auth_required", []bool{true, true}},
		"by the agent, twice before":         {agentauth.ByAgent, map[string][]error{"about": {errAuth, errAuth}}, "about, authenticate way, initialize, about", "fresh", []bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.about.AuthMethods, f.fails = methods("way"), c.fails
			if f.fails == nil {
				f.fails = map[string][]error{}
			}
			err := f.session.OpenSignedIn(t.Context(), agentauth.Method{ID: "way", Type: c.method}, false)
			f.settled()
			calls := strings.Join(slices.DeleteFunc(f.calls, func(call string) bool { return strings.HasPrefix(call, "choose") }), ", ")
			if codeOf(err) != c.err || calls != c.calls {
				t.Errorf("error %q after %q, want %q after %q", codeOf(err), calls, c.err, c.calls)
			}
			if !slices.Equal(f.offers, c.wants) {
				t.Errorf("the user is told %v, want %v", f.offers, c.wants)
			}
		})
	}
}

func TestSignInInAnotherProcessIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fails  []error
		err    string
		offers []bool
	}{{nil, "", []bool{false, false}}, {[]error{errAuth}, "auth_required", []bool{true}}} {
		f := newFake(t)
		f.about.AuthMethods = methods("way")
		f.fails["new"] = c.fails
		err := f.session.OpenSignedIn(t.Context(), agentauth.Method{ID: "way", Type: agentauth.ByAgent}, true)
		f.settled()
		if codeOf(err) != c.err || f.did() != "new" || !slices.Equal(f.offers, c.offers) {
			t.Errorf("error %q after %q; the user is told %v", codeOf(err), f.did(), f.offers)
		}
	}
}

// codeOf is kind, but the code of an error of Weft's own comes before what the agent has said.
func codeOf(err error) string {
	if own, ok := errors.AsType[*fault.Error](err); ok && kind(err) != "fresh" {
		return own.Code
	}
	return kind(err)
}

func TestSignInInOpenSession(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.about.AuthMethods = methods("way")
	if err := f.session.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.session.SignIn(t.Context(), "other"); codeOf(err) != "not_found" || f.did() != "new" {
		t.Errorf("a way that isn't offered: %v after %s", err, f.did())
	}
	f.fails["authenticate"] = []error{&acp.RPCError{Code: acp.CodeInternal, Message: "secret is wrong"}}
	if err := f.session.SignIn(t.Context(), "way"); codeOf(err) != "refused" || !strings.HasSuffix(err.Error(), "couldn't sign you in: SECRET IS WRONG.") {
		t.Errorf("refused: %v", err) // ToUpper is what redacts here
	}
	f.offers = nil
	if err := f.session.SignIn(t.Context(), "way"); err != nil || !slices.Equal(f.offers, []bool{false}) {
		t.Errorf("%v; the user is told %v", err, f.offers)
	}
}

func TestSignInMethodsAreKnownFromRefusalOrFromBefore(t *testing.T) {
	t.Parallel()
	named := &acp.RPCError{Code: acp.CodeAuthRequired, Message: "sign in", Data: jsontext.Value(`{"authMethods":[{"id":"named","name":"Named"}]}`)}
	for name, c := range map[string]struct {
		before, told []acp.AuthMethod
		err          error
		want         string
	}{
		"told":            {methods("before"), methods("told"), named, "told"},
		"named":           {methods("before"), nil, named, "named"},
		"before":          {methods("before"), nil, errAuth, ""},
		"other refusal":   {methods("before"), methods("told"), errRefused, "told"},
		"nothing is said": {nil, nil, errAuth, ""},
	} {
		f := newFake(t)
		f.known.Offered(c.before)
		f.about.AuthMethods = c.told
		f.fails["new"] = []error{c.err}
		_ = f.session.Open(t.Context())
		for what, list := range map[string][]acp.AuthMethod{"the session": f.session.About.AuthMethods, "the member": f.known.List()} {
			got := ""
			if len(list) > 0 {
				got = list[0].ID
			}
			if got != c.want {
				t.Errorf("%s: %s has %q, want %q", name, what, got, c.want)
			}
		}
	}
	f := newFake(t) // it doesn't come to tell its ways
	f.known.Offered(methods("before"))
	f.fails["about"] = []error{errAuth}
	_ = f.session.Open(t.Context())
	if list := f.session.About.AuthMethods; len(list) != 1 || list[0].ID != "before" {
		t.Errorf("before initialize: %v", list)
	}
}

func TestLogOutIsNotedOnceInitialized(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.about.Capabilities.Logout = true
	f.fails["about"] = []error{errRefused}
	if err := f.session.Open(t.Context()); err == nil || f.logOut {
		t.Errorf("%v; noted: %v", err, f.logOut)
	}
	if err := f.session.Open(t.Context()); err != nil || !f.logOut {
		t.Errorf("%v; noted: %v", err, f.logOut)
	}
}
