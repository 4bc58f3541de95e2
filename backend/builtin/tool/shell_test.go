//go:build unix

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

func TestMain(m *testing.M) {
	// Commands must not be able to print these.
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OLLAMA_API_KEY", "ANTHROPIC_AUTH_TOKEN"} {
		_ = os.Setenv(name, "sk-secret")
	}
	_ = os.Setenv("LC_ALL", "C") // shells complain about a missing locale
	os.Exit(m.Run())
}

func TestShell(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	r := b.ok("shell", in{"command": "echo out; echo err >&2; pwd"})
	dir, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := told(r.Parts); got != "out\nerr\n"+dir+"\n" || r.Summary != "3 lines of output" || r.Count != 3 {
		t.Errorf("%q, %q", got, r.Summary)
	}
	if r := b.ok("shell", in{"command": "true"}); told(r.Parts) != "(no output)" || r.Summary != "No output" {
		t.Errorf("%+v", r)
	}
	if got := told(b.ok("shell", in{"command": "cat; echo end"}).Parts); got != "end\n" {
		t.Errorf("its input isn't empty: %q", got)
	}
	if got := told(b.ok("shell", in{"command": `printf '10%%\r50%%\r100%%\nnext\r\n'`}).Parts); got != "100%\nnext\n" {
		t.Errorf("%q", got)
	}
	got := told(b.ok("shell", in{"command": "env"}).Parts)
	if strings.Contains(got, "sk-secret") || !strings.Contains(got, "PATH=") || !strings.Contains(got, "PAGER=cat") {
		t.Errorf("%s", got)
	}
}

func TestFailedCommandReportsItsExit(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for command, want := range map[string]struct{ summary, told string }{
		"echo why; exit 3": {"Exit code 3", "Exit code 3\nwhy\n"},
		"no-such-program":  {"Exit code 127", "not found"},
		"kill -9 $$":       {"Ended by SIGKILL", "Ended by SIGKILL"},
		"if":               {"Exit code 2", "syntax error"},
	} {
		_, err := b.run("shell", in{"command": command})
		var e *Error
		if !errors.As(err, &e) || e.Summary != want.summary || !strings.Contains(told(e.Parts), want.told) || e.Retryable {
			t.Errorf("%s: %+v", command, err)
		}
	}
}

func TestShellKeepsLongOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	r := b.ok("shell", in{"command": "seq 1 50000"})
	text := told(r.Parts)
	if len(text) > maxModelText || !strings.HasPrefix(text, "1\n2\n") || !strings.HasSuffix(text, "\n50000\n") {
		t.Errorf("%d bytes: %.40q … %q", len(text), text, tail(text, 40))
	}
	contains(t, text, "left out; all 50000 lines (282 KB) can be read with the read tool at /kept/0-shell.txt")
	contains(t, told(b.ok("read", in{"path": "/kept/0-shell.txt", "from": 30000, "to": 30000}).Parts), "30000\t30000\n")

	c := newCapture()
	for i := range 20 {
		_, _ = c.Write([]byte(strings.Repeat(strconv.Itoa(i%10), 1<<20)))
	}
	if all := c.all(); !strings.Contains(all, "… 12.0 MB of the output wasn't kept …") || len(all) > maxHead+maxTail+100 || !strings.HasSuffix(all, "9") {
		t.Errorf("%d bytes", len(all))
	}
}

func TestShellStreams(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	p, err := b.prepare("shell", in{"command": "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second"})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []string
	r, err := p.Run(t.Context(), func(progress Progress) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, progress.Content[0].Content.Content.Text.Text)
		b.put("go", "") // the command continues only because its output was reported
	})
	if err != nil || told(r.Parts) != "first\nsecond\n" || len(seen) == 0 || !strings.Contains(seen[0], "first") {
		t.Errorf("%v, %q", err, seen)
	}
}

// alive reports whether the process that wrote its pid to file is alive.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return syscall.Kill(pid, 0) == nil && !zombie(pid)
}

func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

func TestShellEndsItsWholeProcessTree(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"in the background":  "sleep 1000 & echo $! >pid",
		"holds the output":   "sh -c 'echo $$ >pid; trap \"\" TERM; while :; do sleep 1; done' & while [ ! -s pid ]; do sleep 0.01; done",
		"in its own group":   "set -m; sleep 1000 & echo $! >pid",
		"in its own session": "setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.01; done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			began := time.Now()
			b.ok("shell", in{"command": command})
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if alive(t, filepath.Join(b.dir, "pid")) {
				t.Error("something is left")
			}
		})
	}
}

func TestShellTimesOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	_, err := b.run("shell", in{"command": "echo begun; trap '' TERM; sleep 1000 & echo $! >pid; wait; sleep 1000", "timeout_ms": 700})
	var e *Error
	if !errors.As(err, &e) || e.Summary != "Timed out after 700ms" || e.Output["timedOut"] != true {
		t.Fatalf("%+v", err)
	}
	contains(t, told(e.Parts), "longer than 700ms", "begun")
	if alive(t, filepath.Join(b.dir, "pid")) {
		t.Error("something is left")
	}
	b.env.ShellLimit = 300 * time.Millisecond
	if _, err := b.run("shell", in{"command": "sleep 1000", "timeout_ms": 60000}); err == nil || !strings.Contains(err.Error(), "300ms") {
		t.Error(err)
	}
}

func TestShellIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	p, err := b.prepare("shell", in{"command": "sleep 1000 & echo $! >pid; echo ready; wait"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = p.Run(ctx, func(Progress) { cancel() })
	if !errors.Is(err, context.Canceled) || alive(t, filepath.Join(b.dir, "pid")) {
		t.Errorf("%v", err)
	}
}

func TestShellGrants(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for command, want := range map[string]string{
		"git status": "shell:git status", "git status --short": "shell:git status", "npm test": "shell:npm test", "npm run build -- --x": "shell:npm run build -- --x",
		"ls -la": "shell:ls", "go test ./...": "shell:go test", "CI=1 npm test": "shell:npm test", `bash -c "npm test"`: "shell:npm test",
		"./x.sh a b":             "shell:./x.sh a b",
		"git status && rm -rf x": "", "ls; rm x": "", "ls | sh": "", "echo $(rm x)": "", "ls > out": "", "ls & ": "", "eval ls": "", "$CMD": "", "sudo ls": "", "PATH=. ls": "", "if": "",
	} {
		p, err := b.prepare("shell", in{"command": command})
		if err != nil || p.Grant != want || (want == "") != (p.GrantName == "") || p.Effect != Executes {
			t.Errorf("%s: %q (%s), %v", command, p.Grant, p.GrantName, err)
		}
	}
	p, err := b.prepare("shell", in{"command": "npm test", "description": "Runs the tests"})
	if err != nil || p.Title != "Run npm test" || p.Content[0].Content.Content.Text.Text != "Runs the tests\n\n```sh\nnpm test\n```" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	code := func(n int) acp.WaitForTerminalExitResponse { return acp.WaitForTerminalExitResponse{ExitCode: &n} }
	for name, c := range map[string]struct {
		wait    func(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error)
		cancel  bool
		killed  bool
		summary string
		told    string
		err     error
	}{
		"well":  {wait: func(context.Context, string) (acp.WaitForTerminalExitResponse, error) { return code(0), nil }, summary: "1 line of output", told: "output\n"},
		"fails": {wait: func(context.Context, string) (acp.WaitForTerminalExitResponse, error) { return code(2), nil }, summary: "Exit code 2", told: "Exit code 2\noutput\n"},
		"signal": {wait: func(context.Context, string) (acp.WaitForTerminalExitResponse, error) {
			return acp.WaitForTerminalExitResponse{Signal: acp.Ptr("SIGTERM")}, nil
		}, summary: "Ended by SIGTERM", told: "output"},
		"hangs": {wait: func(ctx context.Context, _ string) (acp.WaitForTerminalExitResponse, error) {
			<-ctx.Done()
			return acp.WaitForTerminalExitResponse{}, ctx.Err()
		}, killed: true, summary: "Timed out after 50ms", told: "output"},
		"cancelled": {wait: func(ctx context.Context, _ string) (acp.WaitForTerminalExitResponse, error) {
			<-ctx.Done()
			return acp.WaitForTerminalExitResponse{}, ctx.Err()
		}, cancel: true, killed: true, err: context.Canceled},
		"lost": {wait: func(context.Context, string) (acp.WaitForTerminalExitResponse, error) {
			return acp.WaitForTerminalExitResponse{}, errors.New("gone")
		}, killed: true, summary: "The client lost the terminal: gone."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			var killed, released int
			var asked acp.CreateTerminalRequest
			b.env.Client = &client{
				create: func(_ context.Context, req acp.CreateTerminalRequest) (string, error) {
					asked = req
					return "term-1", nil
				},
				wait: c.wait,
				output: func(string) (acp.TerminalOutputResponse, error) {
					return acp.TerminalOutputResponse{Output: "output\r\n"}, nil
				},
				kill:     func(string) error { killed++; return nil },
				released: func(ctx context.Context, _ string) error { released++; return ctx.Err() },
			}
			input, _ := json.Marshal(in{"command": "npm test", "timeout_ms": 50})
			p, err := named1("shell").Prepare(t.Context(), b.env, input)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			shown := ""
			r, err := p.Run(ctx, func(p Progress) {
				shown = p.Content[0].Terminal.TerminalId
				if c.cancel {
					cancel()
				}
			})
			var e *Error
			parts, summary := r.Parts, r.Summary
			if errors.As(err, &e) {
				parts, summary = e.Parts, e.Summary
				if summary == "" {
					summary = e.Message
				}
			}
			if c.err != nil && !errors.Is(err, c.err) || summary != c.summary || !strings.Contains(told(parts), c.told) {
				t.Errorf("%q, %v, %q", summary, err, told(parts))
			}
			if shown != "term-1" || released != 1 || killed > 0 != c.killed {
				t.Errorf("shown %q, released %d, killed %d", shown, released, killed)
			}
			if asked.Args[0] != "-c" || asked.Args[1] != "npm test" || *asked.Cwd != b.dir || asked.OutputByteLimit == nil {
				t.Errorf("%+v", asked)
			}
			if !strings.Contains(fmt.Sprint(asked.Env), "{map[] OPENAI_API_KEY }") {
				t.Errorf("the key isn't emptied: %v", asked.Env)
			}
		})
	}
}
