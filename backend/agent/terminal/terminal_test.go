//go:build unix

package terminal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"weft/backend/agent"
	"weft/backend/agent/agenttest"
	"weft/backend/base/simtest"
)

// The test binary also acts as the supervisor.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

const timeout = 30 * time.Second

func start(t *testing.T, s Spec) *Terminal {
	t.Helper()
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	term, err := Start(t.Context(), "t1", s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := term.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return term
}

func (t *Terminal) wait(tb testing.TB) (string, Exit) {
	tb.Helper()
	select {
	case <-t.Exited():
	case <-time.After(timeout):
		text, _ := t.Output()
		tb.Fatalf("the command does not end; it wrote %q", text)
	}
	text, _ := t.Output()
	return text, *t.Exit()
}

func sh(script string) Spec { return Spec{Command: "sh", Args: []string{"-c", script}} }

func limit(n int64) *int64 { return &n }

func TestHowCommandsEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec   Spec
		want   string
		code   int
		signal string
	}{
		"a program":                       {Spec{Command: "echo", Args: []string{"one", "two  three"}}, "one two  three\n", 0, ""},
		"a program by its path":           {Spec{Command: "/bin/sh", Args: []string{"-c", "exit 7"}}, "", 7, ""},
		"a line":                          {Spec{Command: "echo a && echo b | tr b c"}, "a\nc\n", 0, ""},
		"a line for bash":                 {Spec{Command: "[[ a == a ]] && echo yes"}, "yes\n", 0, ""},
		"a line with arguments":           {Spec{Command: "printf '%s-'", Args: []string{"it's", "x y"}}, "it's-x y-", 0, ""},
		"both outputs":                    {sh("echo out; echo err >&2"), "out\nerr\n", 0, ""},
		"an exit code":                    {sh("exit 3"), "", 3, ""},
		"a line that is no program":       {Spec{Command: "no-such-program --x"}, "", 127, ""},
		"a signal":                        {sh("kill -TERM $$; sleep 100"), "", 0, "SIGTERM"},
		"a signal that nobody can hear":   {sh("kill -KILL $$; sleep 100"), "", 0, "SIGKILL"},
		"no line end":                     {sh("printf abc"), "abc", 0, ""},
		"nobody types":                    {sh("read x; echo read $?; cat; echo end"), "read 1\nend\n", 0, ""},
		"a controlling terminal":          {sh("stty size < /dev/tty; test -t 1 && test -t 2 && echo both"), "24 90\nboth\n", 0, ""},
		"the agent's own variables":       {Spec{Command: `echo "$A $TERM $PAGER"`, Env: map[string]string{"A": "b c", "PAGER": "less"}}, "b c xterm-256color less\n", 0, ""},
		"what leaves children behind":     {sh("sleep 1000 & setsid sleep 1000 & echo done"), "done\n", 0, ""},
		"outputs closed before the end":   {sh("echo a; exec >&- 2>&-; sleep 0.2; echo b >/dev/tty; exit 4"), "a\nb\n", 4, ""},
		"escape sequences":                {sh(`printf '\033[31mred\033[0m\r\n'`), "\x1b[31mred\x1b[0m\r\n", 0, ""},
		"a program in the working folder": {Spec{Command: "./mine", Dir: "mine"}, "mine\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.spec.Dir == "mine" {
				c.spec.Dir = t.TempDir()
				if err := simtest.WriteProgram(filepath.Join(c.spec.Dir, "mine"), []byte("#!/bin/sh\necho mine\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			text, exit := start(t, c.spec).wait(t)
			if c.code != 127 && text != c.want {
				t.Errorf("it wrote %q, want %q", text, c.want)
			}
			switch {
			case exit.Signal != c.signal:
				t.Errorf("it ended by %q, want %q", exit.Signal, c.signal)
			case c.signal == "" && *exit.Code != c.code:
				t.Errorf("it ended with %d, want %d", *exit.Code, c.code)
			case c.signal != "" && exit.Code != nil:
				t.Errorf("it ended by a signal and with %d", *exit.Code)
			}
		})
	}
}

func TestInvalidCommandsAreNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, s := range map[string]Spec{
		"nothing":                {},
		"spaces":                 {Command: "  "},
		"no such program":        {Command: "no-such-program"},
		"no such program, args":  {Command: "no-such-program", Args: []string{"x"}},
		"a folder":               {Command: dir},
		"too long":               {Command: "echo " + strings.Repeat("x", maxLine)},
		"NUL":                    {Command: "echo", Args: []string{"a\x00b"}},
		"in a folder that is no": {Command: "true", Dir: filepath.Join(dir, "missing")},
	} {
		if s.Dir == "" {
			s.Dir = dir
		}
		term, err := Start(t.Context(), "t1", s)
		if err == nil {
			_ = term.Stop(t.Context())
			t.Errorf("%s: it was started", name)
			continue
		}
		if msg := err.Error(); !strings.HasSuffix(msg, ".") || !strings.Contains(msg, " ") {
			t.Errorf("%s: this is no sentence: %q", name, msg)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	script := `i=0; while [ $i -lt 2000 ]; do echo "日本語 $i"; i=$((i+1)); done`
	for _, n := range []*int64{nil, limit(0), limit(1), limit(2), limit(100), limit(1001), limit(1 << 40), limit(-5)} {
		term := start(t, Spec{Command: "sh", Args: []string{"-c", script}, Limit: n})
		text, _ := term.wait(t)
		_, truncated := term.Output()
		most := int64(DefaultLimit)
		if n != nil {
			most = max(*n, 0)
		}
		if int64(len(text)) > most || !utf8.ValidString(text) || truncated != (term.Size() > int64(len(text))) {
			t.Errorf("limit %v: %d bytes, truncated %v", n, len(text), truncated)
		}
		if most >= 100 && !strings.HasSuffix(text, "日本語 1999\n") {
			t.Errorf("limit %v: the end is missing: %q", n, text[max(0, len(text)-40):])
		}
	}
}

// A flood of output is read as fast as it arrives, and no more of it is kept than the limit.
func TestFlood(t *testing.T) {
	t.Parallel()
	term := start(t, Spec{Command: "yes 0123456789 | head -c 100000000", Limit: limit(1000)})
	text, _ := term.wait(t)
	if len(text) > 1000 || len(text) < 900 || term.Size() != 100_000_000 {
		t.Errorf("%d bytes of %d", len(text), term.Size())
	}
	if held, _ := term.Last(1 << 30); len(held) > leastKept {
		t.Errorf("%d bytes are held", len(held))
	}
}

// All kinds of descendants end with the terminal, and all waiters are notified.
func TestTheTreeEnds(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"stop", "release", "close", "kill"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			var set Set
			pids := filepath.Join(t.TempDir(), "pids")
			stay := `trap "" TERM HUP INT; echo $$ >> "$PIDS"; while :; do sleep 100; done`
			term, err := set.Add(t.Context(), "t1", Spec{
				Command: "sh", Args: []string{"-c", `sh -c "$STAY" & setsid sh -c "$STAY" & setsid -f sh -c "$STAY" & ` +
					`until [ "$(grep -c . "$PIDS" 2>/dev/null)" = 3 ]; do sleep 0.02; done; echo ready; sleep 1000`},
				Env: map[string]string{"PIDS": pids, "STAY": stay}, Dir: t.TempDir(),
			})
			if err != nil {
				t.Fatal(err)
			}
			for text := ""; text != "ready\n"; text, _ = term.Output() {
				select {
				case <-term.Changed():
				case <-time.After(timeout):
					t.Fatalf("it wrote only %q", text)
				}
			}
			var waiters sync.WaitGroup
			for range 5 {
				waiters.Go(func() { term.wait(t) })
			}
			switch way {
			case "stop":
				err = term.Stop(t.Context())
			case "release":
				err = set.Release(t.Context(), "t1")
			case "close":
				err = set.Close(t.Context())
			case "kill":
				var any bool
				if any, err = term.Kill(t.Context()); !any || !term.Killed() {
					t.Error("nothing was killed")
				}
			}
			if err != nil {
				t.Error(err)
			}
			waiters.Wait()
			if e := term.Exit(); e.Signal != "SIGTERM" {
				t.Errorf("it ended with %+v", e)
			}
			if text, _ := term.Output(); text != "ready\n" {
				t.Errorf("the output is %q", text)
			}
			list, err := os.ReadFile(pids)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range strings.Fields(string(list)) {
				pid, _ := strconv.Atoi(f)
				if err := syscall.Kill(pid, 0); err == nil {
					t.Errorf("process %d is left", pid)
				}
			}
		})
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	set := Set{max: 4}
	dir := t.TempDir()
	sleep := Spec{Command: "sleep", Args: []string{"1000"}, Dir: dir}
	var e *Error
	if _, err := set.Get("t1"); !errors.As(err, &e) || e.Code != CodeUnknown {
		t.Errorf("an unknown one: %v", err)
	}
	add := func(id string, spec Spec) *Terminal {
		t.Helper()
		term, err := set.Add(t.Context(), id, spec)
		if err != nil {
			t.Fatal(err)
		}
		return term
	}
	for i := range 4 {
		add(strconv.Itoa(i), sleep)
	}
	if _, err := set.Add(t.Context(), "more", sleep); !errors.As(err, &e) || e.Code != CodeTooMany {
		t.Errorf("one too many: %v", err)
	}
	if err := set.Release(t.Context(), "0"); err != nil {
		t.Error(err)
	}
	if err := set.Release(t.Context(), "0"); !errors.As(err, &e) || e.Code != CodeUnknown {
		t.Errorf("released twice: %v", err)
	}
	// The oldest ended terminal is forgotten, a running one is not.
	ended := Spec{Command: "true", Dir: dir}
	add("ended", ended).wait(t)
	add("next", ended).wait(t)
	if _, err := set.Get("ended"); !errors.As(err, &e) || e.Code != CodeUnknown {
		t.Errorf("it makes no room: %v", err)
	}
	if _, err := set.Get("1"); err != nil {
		t.Errorf("one that runs was forgotten: %v", err)
	}
	set.max = 0
	// Some are still starting while the set is closed.
	var adding sync.WaitGroup
	for i := range 8 {
		adding.Go(func() {
			var e *Error
			if _, err := set.Add(context.Background(), "s"+strconv.Itoa(i), sleep); err != nil && (!errors.As(err, &e) || e.Code != CodeClosed) {
				t.Error(err)
			}
		})
	}
	if err := set.Close(t.Context()); err != nil {
		t.Error(err)
	}
	adding.Wait()
	if _, err := set.Add(t.Context(), "late", sleep); !errors.As(err, &e) || e.Code != CodeClosed {
		t.Errorf("after the end: %v", err)
	}
	if set.known != nil {
		t.Errorf("%d are left", len(set.known))
	}
}

func TestLine(t *testing.T) {
	for want, s := range map[string]Spec{
		"ls -la":                {Command: "ls", Args: []string{"-la"}},
		"echo 'a b' 'it'\\''s'": {Command: "echo", Args: []string{"a b", "it's"}},
		"a && b":                {Command: "a && b"},
		"x ''":                  {Command: "x", Args: []string{""}},
	} {
		if got := s.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A terminal that the user types into echoes, reports its size and changes of it, and ends all of its processes when it
// ends.
func TestTyping(t *testing.T) {
	t.Parallel()
	term := start(t, Spec{
		Command: "sh", Args: []string{"-c", `stty size; test -t 0 && echo ready; read line; echo "got $line"; read x; stty size; exit 3`},
		Typed: &agent.Window{Rows: 30, Cols: 100},
	})
	until := func(want string) {
		t.Helper()
		for {
			text, _ := term.Last(1 << 20)
			if strings.Contains(text, want) {
				return
			}
			select {
			case <-term.Changed():
			case <-term.Exited():
				t.Fatalf("it ended with %q, without %q", text, want)
			case <-time.After(timeout):
				t.Fatalf("it wrote only %q, not %q", text, want)
			}
		}
	}
	until("30 100\r\nready\r\n")
	if err := term.Type("hello\r"); err != nil {
		t.Fatal(err)
	}
	until("hello\r\ngot hello\r\n") // the echo, then the output
	if err := term.Resize(agent.Window{Rows: 11, Cols: 55}); err != nil {
		t.Fatal(err)
	}
	if err := term.Type("\r"); err != nil {
		t.Fatal(err)
	}
	text, exit := term.wait(t)
	if !strings.Contains(text, "11 55") || exit.Code == nil || *exit.Code != 3 {
		t.Errorf("%q, %+v", text, exit)
	}
	if err := term.Type("late"); err == nil {
		t.Error("what ended takes what is typed")
	}
	if other := start(t, sh("sleep 1000")); !errors.Is(other.Type("x"), errors.ErrUnsupported) {
		t.Error("one can type where nobody sits")
	}
}

// A program that doesn't read its input doesn't block the user's typing.
func TestInputOfAProgramThatDoesNotReadDoesNotBlock(t *testing.T) {
	t.Parallel()
	term := start(t, Spec{Command: "sh", Args: []string{"-c", "stty raw -echo; echo ready; sleep 1000"}, Typed: &agent.Window{Rows: 24, Cols: 80}})
	for text := ""; !strings.Contains(text, "ready"); text, _ = term.Last(1 << 20) {
		<-term.Changed()
	}
	if err := term.Type(strings.Repeat("x", 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it took all: %v", err)
	}
}
