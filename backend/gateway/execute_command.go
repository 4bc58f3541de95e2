package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/agent"
	"weft/backend/clip"
)

// stopTime is how long a command may take to end after it was told to.
const stopTime = 10 * time.Second

// callCommand runs a program, without a shell: each argument is one argument, whatever it holds. The arguments of the
// call are also passed on its standard input, as JSON.
func (g *Gateway) callCommand(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	e := c.tool.def.Execution
	args, err := c.args()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, e.timeout())
	defer cancel()
	p, err := agent.Start(limited, agent.Spec{Name: e.Command, Command: e.Command, Args: args, Dir: g.dir(), PidDir: g.opt.PidDir, InstallHint: "Install it, or correct the command"})
	late := func() error {
		return &Error{Code: "timeout", Message: fmt.Sprintf("%s did not end within %s and was stopped.", c.tool.def.Name, e.timeout()), Err: limited.Err()}
	}
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return nil, late()
	case err != nil:
		return nil, &Error{Code: "unreachable", Message: err.Error(), Err: err}
	}
	stop := context.AfterFunc(limited, func() { // at once: nobody waits for it any more
		_ = p.Stop(limited)
	})
	defer func() {
		stop()
		grace, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		_ = p.Stop(grace) // what it has left behind
	}()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = p.Stdin.Write(c.input) // a program that does not read it is none the worse
		_ = p.Stdin.Close()
	}()
	out, err := io.ReadAll(io.LimitReader(p.Stdout, maxOutput+1))
	long := len(out) > maxOutput
	if long {
		out = out[:maxOutput]
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
		return nil, &Error{Code: "failed", Message: c.tool.def.Name + ": what it wrote could not be read.", Err: err}
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

// args are the arguments of the command that a call runs.
func (c *call) args() ([]string, error) {
	all, err := values(c.input)
	if err != nil {
		return nil, invalid("The arguments cannot be read: %s.", clip.Text(err.Error(), 200))
	}
	e := c.tool.def.Execution
	args := make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = filled(arg, all, func(s string) string { return s })
		if strings.Contains(args[i], "\x00") {
			return nil, invalid("An argument has a zero character in it, which no program can be given.")
		}
	}
	return args, nil
}

// lastOf is what a program said last: to stderr, else to stdout.
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

// dir is where programs run.
func (g *Gateway) dir() string {
	if g.opt.Dir != "" {
		return g.opt.Dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return os.TempDir()
	}
	return home
}
