// Package agentterminals serves the requests of the Agent Client Protocol about terminals: what an agent sends, what it is answered, and with which code
// it is refused. [Terminals] are those of one session: they run commands and show what these write. Whether a command may run is for the [Host].
package agentterminals

import (
	"context"
	"math"
	"strings"
	"time"

	"weft/backend/acp"
	"weft/backend/fault"
	"weft/backend/terminal"
)

// timeout is how long the end of a command may take: its own ladder is shorter.
const timeout = 15 * time.Second

// Create is the parameters of terminal/create.
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

// Spec returns the terminal that is asked for, in a folder.
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

// Ref is the parameters of all other requests.
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

// exitStatus is ACP's: one of the two is null.
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

// Serves reports whether a method is about a terminal that was created.
func Serves(method string) bool {
	switch method {
	case "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		return true
	}
	return false
}

// resultOf returns the result of a request that [Serves], about one of the terminals in set. It blocks until the command has ended, or ctx has, where that
// is what is asked for. Errors: *terminal.Error, and the cause of ctx.
func resultOf(ctx context.Context, set *terminal.Set, method, id string) (any, error) {
	t, err := set.Get(id)
	if err != nil {
		return nil, err
	}
	switch method {
	case "terminal/output":
		exit := t.Exit() // before the output, which is complete with it
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

// Stop ends a command, whoever gives up waiting for that. It blocks until the command is gone.
func Stop(stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return stop(ctx)
}

// Code returns the code of the protocol for a refusal, 0 if err is none.
func Code(err error) int {
	code := fault.CodeOf(err)
	ofProgram, ofTerminal := strings.HasPrefix(code, "agent_"), strings.HasPrefix(code, "terminal_")
	if ofProgram || ofTerminal && code != terminal.CodeClosed {
		return acp.CodeInvalidParams
	}
	return 0
}
