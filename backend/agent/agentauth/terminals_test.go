//go:build unix

package agentauth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agenttest"
	"weft/backend/base/fault"
)

// The test binary is also the supervisor.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

func newTestTerminals(t *testing.T, env map[string]string) *Terminals {
	t.Helper()
	terminals := NewTerminals(TerminalOptions{
		PidDir: t.TempDir(), Log: zerolog.Nop(),
		Environment: func(context.Context, agent.Config) (map[string]string, error) { return env, nil },
	})
	t.Cleanup(terminals.Close)
	return terminals
}

// script returns an agent with a sign-in method that runs a shell script.
func script(t *testing.T, script string) (agent.Config, Method) {
	t.Helper()
	config := agent.Config{ID: "robin", Name: "Robin", Command: "sh", Args: []string{"-c", script}}
	return config, Methods(config, offered(`[{"id":"a","type":"terminal","env":{"WAY":"of the method"}}]`))[0]
}

// until reads a terminal's output until it ends or contains want.
func until(t *testing.T, terminals *Terminals, id, want string) (text string, last Output) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !last.Ended && (want == "" || !strings.Contains(text, want)) {
		out, err := terminals.Output(ctx, id, last.Next)
		if err != nil {
			t.Fatalf("%v, after %q", err, text)
		}
		text, last = text+out.Text, out
	}
	return text, last
}

func TestSignInInTerminalIsTypedIntoAndEnds(t *testing.T) {
	t.Parallel()
	terminals := newTestTerminals(t, map[string]string{"OWN": "own", "WAY": "of the agent"})
	config, method := script(t, `printf '%s, %s. Code? ' "$OWN" "$WAY"; read code; echo "got $code"; exit 3`)
	term, err := terminals.Start(t.Context(), config, method, t.TempDir(), agent.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := until(t, terminals, term.ID, "Code? "); !strings.Contains(text, "own, of the method.") {
		t.Errorf("it wrote %q", text)
	}
	if err := terminals.Resize(term.ID, agent.Window{Rows: 9999, Cols: 0}); err != nil {
		t.Error(err)
	}
	if err := terminals.Type(term.ID, strings.Repeat("x", maxTyped+1)); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("too much to type: %v", err)
	}
	if err := terminals.Type(term.ID, "1234\r"); err != nil {
		t.Fatal(err)
	}
	text, last := until(t, terminals, term.ID, "")
	if !strings.Contains(text, "got 1234") || last.Code != 3 || last.Signal != "" {
		t.Errorf("it wrote %q and ended with %+v", text, last)
	}
	if again, err := terminals.Output(t.Context(), term.ID, last.Next); err != nil || !again.Ended {
		t.Errorf("after the end: %+v, %v", again, err)
	}
	terminals.End(term.ID)
	terminals.End(term.ID)
	for name, err := range map[string]error{
		"output": func() error { _, err := terminals.Output(t.Context(), term.ID, 0); return err }(),
		"type":   terminals.Type(term.ID, "x"),
		"resize": terminals.Resize(term.ID, agent.Window{Rows: 24, Cols: 80}),
	} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
}

func TestRunningSignInsEndWhenTheAppCloses(t *testing.T) {
	t.Parallel()
	terminals := newTestTerminals(t, nil)
	config, method := script(t, "echo $$; exec sleep 1000")
	var first Terminal
	for i := range maxRunning {
		term, err := terminals.Start(t.Context(), config, method, t.TempDir(), agent.Window{Rows: 24, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = term
		}
	}
	if _, err := terminals.Start(t.Context(), config, method, t.TempDir(), agent.Window{}); fault.CodeOf(err) != fault.Busy {
		t.Errorf("one more than can run: %v", err)
	}
	terminals.mu.Lock()
	run := terminals.running[first.ID]
	terminals.mu.Unlock()
	terminals.Close()
	if run.term.Exit() == nil {
		t.Error("a command still runs after the end")
	}
	if _, err := terminals.Start(t.Context(), config, method, t.TempDir(), agent.Window{}); fault.CodeOf(err) != "closing" {
		t.Errorf("a sign-in that begins after the end: %v", err)
	}
	if len(terminals.running) != 0 {
		t.Errorf("%d are left", len(terminals.running))
	}
}

func TestMethodWithoutTerminalIsRefused(t *testing.T) {
	t.Parallel()
	config := agent.Config{ID: "robin", Name: "Robin", Command: "sh"}
	asked := false
	terminals := NewTerminals(TerminalOptions{Log: zerolog.Nop(), Environment: func(context.Context, agent.Config) (map[string]string, error) {
		asked = true
		return nil, errors.New("locked")
	}})
	for _, method := range Methods(config, offered(`[{"id":"a"},{"id":"b","type":"env_var","varName":"K"},{"id":"a","type":"terminal"}]`)) {
		if _, err := terminals.Start(t.Context(), config, method, "", agent.Window{}); fault.CodeOf(err) != fault.Invalid || asked {
			t.Errorf("%+v: %v, the keychain was asked: %v", method, err, asked)
		}
	}
	_, err := terminals.Start(t.Context(), config, Methods(config, offered(`[{"id":"a","type":"terminal"}]`))[0], "", agent.Window{})
	if err == nil || err.Error() != "locked" {
		t.Errorf("%v", err)
	}
}
