package mcptools

import (
	"context"
	"errors"
	"fmt"

	"weft/backend/agent/mcp"
	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
)

// server is one server of a set, connected or not.
type server struct {
	to       mcp.Server
	opt      Options
	number   int // in the set
	standing *mcp.Standing
}

func newServer(life context.Context, to mcp.Server, opt Options, number int) *server {
	return &server{to: to, opt: opt, number: number, standing: mcp.NewStanding(life, mcp.StandingOptions{
		Options: mcp.Options{Version: opt.Version, Dir: opt.Dir, Timeout: opt.ConnectTime}, Client: "weft-agent",
		Server:  func(context.Context) (mcp.Server, error) { return to, nil },
		Changed: opt.Changed,
	})}
}

// begin connects for the first time. It returns a sentence about why that failed, or "".
func (s *server) begin(ctx context.Context) fault.Said {
	_, err := s.standing.Connected(ctx)
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return fault.Say("The MCP server {{server}} can't be used. It hadn't answered when the connection was canceled.", s.to.Name)
	}
	return fault.Say("The MCP server {{server}} can't be used. {{reason}}", s.to.Name, said(err))
}

// said returns an error's message for the user, with the server's last output.
func said(err error) string {
	if errors.Is(err, mcp.ErrClosed) {
		return "the session has ended"
	}
	return mcp.Said(err)
}

// failed returns an error about the server, for the model.
func (s *server) failed(format string, args ...any) *tool.Error {
	return &tool.Error{Message: fmt.Sprintf("The MCP server %s ", s.to.Name) + fmt.Sprintf(format, args...)}
}
