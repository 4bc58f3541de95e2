//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/simtest"
)

// ripe is a server whose tools do what calls are tested with. "wait" continues when block is closed: without that the server doesn't end.
func ripe(block chan struct{}) *sdk.Server {
	s := testServer()
	type none = map[string]any
	text := func(words string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: words}}}
	}
	tell := func(ctx context.Context, req *sdk.CallToolRequest, n float64) {
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: n})
	}
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, req *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		tell(ctx, req, 1)
		select {
		case <-block:
		case <-ctx.Done():
		}
		return text("waited"), nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "late"}, func(ctx context.Context, req *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		tell(ctx, req, 1)
		go func() {
			for i := range 20 {
				tell(context.WithoutCancel(ctx), req, float64(2+i))
			}
		}()
		return text("done"), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		s.RemoveTools("tool0")
		return text("ok"), nil, nil
	})
	return s
}

func stand(t *testing.T, opt StandingOptions) *Standing {
	t.Helper()
	opt.Options = Options{Version: "test", Dir: t.TempDir(), Timeout: 20 * time.Second}
	s := NewStanding(t.Context(), opt)
	t.Cleanup(s.Close)
	return s
}

func site(t *testing.T, s *sdk.Server) Server {
	t.Helper()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	return Server{Name: "ripe", Type: "http", URL: web.URL}
}

func names(tools []*sdk.Tool) string {
	var list []string
	for _, one := range tools {
		list = append(list, one.Name)
	}
	return strings.Join(list, " ")
}

func callOf(name string) *sdk.CallToolParams {
	return &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(`{}`)}
}

func codeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// One connection serves all calls. Its tools are listed again when they change. After Close there is no connection.
func TestConnectionServesAllCallsUntilClose(t *testing.T) {
	t.Parallel()
	var changes, asked atomic.Int32
	to := site(t, ripe(nil))
	s := stand(t, StandingOptions{Changed: func() { changes.Add(1) }, Server: func(context.Context) (Server, error) {
		asked.Add(1)
		return to, nil
	}})
	if s.Trouble() != "" || len(s.Tools()) != 0 {
		t.Errorf("before: %q, %s", s.Trouble(), names(s.Tools()))
	}
	if _, err := s.Call(t.Context(), time.Minute, callOf("grow"), nil); err != nil {
		t.Fatal(err)
	}
	simtest.Eventually(t, "the change was not heard", func() bool { return changes.Load() > 0 && names(s.Tools()) == "grow late tool1 tool2 wait" })
	if _, err := s.Call(t.Context(), time.Minute, callOf("tool0"), nil); codeOf(err) != CodeRefused || !strings.HasSuffix(err.Error(), ".") {
		t.Error(err)
	}
	if asked.Load() != 1 {
		t.Errorf("connected %d times", asked.Load())
	}
	s.Close()
	if _, err := s.Connected(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	_, err := s.Call(t.Context(), time.Minute, callOf("tool1"), nil)
	if codeOf(err) != CodeUnreachable || !errors.Is(err, ErrClosed) || err.Error() != ErrClosed.Message {
		t.Error(err)
	}
}

// No progress is reported after a call has ended, and a slow receiver doesn't delay others.
func TestProgressEndsWithItsCall(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	to := site(t, ripe(block))
	s := stand(t, StandingOptions{Server: func(context.Context) (Server, error) { return to, nil }})
	for range 20 {
		var over atomic.Bool
		if _, err := s.Call(t.Context(), time.Minute, callOf("late"), func(*sdk.ProgressNotificationParams) {
			if over.Load() {
				t.Error("progress of a call that is over")
			}
		}); err != nil {
			t.Fatal(err)
		}
		over.Store(true)
	}
	heard := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := s.Call(t.Context(), time.Minute, callOf("wait"), func(*sdk.ProgressNotificationParams) { close(heard) })
		done <- err
	}()
	<-heard
	if _, err := s.Call(t.Context(), 50*time.Millisecond, callOf("wait"), nil); codeOf(err) != CodeTimeout {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Call(ctx, time.Minute, callOf("wait"), nil); !errors.Is(err, context.DeadlineExceeded) || codeOf(err) != "" {
		t.Error(err)
	}
	close(block) // it also ends calls that the server began after it was told that they are canceled
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Trouble says why there is no connection, and is empty after the next connection.
func TestTroubleIsClearedByTheNextConnection(t *testing.T) {
	t.Parallel()
	var way atomic.Value
	way.Store("dies")
	s := stand(t, StandingOptions{Server: func(context.Context) (Server, error) {
		if way.Load() == "no secret" {
			return Server{}, &Error{Code: "secret_missing", Message: "The secret is gone."}
		}
		return stdio(t, way.Load().(string), map[string]string{"KEY": "right"}), nil
	}})
	for _, c := range [][2]string{{"dies", "exited with code 7. The server says: no licence."}, {"no secret", "The secret is gone."}, {"well", ""}, {"dies", ""}} {
		way.Store(c[0])
		_, err := s.Call(t.Context(), time.Minute, callOf("tool1"), nil)
		if (err != nil) != (c[1] != "") || !strings.HasSuffix(s.Trouble(), c[1]) || err != nil && (codeOf(err) != CodeUnreachable || err.Error() != s.Trouble()) {
			t.Errorf("%s: %v, %q", c[0], err, s.Trouble())
		}
	}
	conn, err := s.Connected(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	why := s.Lost(t.Context(), conn, errors.New("it is silent"))
	if why == "" || s.Trouble() != why || s.Lost(t.Context(), conn, errors.New("again")) != why || names(s.Tools()) == "" {
		t.Errorf("%q, %q", why, s.Trouble())
	}
}

// Tools returns the server's list without names that can't be called.
func TestListKeepsValidToolNames(t *testing.T) {
	t.Parallel()
	s := stand(t, StandingOptions{Server: func(context.Context) (Server, error) { return stdio(t, "names", nil), nil }})
	if _, err := s.Connected(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(s.Tools()); got != "a b "+strings.Repeat("n", maxToolName) || s.Tools()[0].Description != "first" {
		t.Errorf("%.100s", got)
	}
	// If its life context ends, it need not be closed first.
	life, end := context.WithCancel(t.Context())
	ended := NewStanding(life, StandingOptions{Options: opt(t), Server: s.opt.Server})
	if _, err := ended.Connected(t.Context()); err != nil {
		t.Fatal(err)
	}
	end()
	if _, err := ended.Connected(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	ended.Close()
}
