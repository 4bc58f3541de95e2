package agentproc

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weft/backend/agent"
)

func TestTimeoutIsLongerForCommandsThatDownload(t *testing.T) {
	t.Parallel()
	p := NewPool(Options{Limits: Limits{Initialize: time.Second, Download: time.Minute}})
	for command, want := range map[string]time.Duration{
		"opencode": time.Second, "/usr/bin/npx": time.Minute, "npx.cmd": time.Minute, "uvx": time.Minute, "npxx": time.Second, "": time.Second,
	} {
		if got := p.timeout(agent.Config{Command: command}); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

func TestLimitDoesNotRunWhileUserIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asking atomic.Bool
		asking.Store(true)
		ctx, cancel := Within(t.Context(), time.Second, asking.Load)
		defer cancel()
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Fatal("the time was up while the user was asked")
		}
		asking.Store(false)
		<-ctx.Done()
		if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
	})
}
