// Package agentterminals serves an agent's terminal requests (ACP Terminals): their parameters, results and error
// codes. [Terminals] runs the commands of one session and shows their output. The [Host] decides whether a command
// may run.
package agentterminals

import (
	"context"
	"math"
	"strings"
	"time"

	"weft/backend/acp"
	"weft/backend/agent/terminal"
	"weft/backend/base/fault"
)

// timeout is how long it may take to end a command, which is longer than the escalation of signals takes.
const timeout = 15 * time.Second

// Create is the params of terminal/create.
type Create struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	Env       []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Cwd   string  `json:"cwd"`
	Limit *uint64 `json:"outputByteLimit"`
}

// Created is the result of terminal/create.
type Created struct {
	TerminalID string `json:"terminalId"`
}

// Check refuses a request that names no command. Error: *terminal.Error (terminal_invalid).
func (c *Create) Check() error {
	if c.Command == "" {
		return fault.New(terminal.CodeInvalid, "The request doesn't name a command, so nothing was started.")
	}
	return nil
}

// Spec returns the requested terminal, in the folder dir.
func (c *Create) Spec(dir string) terminal.Spec {
	spec := terminal.Spec{Command: c.Command, Args: c.Args, Env: map[string]string{}, Dir: dir}
	for _, v := range c.Env {
		spec.Env[v.Name] = v.Value
	}
	if c.Limit != nil {
		limit := int64(min(*c.Limit, math.MaxInt64))
		spec.Limit = &limit
	}
	return spec
}

// Ref is the params of all other requests.
type Ref struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// output is the result of terminal/output.
type output struct {
	Output    string      `json:"output"`
	Truncated bool        `json:"truncated"`
	Exit      *exitStatus `json:"exitStatus,omitzero"`
}

// exitStatus is ACP's exit status: one of the fields is null.
type exitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

func statusOf(e *terminal.Exit) *exitStatus {
	switch {
	case e == nil:
		return nil
	case e.Signal != "":
		return &exitStatus{Signal: &e.Signal}
	}
	return &exitStatus{ExitCode: e.Code}
}

// Serves reports whether a method is about an existing terminal.
func Serves(method string) bool {
	switch method {
	case "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		return true
	}
	return false
}

// resultOf returns the result of a request that [Serves], about a terminal in set. For terminal/wait_for_exit it
// blocks until the command has ended or ctx is done; kill and release block until the command is gone. Errors:
// *terminal.Error, and the cause of ctx.
func resultOf(ctx context.Context, set *terminal.Set, method, id string) (any, error) {
	t, err := set.Get(id)
	if err != nil {
		return nil, err
	}
	switch method {
	case "terminal/output":
		exit := t.Exit() // read before the output, which is complete once there is an exit
		text, truncated := t.Output()
		return output{text, truncated, statusOf(exit)}, nil
	case "terminal/wait_for_exit":
		select {
		case <-t.Exited():
			return statusOf(t.Exit()), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "terminal/kill":
		return struct{}{}, Stop(t.Stop)
	default:
		return struct{}{}, Stop(func(ctx context.Context) error { return set.Release(ctx, id) })
	}
}

// Stop ends a command and blocks until it is gone, up to a timeout. It doesn't depend on the caller's context.
func Stop(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return stop(ctx)
}

// Code returns the protocol's error code for err, or 0 if there is none.
func Code(err error) int {
	code := fault.CodeOf(err)
	ofProgram, ofTerminal := strings.HasPrefix(code, "agent_"), strings.HasPrefix(code, "terminal_")
	if ofProgram || ofTerminal && code != terminal.CodeClosed {
		return acp.CodeInvalidParams
	}
	return 0
}
