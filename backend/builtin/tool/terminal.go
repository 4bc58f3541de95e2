package tool

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

const (
	terminalBytes = 1 << 20         // of output that the client keeps
	releaseGrace  = 5 * time.Second // for cleanup requests, which outlive the call's context
)

// runTerminal runs a command in a terminal of the client, which shows it.
func runTerminal(ctx context.Context, env *Env, command string, timeout time.Duration, report func(Progress)) (Result, error) {
	path, args, err := shellOf(command)
	if err != nil {
		return Result{}, &Error{Message: "No shell found: neither bash nor sh is on PATH.", Err: err}
	}
	id, err := env.Client.CreateTerminal(ctx, acp.CreateTerminalRequest{
		Command: filepath.Base(path), Args: args, Cwd: acp.Ptr(env.Folder.Path()), Env: emptied(), OutputByteLimit: acp.Ptr(terminalBytes),
	})
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		return Result{}, &Error{Message: sentence(fmt.Sprintf("the client couldn't open a terminal: %v", err)), Err: err}
	}
	defer func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseGrace)
		defer cancel()
		_ = env.Client.ReleaseTerminal(after, id) // a disconnected client has released it
	}()
	report(Progress{Content: []acp.ToolCallContent{acp.ToolTerminalRef(id)}})

	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	exit, waitErr := env.Client.WaitForTerminalExit(limited, id)
	if waitErr != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseGrace)
		_ = env.Client.KillTerminal(stop, id) // releasing it does the same
		cancel()
	}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	asked, cancel := context.WithTimeout(ctx, releaseGrace)
	defer cancel()
	out, err := env.Client.TerminalOutput(asked, id)
	timedOut := waitErr != nil && errors.Is(limited.Err(), context.DeadlineExceeded)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case waitErr != nil && !timedOut:
		return Result{}, &Error{Message: sentence(fmt.Sprintf("the client lost the terminal: %v", waitErr)), Err: waitErr}
	case err != nil && !timedOut:
		return Result{}, &Error{Message: sentence(fmt.Sprintf("the client didn't report the output: %v", err)), Err: err}
	}
	text := clean(out.Output)
	if out.Truncated {
		text = "… the beginning of the output wasn't kept …\n" + text
	}
	end := exited{timedOut: timedOut, after: timeout}
	if exit.ExitCode != nil {
		end.code = *exit.ExitCode
	}
	if exit.Signal != nil {
		end.signal = *exit.Signal
	}
	return end.result(env, text, []acp.ToolCallContent{acp.ToolTerminalRef(id)})
}
