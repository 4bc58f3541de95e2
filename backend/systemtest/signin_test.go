//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/spaces"
)

func init() { addScript("members only", membersOnly) }

// membersOnly opens sessions only for who has signed in; the way "sso" works, "card" does not. With the
// argument "later" it wants that at the first prompt.
func membersOnly(a *scripted) {
	a.respond(a.method("initialize").ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"sso","name":"Single sign-on","description":"Opens the browser"},{"id":"card","name":"Card"},{"id":"tty","name":"Terminal","type":"terminal","args":["--log in"]},{"id":"key","name":"Key","type":"env_var","vars":[{"name":"MEMBER_KEY"}]}]}`)
	member, later := false, len(a.args) > 0
	for {
		m := a.next(func(message) bool { return true })
		switch m.Method {
		case "authenticate":
			var p struct {
				Params struct {
					MethodID string `json:"methodId"`
				} `json:"params"`
			}
			_ = json.Unmarshal([]byte(m.line), &p)
			if p.Params.MethodID == "card" {
				a.refuse(m.ID, -32603, "The card has expired")
				continue
			}
			member = true
			a.respond(m.ID, `{}`)
		case "session/new":
			if !member && !later {
				a.refuse(m.ID, -32000, "Authentication required")
				continue
			}
			a.respond(m.ID, `{"sessionId":"s1"}`)
		case "session/prompt":
			if !member {
				a.refuse(m.ID, -32000, "Authentication required")
				continue
			}
			a.turn = m.ID
			a.say("welcome")
			a.end("end_turn")
		}
	}
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, args := range [][]string{nil, {"later"}} {
		r := a.scripted(t, "members only", args...)
		r.fails(t, "hello", "auth_required")
		_, o := r.offered(t)
		if !o.SignIn || len(o.Auth) != 4 || o.Auth[0].Type != "agent" || o.Auth[2].Type != "terminal" || !strings.HasSuffix(o.Auth[2].Command, " 'members only' '--log in'") && args == nil ||
			o.Auth[3].Variables[0].Name != "MEMBER_KEY" {
			t.Errorf("%v: it tells %+v", args, o)
		}
		a.refused(t, "SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "card"}, "refused")
		a.refused(t, "SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "magic"}, "not_found")
		r.st.reset()
		a.do(t, "SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "sso"}, nil)
		if _, o := r.offered(t); o.SignIn {
			t.Errorf("%v: after signing in it tells %+v", args, o)
		}
		a.do(t, "RetryRun", r.ref(), nil)
		r.ended(t, "end_turn")
		r.st.now(func(v *seen) {
			if v.message().Content() != "welcome" {
				t.Errorf("%v: it said %q", args, v.message().Content())
			}
		})
		r.kept(t)
	}
	a.alive(t)
}

func init() { addScript("refuses prompts", refusesPrompts) }

// refusesPrompts answers each prompt with the error -32000 and its second argument; with the first one it offers a way to sign in.
func refusesPrompts(a *scripted) {
	methods := map[string]string{"offers": `{"id":"sso","name":"Single sign-on"}`}[a.args[0]]
	a.respond(a.method("initialize").ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[`+methods+`]}`)
	a.respond(a.method("session/new").ID, `{"sessionId":"s1"}`)
	for {
		a.prompt()
		a.refuse(a.turn, -32000, a.args[1])
	}
}

// TestErrorIsShownInWordsOfAgent has agents answer prompts with the code that ACP has for a sign-in, and others use for anything.
func TestErrorIsShownInWordsOfAgent(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, c := range []struct {
		offers, says, code, shown string
		signIn                    bool
	}{
		{"", "Rate limit exceeded, retry in 20 s", "agent_error", "The agent reported an error: Rate limit exceeded, retry in 20 s.", false},
		{"offers", "Rate limit exceeded, retry in 20 s", "agent_error", "The agent reported an error: Rate limit exceeded, retry in 20 s.", false},
		{"", "Session expired", "agent_error", "The agent reported an error: Session expired.", false},
		{"offers", "Session expired", "auth_required", "Session expired. You may need to sign in to the agent.", true},
		{"", "Authentication required", "auth_required", "Sign in to the agent first.", true},
		{"offers", "Please run `scripted login`", "auth_required", "Please run `scripted login`. Sign in to the agent first.", true},
	} {
		r := a.scripted(t, "refuses prompts", c.offers, c.says)
		f := r.fails(t, "hello", c.code)
		if _, o := r.offered(t); f.Message != c.shown || o.SignIn != c.signIn {
			t.Errorf("%s %q: %q, sign-in %v", c.offers, c.says, f.Message, o.SignIn)
		}
		r.kept(t)
	}
	a.alive(t)
}

func init() { addScript("waits for sign-in", waitsForSignIn) }

// signInAddress is where the user signs in to the agent of waitsForSignIn.
const signInAddress = "https://login.example/device?user_code=ABCD-1234"

// waitsForSignIn writes to where its argument says at which address the user signs in, and waits, in the request that its second argument names.
func waitsForSignIn(a *scripted) {
	member := false
	for {
		m := a.next(func(message) bool { return true })
		if m.Method == a.args[1] {
			switch a.args[0] {
			case "stderr":
				fmt.Fprint(os.Stderr, "To sign in, open "+signInAddress) // and wait on the same line
			case "stdout":
				a.raw("To sign in, open " + signInAddress)
			}
			a.tell("waits")
			a.await()
			member = true
		}
		switch m.Method {
		case "initialize":
			a.respond(m.ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"sso","name":"Single sign-on"}]}`)
		case "authenticate":
			a.respond(m.ID, `{}`)
		case "session/new":
			if !member {
				a.refuse(m.ID, -32000, "Authentication required")
				continue
			}
			a.respond(m.ID, `{"sessionId":"s1"}`)
		}
	}
}

// TestAddressOfSignInIsShown signs in to agents that write the address outside of the protocol, in a space and by themselves.
func TestAddressOfSignInIsShown(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, stream := range []string{"stderr", "stdout"} {
		for _, at := range []string{"authenticate", "session/new", "initialize"} {
			r := a.scripted(t, "waits for sign-in", stream, at)
			var list []spaces.Space
			a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
			sp := list[slices.IndexFunc(list, func(sp spaces.Space) bool { return sp.ID == r.id })]
			targets := []agents.SignInRequest{{SpaceID: r.id, MethodID: "sso"}}
			if at == "authenticate" {
				r.fails(t, "hello", "auth_required")
				targets = append(targets, agents.SignInRequest{AgentID: sp.AgentID, MethodID: "sso"})
			}
			for _, target := range targets {
				done := make(chan error, 1)
				go func() {
					if at == "authenticate" {
						done <- a.try("SignIn", target, nil)
					} else {
						done <- a.try("PrepareAgent", r.ref(), nil)
					}
				}()
				r.ctl.expect(t, "waits")
				var words agents.AgentWordsResult
				deadline := time.Now().Add(timeout)
				for !strings.HasSuffix(words.Text, "To sign in, open "+signInAddress) && time.Now().Before(deadline) {
					a.do(t, "AgentWords", agents.AgentWordsRequest{SpaceID: target.SpaceID, AgentID: target.AgentID}, &words)
				}
				if !strings.HasSuffix(words.Text, "To sign in, open "+signInAddress) {
					t.Errorf("%s during %s: the agent has written %q", stream, at, words.Text)
				}
				r.ctl.say(t, "go on")
				if err := <-done; err != nil {
					t.Errorf("%s during %s: %v", stream, at, err)
				}
			}
		}
	}
}
