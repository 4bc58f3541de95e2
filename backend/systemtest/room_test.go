//go:build linux

package systemtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// room is a space with its subscriber, and with a line to its agent if that is scripted.
type room struct {
	*app
	id     string
	folder string
	st     *stream
	ctl    *control
}

// enter makes a space and follows it from its first event on.
func (a *app) enter(t testing.TB, dir, agentID string) *room {
	t.Helper()
	var sp spaces.Space
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: dir}, &sp)
	return a.reenter(t, dir, sp.ID)
}

// reenter follows a space that is there, from now on.
func (a *app) reenter(t testing.TB, dir, id string) *room {
	t.Helper()
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", ref.SpaceRef{SpaceID: id}, &snap)
	from := seen{epoch: snap.Epoch, seq: snap.Seq}
	for i := range snap.Page.Messages { // of turns in progress: the next event continues them
		if m := &snap.Page.Messages[i]; slices.ContainsFunc(snap.Runs, func(r conversation.Run) bool { return r.MessageID == m.ID }) {
			if err := a.load(&from.conv, id, m, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	st, err := a.follow(id, from, false)
	if err != nil {
		t.Fatal(err)
	}
	return &room{app: a, id: id, folder: dir, st: st}
}

// scripted makes a space whose agent runs a script.
func (a *app) scripted(t testing.TB, script string, args ...string) *room {
	t.Helper()
	return a.scriptedWith(t, nil, script, args...)
}

func (a *app) scriptedWith(t testing.TB, env map[string]string, script string, args ...string) *room {
	t.Helper()
	return a.scriptedIn(t, t.TempDir(), env, script, args...)
}

func (a *app) scriptedIn(t testing.TB, dir string, env map[string]string, script string, args ...string) *room {
	t.Helper()
	ctl := listen(t)
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env[controlVariable] = ctl.l.Addr().String()
	r := a.enter(t, dir, a.custom(t, "Scripted "+script, scriptedProgram, env, append([]string{"scripted", script}, args...)...))
	r.steer(ctl)
	t.Cleanup(r.st.close)
	return r
}

func (r *room) ref() ref.SpaceRef { return ref.SpaceRef{SpaceID: r.id} }

func (r *room) send(t testing.TB, text string) conversation.SendPromptResult {
	t.Helper()
	var res conversation.SendPromptResult
	r.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: text}, &res)
	return res
}

// turn sends a prompt and waits for the stop reason.
func (r *room) turn(t testing.TB, text, stopReason string) {
	t.Helper()
	r.st.reset()
	r.send(t, text)
	r.ended(t, stopReason)
}

func (r *room) ended(t testing.TB, stopReason string) {
	t.Helper()
	r.st.until(t, "the turn ends with "+stopReason, func(v *seen) bool {
		for reason, n := range v.runs {
			if reason != stopReason && n > 0 {
				t.Errorf("the turn ended with %q, want %q: %+v", reason, stopReason, v.failed)
				return true
			}
		}
		return v.runs[stopReason] > 0
	})
}

// fails sends a prompt and returns how the turn failed.
func (r *room) fails(t testing.TB, text, code string) transcript.Failure {
	t.Helper()
	r.turn(t, text, "error")
	return r.failure(t, code)
}

func (r *room) failure(t testing.TB, code string) (f transcript.Failure) {
	t.Helper()
	r.st.now(func(v *seen) {
		if v.failed != nil {
			f = *v.failed
		}
	})
	if f.Code != code {
		t.Errorf("the turn failed with %+v, want code %q", f, code)
	}
	sentence(t, f.Message)
	return f
}

// check is what holds after everything: other spaces work, and what was shown is stored.
func (r *room) check(t *testing.T) {
	t.Helper()
	r.alive(t)
	r.kept(t)
}

func (r *room) kept(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		conv, err := r.stored(r.id, true)
		if err != nil {
			t.Fatal(err)
		}
		var head conversation.Snapshot
		r.do(t, "OpenSpace", r.ref(), &head)
		var since conversation.Events
		r.do(t, "Since", conversation.SinceRequest{SpaceID: r.id, Epoch: head.Epoch, Seq: head.Seq}, &since)
		r.st.until(t, "the last event", func(v *seen) bool { return v.seq >= since.Seq })
		settled := false
		r.st.now(func(v *seen) {
			if settled = v.seq == since.Seq; settled {
				same(t, &v.conv, conv)
			}
		})
		if settled {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the space does not come to rest")
		}
	}
}

func (r *room) stop(t testing.TB) {
	t.Helper()
	r.do(t, "StopRun", r.ref(), nil)
}

// control is the test's line to its scripted agents.
type control struct {
	l     net.Listener
	lines chan told

	mu   sync.Mutex
	last net.Conn
	more chan struct{} // closed when last is there
	of   *room         // that was made with it last, nil until one was
}

// told is a line of an agent.
type told struct {
	line string
	by   net.Conn
}

// steer makes ctl what the agent of the room is steered by.
func (r *room) steer(ctl *control) {
	r.ctl = ctl
	ctl.mu.Lock()
	defer ctl.mu.Unlock()
	ctl.of = r
}

// state is what was last seen of the room.
func (c *control) state() (what string) {
	c.mu.Lock()
	r := c.of
	c.mu.Unlock()
	if r != nil {
		r.st.now(func(v *seen) {
			what = fmt.Sprintf(": runs %v, failed %+v, asked %+v\n%s", v.runs, v.failed, v.asks, dump(v.conv.Messages))
		})
	}
	return what
}

func listen(t testing.TB) *control {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &control{l: l, lines: make(chan told, 1000), more: make(chan struct{})}
	t.Cleanup(func() {
		_ = l.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.last != nil {
			_ = c.last.Close()
		}
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.mu.Lock()
			if c.last == nil {
				close(c.more)
			}
			c.last = conn
			c.mu.Unlock()
			go func() {
				lines := bufio.NewReader(conn)
				for {
					line, err := lines.ReadString('\n')
					if err != nil {
						return
					}
					c.lines <- told{strings.TrimSuffix(line, "\n"), conn}
				}
			}()
		}
	}()
	return c
}

// expect waits for the agent to tell line.
func (c *control) expect(t testing.TB, line string) {
	t.Helper()
	if got := c.hear(t); got != line {
		t.Fatalf("the agent told %q, want %q", got, line)
	}
}

// hear waits for what the agent tells.
func (c *control) hear(t testing.TB) string {
	t.Helper()
	select {
	case what := <-c.lines:
		return what.line
	case <-time.After(timeout):
		t.Fatal("the agent told nothing" + c.state())
		return ""
	}
}

// say tells the agent that connected last.
func (c *control) say(t testing.TB, line string) {
	t.Helper()
	select {
	case <-c.more:
	case <-time.After(timeout):
		t.Fatal("no agent has connected")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.last, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// reply tells the agent that what is from. It may have been ended meanwhile.
func (what told) reply(line string) {
	_, _ = io.WriteString(what.by, line+"\n")
}
