//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
)

func init() {
	addScript("slow to sign in", slowToSignIn)
	addScript("never opens", neverOpens)
}

// slowToSignIn wants a sign-in before it opens a session, and takes as long for that as the test says. It tells the session of each prompt.
func slowToSignIn(a *scripted) {
	a.respond(a.method("initialize").ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"sso","name":"Single sign-on"}]}`)
	member := false
	for {
		m := a.next(func(message) bool { return true })
		switch m.Method {
		case "authenticate":
			a.tell("signing in")
			a.await()
			member = true
			a.respond(m.ID, `{}`)
		case "session/new":
			if !member {
				a.refuse(m.ID, -32000, "Authentication required")
				continue
			}
			a.respond(m.ID, `{"sessionId":"s1"}`)
		case "session/prompt":
			a.turn = m.ID
			a.say(m.text() + " in " + quote(m.Params.SessionID))
			a.end("end_turn")
		}
	}
}

func TestPromptDuringSignInIsQueued(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "slow to sign in")
	r.fails(t, "hello", "auth_required")
	r.st.reset()
	signedIn := make(chan error, 1)
	go func() { signedIn <- a.try("SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "sso"}, nil) }()
	r.ctl.expect(t, "signing in")
	if res := r.send(t, "welcome"); !res.Queued {
		t.Errorf("a prompt that is sent during a sign-in is not queued: %+v", res)
	}
	r.ctl.say(t, "go on")
	if err := <-signedIn; err != nil {
		t.Errorf("the sign-in: %v", err)
	}
	r.ended(t, "end_turn")
	r.st.now(func(v *seen) {
		if got := v.message().Content(); got != `welcome in "s1"` {
			t.Errorf("the agent says %s", got)
		}
	})
	r.check(t)
}

// neverOpens begins what its argument names, tells the test, and never ends it.
func neverOpens(a *scripted) {
	never := a.args[0]
	auth := `"authMethods":[{"id":"sso","name":"Single sign-on"}]`
	for {
		m := a.next(func(message) bool { return true })
		switch {
		case m.Method == never:
			a.tell("begun")
			<-time.After(time.Hour)
		case m.Method == "initialize":
			a.respond(m.ID, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}},`+auth+`}`)
		case m.Method == "session/list":
			a.respond(m.ID, `{"sessions":[{"sessionId":"c1","cwd":`+quote(os.TempDir())+`}]}`)
		case m.Method == "session/new" && never == "authenticate":
			a.refuse(m.ID, -32000, "Authentication required")
		case m.Method == "session/new":
			a.respond(m.ID, `{"sessionId":"s1"}`)
		case m.Method == "session/prompt":
			a.turn = m.ID
			a.end("end_turn")
		}
	}
}

// TestSpaceDeletedWhileItsSessionOpens deletes a space in every phase in which its session is not open yet.
func TestSpaceDeletedWhileItsSessionOpens(t *testing.T) {
	t.Parallel()
	shared := launch(t, t.TempDir())
	for _, phase := range []string{"initialize", "session/new", "session/load", "authenticate"} {
		for _, end := range []string{"delete", "close"} {
			t.Run(phase+" "+end, func(t *testing.T) {
				t.Parallel()
				a := shared
				if end == "close" {
					a = launch(t, t.TempDir())
				}
				mark := "phase" + strconv.FormatInt(time.Now().UnixNano(), 36)
				r := a.scriptedWith(t, map[string]string{roomVariable: mark}, "never opens", phase)
				switch phase {
				case "authenticate":
					r.fails(t, "hello", "auth_required")
					go func() { _ = a.try("SignIn", agents.SignInRequest{SpaceID: r.id, MethodID: "sso"}, nil) }()
				case "session/load":
					var list []agents.Agent
					a.do(t, "ListAgents", nil, &list)
					for _, one := range list {
						if strings.Contains(one.Name, "never opens") && one.Env[roomVariable] == mark {
							go func() {
								_ = a.try("ImportSession", interchange.ImportSessionRequest{AgentID: one.ID, SessionID: "c1", Folder: r.folder, Title: "c1"}, nil)
							}()
						}
					}
				default:
					r.send(t, "hello")
				}
				r.ctl.expect(t, "begun")
				if end == "close" {
					a.stop(t)
				} else {
					var list []spaces.Space
					a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
					for _, sp := range list {
						if sp.ID == r.id || sp.Title == "c1" && sp.Folder == r.folder {
							if err := a.try("DeleteSpace", ref.SpaceRef{SpaceID: sp.ID}, nil); err != nil && sp.ID == r.id {
								t.Error(err) // the other one goes by itself when its import fails
							}
						}
					}
				}
				noneLeft(t, mark, 0)
				if end == "delete" {
					a.alive(t)
				}
			})
		}
	}
}

func init() {
	addScript("hasty", func(a *scripted) {
		a.initialize(`{}`)
		m := a.method("session/new")
		for i := range 3000 {
			a.update(chunk(strconv.Itoa(i) + " "))
		}
		a.respond(m.ID, `{"sessionId":"s1"}`)
		a.prompt()
		a.end("end_turn")
	})
}

func TestUpdatesBeforeTheSessionIsKnownAreAllShown(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "hasty")
	r.send(t, "hello")
	r.st.until(t, "the turn ends", func(v *seen) bool { return len(v.runs) > 0 })
	var want strings.Builder
	for i := range 3000 {
		want.WriteString(strconv.Itoa(i) + " ")
	}
	r.st.now(func(v *seen) {
		got := ""
		for _, m := range v.conv.Messages {
			for _, s := range m.Segments {
				if m.Role == "agent" {
					got += s.Text
				}
			}
		}
		if !strings.Contains(got, want.String()) {
			t.Errorf("%d bytes were shown, want %d", len(got), want.Len())
		}
	})
	r.check(t)
}

// TestWeftRunsAsForAUser looks at the variables of Weft, which `make test` sets for the programs that run the tests.
func TestWeftRunsAsForAUser(t *testing.T) {
	t.Setenv("GOGC", "400")
	t.Setenv("GOMEMLIMIT", "8GiB")
	a := launch(t, t.TempDir())
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", a.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for v := range strings.SplitSeq(string(env), "\x00") {
		if name, _, _ := strings.Cut(v, "="); name == "GOGC" || name == "GOMEMLIMIT" {
			t.Errorf("Weft runs with %s", v)
		}
	}
}
