package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// agent is the other side of a connection under test.
type agent struct {
	t   *testing.T
	out *io.PipeWriter // what it says
	in  *bufio.Scanner // what it is told
	inR *io.PipeReader
}

func (a *agent) say(lines ...string) {
	a.t.Helper()
	if _, err := io.WriteString(a.out, strings.Join(lines, "\n")+"\n"); err != nil {
		a.t.Errorf("agent cannot write: %v", err)
	}
}

// hear waits for a message from the client.
func (a *agent) hear() string {
	if !a.in.Scan() {
		return "EOF"
	}
	return a.in.Text()
}

// serve connects a fake agent, which runs script, to a connection whose things go to h.
// It ends when the agent's script does, and then returns what Run returned.
func serve(t *testing.T, opts Options, h Handler, script func(a *agent)) (*Conn, func() error) {
	t.Helper()
	fromAgent, out := io.Pipe()
	inR, toAgent := io.Pipe()
	c := New(fromAgent, toAgent, opts)
	a := &agent{t: t, out: out, inR: inR, in: bufio.NewScanner(inR)}
	a.in.Buffer(nil, 1<<30)
	var wg sync.WaitGroup
	wg.Go(func() {
		script(a)
		_ = out.Close()
	})
	result := make(chan error, 1)
	go func() { result <- c.Run(context.Background(), h) }()
	return c, func() error {
		err := <-result
		_ = inR.Close()
		wg.Wait()
		return err
	}
}

// discard reads what the client writes until it stops.
func (a *agent) discard() {
	for a.in.Scan() {
	}
}

func TestCallAndRequest(t *testing.T) {
	var heard string
	h := HandlerFunc(func(in *Inbound, _ bool) {
		if in.Kind != KindRequest {
			return
		}
		req := in.Request
		go func() {
			if req.Method == "fs/read_text_file" {
				_ = req.Result(map[string]string{"content": "c"})
				if err := req.Error(1, "again"); !errors.Is(err, ErrAnswered) {
					t.Errorf("second answer: %v", err)
				}
				return
			}
			_ = req.NotFound()
		}()
	})
	c, wait := serve(t, Options{}, h, func(a *agent) {
		if got := a.hear(); got != `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}` {
			t.Errorf("session/new was %s", got)
		}
		a.say(`{"jsonrpc":"2.0","id":"3f-uuid","method":"fs/read_text_file","params":{"path":"/x"}}`)
		heard = a.hear()
		a.say(`{"jsonrpc":"2.0","id":12345678901234567890,"method":"what/ever"}`)
		heard += a.hear()
		a.say(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1","modes":{"currentModeId":"a"}, "configOptions":[1]}}`)
		a.discard()
	})
	s, err := c.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "/w"})
	if err != nil || s.SessionID != "s1" || string(s.Modes) != `{"currentModeId":"a"}` || string(s.ConfigOptions) != "[1]" || s.Models != nil {
		t.Errorf("%+v, %v", s, err)
	}
	c.CloseInput()
	if err := wait(); err != nil {
		t.Errorf("Run: %v", err)
	}
	want := `{"jsonrpc":"2.0","id":"3f-uuid","result":{"content":"c"}}{"jsonrpc":"2.0","id":12345678901234567890,"error":{"code":-32601,"message":"Method not found","data":{"method":"what/ever"}}}`
	if heard != want {
		t.Errorf("answers %s", heard)
	}
	if err := c.Call(t.Context(), "x", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("call after the end: %v", err)
	}
}

func TestInitialize(t *testing.T) {
	for _, tc := range []struct{ answer, want string }{
		{`"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":2},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{},"list":true,"close":null},"mcpCapabilities":"none"},"authMethods":[{"id":"x","name":"X"},5]}`, ""},
		{`"result":{"protocolVersion":2}`, "unsupported protocol version: the agent uses version 2, Weft uses version 1. Update the agent or Weft"},
		{`"result":{}`, "unsupported protocol version: the agent uses version none, Weft uses version 1. Update the agent or Weft"},
		{`"error":{"code":-32000,"message":"Authentication required"}`, "the agent refused initialize: Authentication required (error -32000)"},
	} {
		c, wait := serve(t, Options{}, HandlerFunc(func(*Inbound, bool) {}), func(a *agent) {
			if got, want := a.hear(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"weft","title":"Weft","version":"1"},"protocolVersion":1}}`; got != want {
				t.Errorf("got %s", got)
			}
			a.say(`{"jsonrpc":"2.0","id":1,` + tc.answer + `}`)
		})
		r, err := c.Initialize(t.Context(), InitializeParams{Capabilities: map[string]any{"fs": map[string]bool{"readTextFile": true}}, Name: "weft", Title: "Weft", Version: "1"})
		switch {
		case tc.want != "":
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v", err)
			}
			if strings.Contains(tc.answer, "-32000") != errors.Is(err, ErrAuthRequired) {
				t.Errorf("auth required: %v", err)
			}
		case err != nil || r.Version != "2" || !r.Capabilities.LoadSession || !r.Capabilities.ResumeSession || !r.Capabilities.ListSessions || r.Capabilities.CloseSession || len(r.AuthMethods) != 1:
			t.Errorf("%+v, %v", r, err)
		}
		_ = wait()
	}
}

// TestPermissionAfterToolCall sends each tool call right before the question about it.
func TestPermissionAfterToolCall(t *testing.T) {
	const n = 2000
	known, late := map[string]bool{}, 0
	h := HandlerFunc(func(in *Inbound, _ bool) {
		switch in.Kind {
		case KindUpdate:
			known[in.Update.Tool.ID] = true
		case KindRequest:
			if p := DecodePermission(in.Request.Params); !known[p.Tool.ID] {
				late++
			}
			req := in.Request
			go func() { _ = req.Result(map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}) }()
		default:
		}
	})
	_, wait := serve(t, Options{}, h, func(a *agent) {
		var answers sync.WaitGroup
		answers.Go(func() {
			for range n {
				a.hear()
			}
		})
		for i := range n {
			a.say(wrap(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"x"}`, i)),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t%d"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}}`, i, i))
		}
		answers.Wait()
	})
	if err := wait(); err != nil || late != 0 || len(known) != n {
		t.Errorf("%d of %d questions came before their tool call; %v", late, len(known), err)
	}
}

// TestResponseComesLast has every call answered behind updates that must be handled first.
func TestResponseComesLast(t *testing.T) {
	var mu sync.Mutex
	handled := 0
	h := HandlerFunc(func(in *Inbound, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		if in.Kind == KindUpdate {
			handled++
		}
	})
	c, wait := serve(t, Options{}, h, func(a *agent) {
		for i := range 50 {
			a.hear()
			for range 100 {
				a.say(string(chunkLine(0)))
			}
			a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, i+1))
		}
	})
	for i := range 50 {
		r, err := c.Prompt(t.Context(), "s", []sdk.ContentBlock{sdk.TextBlock("go")}, nil)
		mu.Lock()
		if err != nil || r.StopReason != "end_turn" || handled != (i+1)*100 {
			t.Errorf("turn %d ended after %d updates: %+v, %v", i, handled, r, err)
		}
		mu.Unlock()
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestResponseThenEOF ends the stream right behind the response, with updates queued.
func TestResponseThenEOF(t *testing.T) {
	for i := range 200 {
		n := 0
		h := HandlerFunc(func(in *Inbound, _ bool) {
			if in.Kind == KindUpdate {
				n++
			}
		})
		c, wait := serve(t, Options{}, h, func(a *agent) {
			a.hear()
			var lines []string
			for range 300 {
				lines = append(lines, string(chunkLine(0)))
			}
			a.say(append(lines, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)...)
		})
		var raw jsontext.Value
		if err := c.Call(t.Context(), "session/prompt", nil, &raw); err != nil || string(raw) != `{"stopReason":"end_turn"}` {
			t.Fatalf("run %d: %s, %v", i, raw, err)
		}
		if err := wait(); err != nil || n != 300 {
			t.Fatalf("run %d: %d updates, %v", i, n, err)
		}
	}
}

func TestEOFFailsPendingCalls(t *testing.T) {
	var broken string
	h := HandlerFunc(func(in *Inbound, _ bool) {
		if in.Kind == KindBroken {
			broken = in.Text
		}
	})
	c, wait := serve(t, Options{}, h, func(a *agent) {
		a.hear()
		_, _ = io.WriteString(a.out, `{"jsonrpc":"2.0","id":1,"resul`)
	})
	err := c.Call(t.Context(), "session/prompt", nil, nil)
	if !errors.Is(err, ErrClosed) || broken != `{"jsonrpc":"2.0","id":1,"resul` {
		t.Errorf("%v, broken %q", err, broken)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestWithdrawnRequest(t *testing.T) {
	var kinds []Kind
	var cause error
	h := HandlerFunc(func(in *Inbound, _ bool) {
		kinds = append(kinds, in.Kind)
		if in.Kind == KindWithdrawn {
			cause = context.Cause(in.Request.Context())
			_ = in.Request.Cancelled()
		}
	})
	_, wait := serve(t, Options{}, h, func(a *agent) {
		a.say(`{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"sessionId":"s"}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q1"}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"other"}}`)
		if got := a.hear(); got != `{"jsonrpc":"2.0","id":"q1","error":{"code":-32800,"message":"Request cancelled"}}` {
			t.Errorf("answer %s", got)
		}
	})
	if err := wait(); err != nil || !slices.Equal(kinds, []Kind{KindRequest, KindWithdrawn, KindNotification}) || !errors.Is(cause, ErrWithdrawn) {
		t.Errorf("%v, kinds %v, cause %v", err, kinds, cause)
	}
}

// Where the agent uses an id for two requests at once, neither is answered with a result: it might take that for the other's.
func TestRequestsWithOneIDAreBothRefused(t *testing.T) {
	var kinds []Kind
	var open *Request
	h := HandlerFunc(func(in *Inbound, _ bool) {
		kinds = append(kinds, in.Kind)
		switch in.Kind {
		case KindRequest:
			if open = in.Request; in.Method == "terminal/create" {
				_ = in.Request.Result(nil) // it has an id of its own: a text
			}
		case KindWithdrawn:
			if err := in.Request.Result(map[string]bool{"allowed": true}); err != nil || in.Request != open {
				t.Errorf("%v, another request: %t", err, in.Request != open)
			}
		default:
		}
	})
	_, wait := serve(t, Options{}, h, func(a *agent) {
		for range 2 { // once they are answered, the id may be used again
			a.say(`{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"a"}}}`,
				`{"jsonrpc":"2.0","id":3.0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"b"}}}`,
				`{"jsonrpc":"2.0","id":"3","method":"terminal/create","params":{"sessionId":"s"}}`)
			refused, done := 0, 0
			for range 3 {
				switch got := a.hear(); {
				case strings.Contains(got, `"error":{"code":-32603,"message":"Two requests have this id`):
					refused++
				case got == `{"jsonrpc":"2.0","id":"3","result":{}}`:
					done++
				default:
					t.Errorf("answer %s", got)
				}
			}
			if refused != 2 || done != 1 {
				t.Errorf("%d are refused, %d done", refused, done)
			}
		}
	})
	if err := wait(); err != nil {
		t.Error(err)
	}
	want := []Kind{KindRequest, KindBroken, KindWithdrawn, KindRequest}
	if !slices.Equal(kinds, append(want, want...)) {
		t.Errorf("kinds %v", kinds)
	}
}

func TestCancelledCall(t *testing.T) {
	late := make(chan Response, 1)
	h := HandlerFunc(func(in *Inbound, _ bool) {
		if in.Kind == KindResponse && in.Response.Late {
			late <- *in.Response
		}
	})
	heard := make(chan struct{})
	c, wait := serve(t, Options{}, h, func(a *agent) {
		a.hear()
		close(heard)
		a.hear()
		a.say(`{"jsonrpc":"2.0","id":2,"result":"two"}`, `{"jsonrpc":"2.0","id":1,"result":"one"}`)
		a.discard()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("watchdog")
	done := make(chan error)
	go func() { done <- c.Call(ctx, "session/prompt", nil, nil) }()
	<-heard
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	var s string
	if err := c.Call(t.Context(), "second", nil, &s); err != nil || s != "two" {
		t.Errorf("%q, %v", s, err)
	}
	if r := <-late; r.Method != "session/prompt" || string(r.Result) != `"one"` {
		t.Errorf("late response %+v", r)
	}
	c.CloseInput()
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestAgentDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromAgent, out := io.Pipe()
		inR, toAgent := io.Pipe()
		defer inR.Close()
		defer out.Close()
		c := New(fromAgent, toAgent, Options{})
		result := make(chan error, 1)
		go func() { result <- c.Run(context.Background(), HandlerFunc(func(*Inbound, bool) {})) }()
		began := time.Now()
		_, err := c.Prompt(t.Context(), "s", nil, nil)
		if !errors.Is(err, ErrStalled) {
			t.Errorf("Prompt: %v", err)
		}
		if d := time.Since(began); d != 10*time.Second {
			t.Errorf("after %v", d)
		}
		if err := c.Cancel(t.Context(), "s"); !errors.Is(err, ErrStalled) {
			t.Errorf("Cancel: %v", err)
		}
		if err := <-result; !errors.Is(err, ErrStalled) {
			t.Errorf("Run: %v", err)
		}
	})
}

// TestSlowAgentIsNotStalled takes a large prompt slowly, but takes it.
func TestSlowAgentIsNotStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := HandlerFunc(func(*Inbound, bool) {})
		c, wait := serve(t, Options{}, h, func(a *agent) {
			buf := make([]byte, 64<<10)
			for total := 0; total < 1<<20; {
				n, _ := a.inR.Read(buf)
				total += n
				time.Sleep(9 * time.Second)
			}
			go a.discard()
			time.Sleep(time.Minute)
			a.say(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
		})
		if _, err := c.Prompt(t.Context(), "s", []sdk.ContentBlock{sdk.TextBlock(strings.Repeat("x", 1<<20))}, nil); err != nil {
			t.Errorf("Prompt: %v", err)
		}
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestHandlerPanics(t *testing.T) {
	var seen []string
	h := HandlerFunc(func(in *Inbound, _ bool) {
		if in.Kind == KindPanic {
			seen = append(seen, "panic over "+in.Method)
			if !strings.Contains(in.Err.Error(), "boom") {
				t.Errorf("error %v", in.Err)
			}
			return
		}
		if in.Kind != KindResponse {
			seen = append(seen, in.Method)
		}
		if in.Method == "b" || in.Kind == KindResponse {
			panic("boom")
		}
	})
	c, wait := serve(t, Options{}, h, func(a *agent) {
		a.say(`{"method":"a"}`, `{"id":9,"method":"b"}`, `{"method":"c"}`)
		got := a.hear() + a.hear()
		if !strings.Contains(got, `"id":9,"error":{"code":-32603`) {
			t.Errorf("answers %s", got)
		}
		a.say(`{"id":1,"result":true}`)
	})
	var ok bool
	if err := c.Call(t.Context(), "x", nil, &ok); err != nil || !ok {
		t.Errorf("call %v, %v", ok, err)
	}
	if err := wait(); err != nil || strings.Join(seen, ",") != "a,b,panic over b,c,panic over " {
		t.Errorf("%v: %q", err, seen)
	}
}

func TestTapSeesBothDirectionsInOrder(t *testing.T) {
	var log []string
	c, wait := serve(t, Options{Tap: func(dir string, line []byte) { log = append(log, dir+" "+string(line)) }},
		HandlerFunc(func(*Inbound, bool) {}), func(a *agent) {
			a.say("hello")
			a.hear()
			a.say(`{"id":1,"result":1}`)
		})
	if err := c.Call(t.Context(), "x", nil, nil); err != nil {
		t.Error(err)
	}
	_ = wait()
	got := strings.Join(slices.DeleteFunc(log, func(s string) bool { return s == "agent->client hello" }), "\n")
	want := "client->agent {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{}}\nagent->client {\"id\":1,\"result\":1}"
	if got != want || len(log) != 3 {
		t.Errorf("log:\n%s", got)
	}
}

func TestResponseChoosesProtocolVersion(t *testing.T) {
	// A second version, of which only the end of a turn differs.
	two := *version1
	two.number = 2
	two.turn = func(context.Context, *Conn, string, []sdk.ContentBlock, func()) (PromptResult, error) {
		return PromptResult{StopReason: "of version 2"}, nil
	}
	versions[2] = &two
	defer delete(versions, 2)
	for number, want := range map[int]string{1: "of version 1", 2: "of version 2"} {
		c, wait := serve(t, Options{}, HandlerFunc(func(*Inbound, bool) {}), func(a *agent) {
			a.hear()
			a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%d}}`, number))
			if number == 1 {
				a.hear()
				a.say(`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"of version 1"}}`)
			}
			a.discard()
		})
		if r, err := c.Initialize(t.Context(), InitializeParams{}); err != nil || r.ProtocolVersion != number {
			t.Fatalf("version %d: %+v, %v", number, r, err)
		}
		if r, err := c.Prompt(t.Context(), "s", nil, nil); err != nil || r.StopReason != want {
			t.Errorf("version %d ends a turn with %q, %v", number, r.StopReason, err)
		}
		c.CloseInput()
		if err := wait(); err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}
