//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/agents"
)

func init() {
	addScript("loses sessions", losesSessions)
	addScript("no servers", noServers)
	addScript("forgets sign-in", forgetsSignIn)
}

// losesSessions is an agent that makes sessions and never continues one. Its arguments are the capability that it claims, and what it does when it is
// asked to continue a session. It answers each prompt with the prompt.
func losesSessions(a *scripted) {
	can := map[string]string{"load": `"loadSession":true`, "resume": `"sessionCapabilities":{"resume":{}}`}[a.args[0]]
	a.initialize(`{` + can + `}`)
	for {
		m := a.next(func(message) bool { return true })
		switch m.Method {
		case "session/load", "session/resume":
			a.tell("asked to continue")
			switch a.args[1] {
			case "hangs":
				continue
			case "exits":
				os.Exit(7)
			case "stops reading":
				<-time.After(time.Hour)
			case "wants a sign-in":
				a.refuse(m.ID, -32000, "Authentication required")
			case "says -32000":
				a.refuse(m.ID, -32000, "Rate limit exceeded, retry in 20 s")
			}
		case "session/new":
			a.session = fmt.Sprintf("s%d", os.Getpid())
			a.respond(m.ID, `{"sessionId":`+quote(a.session)+`}`)
		case "session/prompt":
			a.turn = m.ID
			var texts []string
			for _, block := range m.Params.Prompt {
				texts = append(texts, block.Text)
			}
			a.say("got " + strings.Join(texts, " | "))
			a.end("end_turn")
		}
	}
}

// TestSessionThatCannotBeContinuedIsReplaced restarts agents that fail each time they are asked to continue their session.
func TestSessionThatCannotBeContinuedIsReplaced(t *testing.T) {
	t.Parallel()
	// Whoever is silent is waited for; whoever answers gets the time of a busy machine.
	patient, hasty := launch(t, t.TempDir()), launch(t, t.TempDir(), "--session=5s")
	for _, how := range []string{"load", "resume"} {
		for does, c := range map[string]struct {
			fails  string
			notice string
		}{
			"hangs":           {"agent_silent", "couldn't continue its session"},
			"exits":           {"agent_exited", "couldn't continue its session"},
			"stops reading":   {"agent_silent", "couldn't continue its session"},
			"wants a sign-in": {"auth_required", "couldn't continue its session"},
			"says -32000":     {"", "no longer knew this conversation"},
		} {
			t.Run(how+" "+does, func(t *testing.T) {
				t.Parallel()
				a := patient
				if c.fails == "agent_silent" {
					a = hasty
				}
				r := a.scripted(t, "loses sessions", how, does)
				r.turn(t, "My name is Robin.", "end_turn")
				r.st.reset()
				r.do(t, "RestartAgent", r.ref(), nil)
				r.ctl.expect(t, "asked to continue")
				if c.fails != "" {
					r.ended(t, "error")
					r.failure(t, c.fails)
					r.st.reset()
					r.send(t, "Go on.")
					r.ctl.expect(t, "asked to continue")
				}
				r.ended(t, "end_turn")
				r.st.now(func(v *seen) {
					said := dump(v.conv.Messages[len(v.conv.Messages)-1:])
					if _, got, _ := strings.Cut(v.message().Content(), "got "); !strings.Contains(got, "My name is Robin.") {
						t.Errorf("the agent was told %q", got)
					}
					if !strings.Contains(said, c.notice) || !strings.Contains(said, "received the conversation so far") {
						t.Errorf("the user is told %s", said)
					}
				})
				// The new one is continued, and replaced again.
				r.turn(t, "Thank you.", "end_turn")
				r.check(t)
			})
		}
	}
}

// TestNewSessionIsNoLossWhereNoneCanBeContinued restarts an agent that can't continue sessions: it hasn't forgotten anything.
func TestNewSessionIsNoLossWhereNoneCanBeContinued(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "loses sessions", "never", "")
	r.turn(t, "My name is Robin.", "end_turn")
	r.st.reset()
	r.do(t, "RestartAgent", r.ref(), nil)
	r.ended(t, "end_turn")
	if got := r.notes(); got != "A new session was started, and Scripted loses sessions received the conversation so far." {
		t.Errorf("the user is told %q", got)
	}
	r.check(t)
}

// noServers is an agent that refuses the method that its argument names if the request has MCP servers. It reports each request, and answers prompts.
func noServers(a *scripted) {
	a.initialize(`{"loadSession":true,"mcpCapabilities":{"http":true},"sessionCapabilities":{"fork":{}}}`)
	for {
		m := a.next(func(message) bool { return true })
		var p struct {
			Params struct {
				McpServers []json.RawMessage `json:"mcpServers"`
			} `json:"params"`
		}
		_ = json.Unmarshal([]byte(m.line), &p)
		switch m.Method {
		case "session/new", "session/load":
			a.tell(m.Method + " " + strconv.Itoa(len(p.Params.McpServers)))
			if p.Params.McpServers == nil || len(p.Params.McpServers) > 0 && strings.Contains(m.Method, a.args[0]) {
				code, _ := strconv.Atoi(a.args[1])
				a.refuse(m.ID, code, "mcpServers must be empty")
				continue
			}
			a.respond(m.ID, `{"sessionId":"s1"}`)
		case "session/prompt":
			a.turn = m.ID
			a.say("hello")
			a.end("end_turn")
		}
	}
}

// TestAgentThatRefusesServersGetsNone has agents that open no session with MCP servers, which are told what to do without them.
func TestAgentThatRefusesServersGetsNone(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, code := range []string{"-32602", "-32603", "-32000"} {
		r := a.scripted(t, "no servers", "session/", code)
		r.turn(t, "hello", "end_turn")
		r.ctl.expect(t, "session/new 1")
		r.ctl.expect(t, "session/new 0")
		told := func() (n int) {
			r.st.now(func(v *seen) {
				n = strings.Count(dump(v.conv.Messages), "doesn't accept MCP servers, so it works without Weft's own tools.")
			})
			return n
		}
		if told() != 1 {
			r.st.now(func(v *seen) { t.Errorf("%s: the user is told %s", code, dump(v.conv.Messages)) })
		}
		r.st.reset()
		r.do(t, "RestartAgent", r.ref(), nil)
		r.ended(t, "end_turn")
		r.ctl.expect(t, "session/load 1")
		r.ctl.expect(t, "session/load 0")
		if told() != 1 {
			t.Errorf("%s: the user is told %d times", code, told())
		}
		r.kept(t)
	}
	a.alive(t)
}

// forgetsSignIn keeps on refusing in the process that has signed in; its argument says what. A new one is signed in.
func forgetsSignIn(a *scripted) {
	a.respond(a.method("initialize").ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"sso","name":"Single sign-on"}]}`)
	signedIn := "signed-in"
	_, err := os.Stat(signedIn)
	member := err == nil
	for {
		m := a.next(func(message) bool { return true })
		switch {
		case m.Method == "authenticate":
			a.tell("authenticate")
			if err := os.WriteFile(signedIn, nil, 0o600); err != nil {
				panic(err)
			}
			a.respond(m.ID, `{}`)
		case m.Method == a.args[0] && !member:
			a.refuse(m.ID, -32000, "Authentication required")
		case m.Method == "session/new":
			a.respond(m.ID, `{"sessionId":"s1"}`)
		case m.Method == "session/prompt":
			a.turn = m.ID
			a.say("welcome: " + m.text())
			a.end("end_turn")
		}
	}
}

// TestSignInThatHoldsForNewProcessGetsOne signs in to agents whose process continues as if nobody had.
func TestSignInThatHoldsForNewProcessGetsOne(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for _, at := range []string{"session/new", "session/prompt"} {
		r := a.scripted(t, "forgets sign-in", at)
		r.fails(t, "hello", "auth_required")
		r.st.reset()
		a.do(t, "SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "sso"}, nil)
		a.do(t, "RetryRun", r.ref(), nil)
		r.ended(t, "end_turn")
		r.st.now(func(v *seen) {
			if got := v.message().Content(); !strings.Contains(got, "welcome: hello") {
				t.Errorf("%s: it said %q", at, got)
			}
		})
		r.ctl.expect(t, "authenticate")
		select {
		case what := <-r.ctl.lines:
			t.Errorf("%s: the agent is asked again to %s", at, what.line)
		default:
		}
		r.kept(t)
	}
	a.alive(t)
}
