package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent"
	"weft/backend/base/clip"
)

// stopTime is how long a command may take to end after it was asked to.
const stopTime = 10 * time.Second

// callCommand runs a program without a shell, so each argument stays one argument. The program also gets the arguments
// of the call on its standard input, as JSON.
func (d *Definition) callCommand(ctx context.Context, input json.RawMessage, dir, pidDir string) (*sdk.CallToolResult, error) {
	e := d.Execution
	args, err := d.CommandArgs(input)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, e.timeout())
	defer cancel()
	p, err := agent.Start(limited, agent.Spec{Name: e.Command, Command: e.Command, Args: args, Dir: dir, PidDir: pidDir, InstallHint: agent.CorrectCommand})
	late := func() error {
		return &Error{Code: "timeout", Message: fmt.Sprintf("%s didn't end within %s and was stopped.", d.Name, e.timeout()), Err: limited.Err()}
	}
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return nil, late()
	case err != nil:
		return nil, &Error{Code: "unreachable", Message: err.Error(), Err: err}
	}
	stop := context.AfterFunc(limited, func() { // without a grace period, because no caller waits
		_ = p.Stop(limited)
	})
	defer func() {
		stop()
		grace, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		_ = p.Stop(grace) // child processes that are still running
	}()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = p.Stdin.Write(input) // fails if the program doesn't read its input
		_ = p.Stdin.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout, MaxOutput+1))
	long := len(out) > MaxOutput
	if long {
		out = out[:MaxOutput]
		grace, cancel := context.WithTimeout(context.Background(), stopTime)
		_ = p.Stop(grace)
		cancel()
	}
	<-p.Done()
	<-wrote
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, late()
	case err != nil:
		return nil, &Error{Code: "failed", Message: d.Name + ": what it wrote couldn't be read.", Err: err}
	}
	if exit := p.Exit(); !long && (exit.Code != 0 || exit.Signal != "" || exit.Lost) {
		message := e.Command + " was ended."
		if why := p.ExitErr(); why != nil {
			message = why.Error()
		}
		return nil, &Error{Code: "failed", Message: strings.TrimSpace(message + " " + lastOf(p.StderrTail(), out))}
	}
	trimmed := bytes.TrimSpace(out)
	return answered(out, long, len(trimmed) > 0 && trimmed[0] == '{'), nil
}

// CommandArgs returns the arguments of the command for a call with the input. Errors: *Error with invalid.
func (d *Definition) CommandArgs(input json.RawMessage) ([]string, error) {
	all, err := values(input)
	if err != nil {
		return nil, Invalid("The arguments can't be read: %s.", clip.Text(err.Error(), 200))
	}
	e := d.Execution
	args := make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = filled(arg, all, func(s string) string { return s })
		if strings.Contains(args[i], "\x00") {
			return nil, Invalid("An argument contains a NUL character, which can't be passed to a program.")
		}
	}
	return args, nil
}

// lastOf returns the end of a program's output: of stderr, or of stdout if stderr is empty.
func lastOf(stderr string, stdout []byte) string {
	said := strings.TrimSpace(stderr)
	if said == "" {
		said = strings.TrimSpace(string(stdout))
	}
	if len(said) > maxFailureText {
		said = strings.ToValidUTF8(said[len(said)-maxFailureText:], "")
	}
	return said
}
