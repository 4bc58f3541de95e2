package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

func sayTo(session string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d"}}}}`, session, n)
}

// collector keeps what a lane got.
type collector struct {
	mu  sync.Mutex
	got []string
}

func (k *collector) Handle(in *Inbound, _ bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch in.Kind {
	case KindUpdate:
		k.got = append(k.got, in.SessionID+":"+in.Update.Text)
	case KindResponse:
		k.got = append(k.got, "answer to "+in.Response.Method)
	case KindRequest:
		k.got = append(k.got, in.Method)
		req := in.Request
		go func() { _ = req.Result(nil) }()
	default:
		k.got = append(k.got, fmt.Sprint("kind ", in.Kind))
	}
}

func (k *collector) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Join(k.got, " ")
}

// TestLanes has two sessions in one connection: each lane gets its own, in order.
func TestLanes(t *testing.T) {
	var rest, a, b collector
	var tapMu sync.Mutex
	tapped := map[string][]string{}
	tap := func(name string) func(string, []byte) {
		return func(_ string, line []byte) {
			tapMu.Lock()
			defer tapMu.Unlock()
			tapped[name] = append(tapped[name], string(line))
		}
	}
	heard := make(chan string, 20)
	c, wait := serve(t, Options{Tap: tap("rest")}, &rest, func(g *agent) {
		g.hear()
		// Before the answer it is not known whose it is, but only one can be meant.
		g.say(sayTo("s1", 0), `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`, sayTo("s1", 1))
		g.hear()
		g.say(sayTo("s2", 0), sayTo("s1", 2), `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s2"}}`, sayTo("s2", 1), sayTo("s1", 3))
		g.hear() // session/new of a third lane, answered with the session of the first
		g.say(`{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s1"}}`)
		g.hear() // s1 prompts
		g.say(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"requestId":4}}`)
		heard <- g.hear()
		g.say(`{"jsonrpc":"2.0","id":"r","method":"fs/read_text_file","params":{"path":"/x"}}`)
		heard <- g.hear()
		g.say(`{"jsonrpc":"2.0","id":"x","method":"fs/read_text_file","params":{"sessionId":"s1","path":"/x"}}`)
		heard <- g.hear()
		g.say(`{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`, `{"jsonrpc":"2.0","id":"u","method":"fs/read_text_file","params":{"sessionId":"unknown"}}`)
		heard <- g.hear()
		g.hear() // a notification that s1 has gone
		g.say(sayTo("s1", 4), sayTo("s2", 5))
		g.discard()
	})
	first, second := c.Lane(&a, tap("a")), c.Lane(&b, tap("b"))
	for _, l := range []*Conn{first, second} {
		if _, err := l.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/w"}); err != nil {
			t.Fatal(err)
		}
	}
	third := c.Lane(&collector{}, nil)
	if _, err := third.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/w"}); !errors.Is(err, ErrSessionTaken) {
		t.Errorf("a session twice: %v", err)
	}
	if _, err := third.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: "s2"}); !errors.Is(err, ErrSessionTaken) {
		t.Errorf("loaded twice: %v", err)
	}
	third.Leave()
	if _, err := first.Prompt(t.Context(), "s1", nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":"q","result"`, `"id":"r","result"`, `"id":"x","result"`, `"id":"u"`} {
		if got := <-heard; !strings.Contains(got, want) {
			t.Errorf("the agent heard %s, not %s", got, want)
		}
	}
	first.Leave()
	if _, err := first.Prompt(t.Context(), "s1", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after leaving: %v", err)
	}
	if err := c.Notify(t.Context(), "gone", nil); err != nil {
		t.Fatal(err)
	}
	c.CloseInput()
	if err := wait(); err != nil {
		t.Error(err)
	}
	if got, want := a.String(), "s1:0 answer to session/new s1:1 s1:2 s1:3 elicitation/create fs/read_text_file fs/read_text_file answer to session/prompt"; got != want {
		t.Errorf("the first got  %s\nnot            %s", got, want)
	}
	if got, want := b.String(), "s2:0 answer to session/new s2:1 s2:5"; got != want {
		t.Errorf("the second got %s\nnot            %s", got, want)
	}
	if got, want := rest.String(), "fs/read_text_file s1:4"; got != want {
		t.Errorf("nobody's was %s, not %s", got, want)
	}
	for name, not := range map[string]string{"a": "s2", "b": "s1", "rest": "s1"} {
		for _, line := range tapped[name] {
			if strings.Contains(line, `"`+not+`"`) {
				t.Errorf("%s saw %s", name, line)
			}
		}
	}
	if len(tapped["a"]) != 14 || len(tapped["b"]) != 5 {
		t.Errorf("the first saw %d lines, the second %d", len(tapped["a"]), len(tapped["b"]))
	}
}

// TestBlockedLane blocks the handler of one session: the other's updates come all the same, what the
// blocked one gets is bounded, and nothing is lost.
func TestBlockedLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var other collector
		release := make(chan struct{})
		n := 0
		c := New(r, io.Discard, Options{})
		slow := c.Lane(HandlerFunc(func(in *Inbound, _ bool) {
			<-release
			if in.Update.Text != fmt.Sprint(n) {
				t.Errorf("update %d is %s", n, in.Update.Text)
			}
			n++
		}), nil)
		quick := c.Lane(&other, nil)
		if slow.claim("slow") != nil || quick.claim("quick") != nil {
			t.Fatal("the sessions are taken")
		}
		result := make(chan error, 1)
		go func() { result <- c.Run(context.Background(), &collector{}) }()
		sent := 0
		say := func(session string, n int) {
			if _, err := io.WriteString(w, sayTo(session, n)+"\n"); err != nil {
				t.Error(err)
			}
		}
		// More than a lane holds, less than all of them may.
		for ; sent < 5*maxQueued; sent++ {
			say("slow", sent)
		}
		for i := range 20 {
			began := time.Now()
			say("quick", i)
			synctest.Wait()
			for !strings.HasSuffix(other.String(), fmt.Sprint("quick:", i)) && time.Since(began) < time.Second {
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			if took := time.Since(began); took > 2*laneTimeout {
				t.Errorf("update %d came after %v", i, took)
			}
			say("slow", sent)
			sent++
		}
		// A flood behind it stops the reader in the end.
		const all = 3 * maxShared
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for ; sent < all; sent++ {
				say("slow", sent)
			}
			_ = w.Close()
		}()
		time.Sleep(time.Hour) // a frame for each of the pipe.s writes
		synctest.Wait()
		if sent < maxShared || sent > maxShared+2*batchItems+readAhead/50 {
			t.Errorf("%d lines were taken of a session that nobody handles", sent)
		}
		close(release)
		<-stopped
		if err := <-result; err != nil || n != all {
			t.Errorf("%d of %d delivered, %v", n, all, err)
		}
	})
}

// TestLaneCatchesUp has an agent speak right behind the answer to a call, while the handler takes its time.
func TestLaneCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		asks, asked := io.Pipe()
		c := New(r, asked, Options{})
		release, heard := make(chan struct{}), 0
		l := c.Lane(HandlerFunc(func(in *Inbound, _ bool) {
			if in.Kind == KindUpdate {
				<-release
				heard++
			}
		}), nil)
		result := make(chan error, 1)
		go func() { result <- c.Run(context.Background(), &collector{}) }()
		l.CatchUp(t.Context()) // nothing was read
		go func() {
			if _, err := bufio.NewReader(asks).ReadSlice('\n'); err != nil { // it answers what it was asked
				t.Error(err)
			}
			if _, err := io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`+"\n"+sayTo("s1", 1)+"\n"+sayTo("s1", 2)+"\n"); err != nil {
				t.Error(err)
			}
		}()
		if _, err := l.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/w"}); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.CatchUp(t.Context())
			if heard != 2 {
				t.Errorf("%d of 2 updates were handled", heard)
			}
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("it did not wait")
		default:
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if l.CatchUp(short); short.Err() == nil {
			t.Error("it ended before its context, though nothing was handled")
		}
		close(release)
		<-done
		_ = w.Close()
		if err := <-result; err != nil {
			t.Error(err)
		}
		l.CatchUp(t.Context()) // after the end
	})
}

// TestFullLanesAfterEnd ends the connection while a lane is full: it gets everything all the same.
func TestFullLanesAfterEnd(t *testing.T) {
	const each = 3000
	var lines strings.Builder
	for i := range each {
		lines.WriteString(sayTo("a", i) + "\n" + sayTo("b", i) + "\n")
	}
	c := New(strings.NewReader(lines.String()), io.Discard, Options{})
	var n [2]int
	for i, id := range []string{"a", "b"} {
		l := c.Lane(HandlerFunc(func(*Inbound, bool) { n[i]++ }), nil)
		if err := l.claim(id); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Run(context.Background(), &collector{}); err != nil || n != [2]int{each, each} {
		t.Errorf("%v, %v", n, err)
	}
}
