package agentvisits

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/failure"
	"weft/backend/base/fault"
)

// fake launches an agent that answers each request with what answers says: a result, an error as "code message", or nothing for "".
type fake struct {
	about   acp.InitializeResult
	failed  error // of the start
	answers func(method, params string) string

	mu    sync.Mutex
	asked []string
	saw   []bool // whether it offers to log out
}

func (f *fake) VisitWords(agentID string) string { return "hunter2 asks " + agentID }

func (f *fake) Visit(ctx context.Context, _ agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error) {
	if f.failed != nil {
		return acp.InitializeResult{}, f.failed
	}
	stdout, toWeft := io.Pipe()
	fromWeft, stdin := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() {
		lines := bufio.NewScanner(fromWeft)
		for lines.Scan() {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil || m.Method == "" {
				continue
			}
			f.mu.Lock()
			f.asked = append(f.asked, m.Method)
			f.mu.Unlock()
			said := f.answers(m.Method, string(m.Params))
			if said == "" {
				continue
			}
			member := `"result":` + said
			if code, text, ok := strings.Cut(said, " "); ok {
				member = fmt.Sprintf(`"error":{"code":%s,"message":%q}`, code, text)
			}
			_, _ = fmt.Fprintf(toWeft, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, member)
		}
	})
	conn := acp.New(stdout, stdin, acp.Options{})
	wg.Go(func() { _ = conn.Run(context.Background(), acp.HandlerFunc(func(*acp.Inbound, bool) {})) })
	err := do(ctx, conn, f.about)
	_ = toWeft.Close()
	_ = fromWeft.Close()
	wg.Wait()
	return f.about, err
}

func (f *fake) visits() *Visits { return f.within(time.Minute) }

func (f *fake) within(limit time.Duration) *Visits {
	return New(Options{
		Processes: f, Limit: limit,
		SawLogOut: func(_ agent.Config, offers bool) { f.saw = append(f.saw, offers) },
		Hide:      func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") },
	})
}

var config = agent.Config{ID: "robin", Name: "Robin", Source: "custom"}

// can is what an agent says that can do all that it can be asked for outside of a space.
var can = acp.InitializeResult{Capabilities: acp.AgentCapabilities{ListSessions: true, LoadSession: true, DeleteSession: true, Logout: true}}

func TestAgentThatCannotIsNotAsked(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(v *Visits) error{
		"earlier": func(v *Visits) error {
			_, _, _, err := v.Earlier(t.Context(), config, "", "")
			return err
		},
		"forget":  func(v *Visits) error { return v.Forget(t.Context(), config, []string{"1"}) },
		"log out": func(v *Visits) error { return v.LogOut(t.Context(), config) },
	} {
		f := &fake{answers: func(string, string) string { return "{}" }}
		if err := do(f.visits()); fault.CodeOf(err) != "unsupported" || len(f.asked) > 0 || len(f.saw) != 1 || f.saw[0] {
			t.Errorf("%s: %v, asked %v, saw %v", name, err, f.asked, f.saw)
		}
	}
}

func TestEarlierSessionsAreListed(t *testing.T) {
	t.Parallel()
	f := &fake{about: can, answers: func(_, params string) string {
		if !strings.Contains(params, `"cwd":"/work"`) || !strings.Contains(params, `"cursor":"2"`) {
			return "-32602 wrong"
		}
		return `{"sessions":[{"sessionId":"a"},{"sessionId":"b"}],"nextCursor":"3"}`
	}}
	list, next, able, err := f.visits().Earlier(t.Context(), config, "/work", "2")
	if err != nil || len(list) != 2 || list[1].ID != "b" || next != "3" || !able.Logout || !f.saw[0] {
		t.Errorf("%+v, %q, %+v, %v", list, next, able, err)
	}
}

func TestForgettingContinuesAfterRefusal(t *testing.T) {
	t.Parallel()
	f := &fake{about: can, answers: func(_, params string) string {
		switch {
		case strings.Contains(params, `"silent"`):
			return ""
		case strings.Contains(params, `"kept"`):
			return "-32603 it is in use"
		}
		return "{}"
	}}
	err := f.visits().Forget(t.Context(), config, []string{"kept", "other"})
	if fault.CodeOf(err) != "refused" || !strings.Contains(err.Error(), "it is in use.") || len(f.asked) != 2 {
		t.Errorf("%v, asked %v", err, f.asked)
	}
	f.asked = nil
	if err := f.within(time.Millisecond).Forget(t.Context(), config, []string{"silent", "other"}); fault.CodeOf(err) != "agent_silent" {
		t.Errorf("%v, asked %v", err, f.asked)
	}
	if err := f.visits().Forget(t.Context(), config, []string{"other"}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.visits().Forget(ctx, config, []string{"silent", "other"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	said := "-32601 no such method"
	f := &fake{about: can, answers: func(string, string) string { return said }}
	method := func(kind string) agentauth.Method { return agentauth.Method{ID: "key", Type: kind} }
	if err := f.visits().SignIn(t.Context(), config, method(agentauth.ByTerminal)); err != nil || len(f.asked) > 0 {
		t.Errorf("in a terminal: %v, asked %v", err, f.asked)
	}
	if err := f.visits().SignIn(t.Context(), config, method(agentauth.ByVariables)); err != nil {
		t.Errorf("an agent that reads its environment: %v", err)
	}
	if err := f.visits().SignIn(t.Context(), config, method(agentauth.ByAgent)); fault.CodeOf(err) != "refused" {
		t.Errorf("an agent without a method: %v", err)
	}
	said = "-32000 hunter2 is wrong"
	if err := f.visits().SignIn(t.Context(), config, method(agentauth.ByVariables)); fault.CodeOf(err) != "refused" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("refused: %v", err)
	}
	if err := f.visits().LogOut(t.Context(), config); fault.CodeOf(err) != "refused" {
		t.Errorf("refused: %v", err)
	}
	said = "{}"
	if err := errors.Join(f.visits().SignIn(t.Context(), config, method(agentauth.ByAgent)), f.visits().LogOut(t.Context(), config)); err != nil {
		t.Error(err)
	}
}

// What an agent wrote before it ended is in the error, without secrets.
func TestAgentThatCannotBeStartedIsExplained(t *testing.T) {
	t.Parallel()
	f := &fake{failed: &agentproc.VisitError{Err: acp.ErrClosed, Stderr: "no route for hunter2", Written: "usage: robin hunter2"}}
	_, err := f.visits().Look(t.Context(), config)
	var why *failure.Error
	if !errors.As(err, &why) || !strings.Contains(why.Detail, "no route for •••") || !strings.Contains(why.Detail, "usage: robin •••") || why.Code != "agent_closed" {
		t.Errorf("%+v", err)
	}
	if _, err := f.visits().Methods(t.Context(), config); !errors.As(err, &why) {
		t.Errorf("%+v", err)
	}
	f = &fake{about: acp.InitializeResult{AuthMethods: []acp.AuthMethod{{ID: "key"}}}}
	if list, err := f.visits().Methods(t.Context(), config); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}
