//go:build unix

package agentterminals

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/agent/agenttest"
	"weft/backend/agent/terminal"
	"weft/backend/base/fault"
)

// The test binary is also the supervisor.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

// started runs a script in a terminal called "t".
func started(t *testing.T, script string) *terminal.Set {
	t.Helper()
	set := &terminal.Set{}
	if _, err := set.Add(t.Context(), "t", terminal.Spec{Command: "sh", Args: []string{"-c", script}, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close(context.Background()) })
	return set
}

// serve returns the result of a request as JSON.
func serve(t *testing.T, set *terminal.Set, method string) string {
	t.Helper()
	result, err := resultOf(t.Context(), set, method, "t")
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEndedCommandIsServed(t *testing.T) {
	t.Parallel()
	set := started(t, "printf hello; exit 3")
	if got := serve(t, set, "terminal/wait_for_exit"); got != `{"exitCode":3,"signal":null}` {
		t.Error(got)
	}
	if got := serve(t, set, "terminal/output"); got != `{"output":"hello","truncated":false,"exitStatus":{"exitCode":3,"signal":null}}` {
		t.Error(got)
	}
	if got := serve(t, set, "terminal/release"); got != `{}` {
		t.Error(got)
	}
	if _, err := resultOf(t.Context(), set, "terminal/output", "t"); fault.CodeOf(err) != terminal.CodeUnknown {
		t.Errorf("after its release: %v", err)
	}
}

func TestRunningCommandIsServed(t *testing.T) {
	t.Parallel()
	set := started(t, "exec sleep 1000")
	if got := serve(t, set, "terminal/output"); got != `{"output":"","truncated":false}` {
		t.Error(got)
	}
	gone, giveUp := context.WithCancelCause(t.Context())
	why := errors.New("withdrawn")
	giveUp(why)
	if _, err := resultOf(gone, set, "terminal/wait_for_exit", "t"); !errors.Is(err, why) {
		t.Errorf("waiting ended with %v", err)
	}
	if got := serve(t, set, "terminal/kill"); got != `{}` {
		t.Error(got)
	}
	one, err := set.Get("t")
	if err != nil {
		t.Fatal(err)
	}
	<-one.Exited()
	if got := statusOf(one.Exit()); got == nil || got.Signal == nil || got.ExitCode != nil {
		t.Errorf("%+v", got)
	}
}

func TestMethodsOfTerminals(t *testing.T) {
	for method, want := range map[string]bool{
		"terminal/output": true, "terminal/wait_for_exit": true, "terminal/kill": true, "terminal/release": true, "terminal/create": false, "terminal/resize": false,
	} {
		if Serves(method) != want {
			t.Errorf("%s: want %v", method, want)
		}
	}
}

func TestSpecOfRequest(t *testing.T) {
	var c Create
	err := json.Unmarshal([]byte(`{"sessionId":"s","command":"make","args":["-j"],"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}],"cwd":"/x","outputByteLimit":18446744073709551615}`), &c)
	if err != nil || c.Check() != nil {
		t.Fatal(err, c.Check())
	}
	spec := c.Spec("/f")
	if spec.Command != "make" || len(spec.Args) != 1 || spec.Env["A"] != "2" || spec.Dir != "/f" || spec.Limit == nil || *spec.Limit != math.MaxInt64 {
		t.Errorf("%+v", spec)
	}
	if c.Limit = nil; c.Spec("/f").Limit != nil {
		t.Error("there is a limit that nobody asked for")
	}
	if c.Command = ""; fault.CodeOf(c.Check()) != terminal.CodeInvalid {
		t.Error("a request without a command is taken")
	}
}

func TestCodeOfRefusal(t *testing.T) {
	for code, want := range map[string]int{
		"agent_missing": acp.CodeInvalidParams, terminal.CodeUnknown: acp.CodeInvalidParams, terminal.CodeClosed: 0, "denied": 0,
	} {
		if got := Code(&fault.Error{Code: code}); got != want {
			t.Errorf("%q: %d, want %d", code, got, want)
		}
	}
	if got := Code(errors.New("else")); got != 0 {
		t.Errorf("another error: %d", got)
	}
}
