package agentproc

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/agent"
)

// Within returns ctx with a time limit that is suspended while paused returns true.
func Within(ctx context.Context, d time.Duration, paused func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		if paused() {
			timer.Reset(d)
			return
		}
		cancel(context.DeadlineExceeded)
	})
	timer.Reset(d)
	return ctx, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// runners are commands that may have to download the agent first.
var runners = []string{"npx", "bunx", "pnpx", "pnpm", "npm", "yarn", "uvx", "uv", "pipx", "docker", "podman"}

// timeout returns how long an agent may take to answer initialize.
func (p *Pool) timeout(config agent.Config) time.Duration {
	if Downloads(config.Command) {
		return p.opt.Limits.Download
	}
	return p.opt.Limits.Initialize
}

// Downloads reports whether a command may have to download what it runs first.
func Downloads(command string) bool {
	return slices.Contains(runners, strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".cmd"))
}
