//go:build linux

package systemtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
)

// timeout limits each wait of a test. WEFT_SYSTEMTEST_TIMEOUT overrides it, to write tests with a shorter one.
var timeout = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("WEFT_SYSTEMTEST_TIMEOUT")); err == nil {
		return d
	}
	return 5 * time.Minute
}()

// app is a running Weft.
type app struct {
	started
	home string // the data folder is home/data
	mark string // in the environment of the app and all that it starts
	cmd  *exec.Cmd
	hold io.Closer // its stdin
	said *lockedBuffer
	gone chan struct{} // closed when it has ended

	echoOnce sync.Once
	echo     *room
	echoTurn sync.Mutex
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// settingsPath is where Weft keeps its settings. They are in a folder of their own, as the user's are: a file in the home itself
// can't be hidden from an agent in a sandbox while it is replaced.
func settingsPath(home string) string { return filepath.Join(home, "config", "settings.json") }

// launch starts Weft on home/data and waits until it answers. The test ends it.
func launch(t testing.TB, home string, args ...string) *app {
	t.Helper()
	return launchWith(t, home, nil, args...)
}

// launchWith is launch with variables added to the environment.
func launchWith(t testing.TB, home string, env []string, args ...string) *app {
	t.Helper()
	a, err := prepare(home, args...)
	if err == nil {
		a.cmd.Env = append(a.cmd.Env, env...)
	}
	return a.launched(t, err)
}

// launched starts a prepared app, which ends with the test.
func (a *app) launched(t testing.TB, err error) *app {
	t.Helper()
	if err == nil {
		err = a.start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.kill()
		if t.Failed() {
			t.Logf("Weft said:\n%.4000s", a.said)
		}
		a.sound(t)
	})
	return a
}

// prepare makes the app without starting it.
func prepare(home string, args ...string) (*app, error) {
	a := &app{home: home, mark: filepath.Base(home) + "-" + fmt.Sprint(time.Now().UnixNano()), said: &lockedBuffer{}, gone: make(chan struct{})}
	//nolint:noctx // it is ended by kill, stop, or the end of its stdin
	a.cmd = exec.Command(weftProgram, append([]string{"serve", "--data", filepath.Join(home, "data")}, args...)...)
	a.cmd.Env = append(environ(), "HOME="+home, "SHELL=/bin/false", "GORACE=atexit_sleep_ms=0", markVariable+"="+a.mark)
	a.cmd.Stderr = a.said
	in, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	a.hold = in
	return a, nil
}

// environ is the environment without what tunes the garbage collector: `make test` sets it for the tests, which would have Weft hold more than
// it does for a user.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "GOGC" || name == "GOMEMLIMIT"
	})
}

func tryLaunch(home string, args ...string) (*app, error) {
	a, err := prepare(home, args...)
	if err != nil {
		return nil, err
	}
	return a, a.start()
}

// start starts a prepared app and waits until it answers.
func (a *app) start() error {
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := a.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_ = a.cmd.Wait()
		close(a.gone)
	}()
	if err == nil {
		err = json.Unmarshal([]byte(line), &a.started)
	}
	if err != nil {
		<-a.gone
		return fmt.Errorf("weft did not start: %s", strings.TrimSpace(a.said.String()))
	}
	return nil
}

// kill is kill -9.
func (a *app) kill() {
	_ = a.cmd.Process.Kill()
	<-a.gone
	_ = a.hold.Close()
}

// stop is what a desktop does at log-out: SIGTERM. The app must end by itself, and well.
func (a *app) stop(t testing.TB) {
	t.Helper()
	_ = a.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-a.gone:
	case <-time.After(timeout):
		t.Errorf("Weft has not ended %s after SIGTERM", timeout)
		a.kill()
	}
	if code := a.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("Weft ended with code %d: %s", code, a.said)
	}
}

// sound checks that the app has neither raced nor panicked.
func (a *app) sound(t testing.TB) {
	t.Helper()
	for _, bad := range []string{"DATA RACE", "panic", "fatal error"} {
		if said := a.said.String(); strings.Contains(said, bad) {
			t.Errorf("Weft said %q:\n%s", bad, said[max(0, strings.Index(said, bad)-200):])
		}
	}
}

// refusal is an error of a command.
type refusal struct {
	Status                int
	Code, Message, Detail string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message) }

// client keeps connections open; events have one of their own each.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// try runs a command.
func (a *app) try(method string, req, res any) error {
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, a.Base+"/api/"+method, bytes.NewReader(body)) //nolint:noctx // the app ends
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+a.Key)
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		e := &refusal{Status: answer.StatusCode}
		if err := json.Unmarshal(raw, e); err != nil {
			return fmt.Errorf("%s answered %d: %s", method, answer.StatusCode, raw)
		}
		return e
	}
	if res == nil {
		return nil
	}
	return json.Unmarshal(raw, res)
}

// blob pulls what an event refers to.
func (a *app) blob(t testing.TB, hash string) string {
	t.Helper()
	body, _ := a.served(t, hash)
	return body
}

// served is blob with the headers that it came with.
func (a *app) served(t testing.TB, hash string) (body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.Base+"/blob/"+hash, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.Key)
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("blob %s: %s %v", hash, res.Status, err)
	}
	return string(raw), res.Header
}

// do runs a command that must succeed.
func (a *app) do(t testing.TB, method string, req, res any) {
	t.Helper()
	if err := a.try(method, req, res); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// refused runs a command that must be refused with code.
func (a *app) refused(t testing.TB, method string, req any, code string) (message string) {
	t.Helper()
	var e *refusal
	if err := a.try(method, req, nil); !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s: %v, want a refusal with code %q", method, err, code)
	}
	sentence(t, e.Message)
	return e.Message
}

// sentence checks that a message is one that a user can read.
func sentence(t testing.TB, s string) {
	t.Helper()
	if len(s) < 12 || !strings.Contains(s, " ") || !strings.ContainsAny(s[len(s)-1:], ".!?)") || strings.Contains(s, "%!") || strings.Contains(s, "{{") {
		t.Errorf("this is no sentence: %q", s)
	}
}

// custom saves an agent that runs command.
func (a *app) custom(t testing.TB, name, command string, env map[string]string, args ...string) string {
	t.Helper()
	var saved agents.Agent
	a.do(t, "SaveAgent", agents.SaveAgentRequest{Name: name, Command: command, Args: args, Env: env, Cwd: "space"}, &saved)
	return saved.ID
}

// alive has another space's agent answer a prompt.
func (a *app) alive(t *testing.T) {
	t.Helper()
	a.echoTurn.Lock()
	defer a.echoTurn.Unlock()
	a.echoOnce.Do(func() {
		dir := filepath.Join(a.home, "echo")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		a.echo = a.enter(t, dir, a.custom(t, "Echo", scriptedProgram, nil, "scripted", "echo"))
	})
	if a.echo == nil {
		t.Fatal("the other space could not be made")
	}
	a.echo.st.reset()
	var res conversation.SendPromptResult
	a.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: a.echo.id, Text: "hello"}, &res)
	a.echo.st.until(t, "the other space answers", func(v *seen) bool { return v.runs["end_turn"] > 0 })
}
