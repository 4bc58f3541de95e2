package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// Server is the address of an MCP server, including its secrets.
type Server struct {
	Name    string
	Type    string // stdio, http, sse
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// Options configures a connection.
type Options struct {
	Version string        // of Weft
	Dir     string        // working directory of a stdio server, absolute
	PidDir  string        // see agent.Spec
	Timeout time.Duration // 30 s if 0
}

// About is what a server reports about itself.
type About struct {
	Name, Version, Protocol string
	Tools                   []Tool
	More                    bool   // there are more tools
	Noise                   string // output on stdout that isn't a message; many clients fail on it
}

// Tool is a tool of a server.
type Tool struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Limits for data from a server.
const (
	maxTools       = 500
	maxName        = 200     // bytes
	maxDescription = 4 << 10 // bytes
	maxPages       = 50
	maxLine        = 8 << 20  // bytes of a message
	maxAnswer      = 16 << 20 // bytes of an HTTP response that isn't a stream
)

// Error is an error that the user can act on.
type Error = fault.Error

// protocol is the version that is tried first: the newest one that begins with initialize, which agents use too.
const protocol = "2025-11-25"

// Look connects to a server, lists its tools and ends it. It blocks until nothing of the server is left. Errors:
// *Error.
func Look(ctx context.Context, s Server, opt Options) (About, error) {
	limit := cmp.Or(opt.Timeout, 30*time.Second)
	lctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "weft", Title: "Weft", Version: opt.Version}, nil)
	var about About
	err := eachProtocol(lctx, func(version string) error {
		c, err := open(lctx, s, opt, client, version, false)
		if err != nil {
			about.Noise = c.link.noise()
			return err
		}
		about, err = tell(lctx, c.ClientSession)
		err = c.end(lctx, err)
		about.Noise = c.link.noise()
		return err
	})
	if err != nil {
		return about, failure(ctx, lctx, s, limit, err)
	}
	return about, nil
}

// failure returns an *Error that says why a server can't be used. lctx is ctx with the time limit.
func failure(ctx, lctx context.Context, s Server, limit time.Duration, err error) *Error {
	var own *Error
	switch {
	case ctx.Err() != nil:
		return fault.New("cancelled", "The test was canceled.").Because(err)
	case lctx.Err() != nil:
		own = fault.New("timeout", "The server didn't answer within {{limit}}. Check that it speaks the Model Context Protocol over {{type}}.", limit, spoken(s.Type)).Because(err)
	case errors.As(err, &own):
	default:
		own = fault.New("mcp_error", "Couldn't communicate with the server: {{reason}}.", strings.TrimRight(clip.Text(err.Error(), 500), ". ")).Because(err)
	}
	if own.Detail == "" {
		var d *detailError
		if errors.As(err, &d) {
			own.Detail = d.detail
		}
	}
	return own
}

func spoken(transport string) string {
	switch transport {
	case "http":
		return "streamable HTTP"
	case "sse":
		return "SSE"
	}
	return "stdin and stdout"
}

// detailError adds what a server has written to stderr.
type detailError struct {
	error
	detail string
}

func (e *detailError) Unwrap() error { return e.error }

// tell requests the information about a server.
func tell(ctx context.Context, session *sdk.ClientSession) (about About, err error) {
	hello := session.InitializeResult()
	about.Protocol = clip.Text(hello.ProtocolVersion, maxName)
	if i := hello.ServerInfo; i != nil {
		about.Name, about.Version = clip.Text(cmp.Or(i.Title, i.Name), maxName), clip.Text(i.Version, maxName)
	}
	about.Tools = []Tool{}
	if hello.Capabilities != nil && hello.Capabilities.Tools == nil {
		return about, nil
	}
	tools, more, err := ListTools(ctx, session)
	about.More = more
	for _, one := range tools {
		title := one.Title
		if title == "" && one.Annotations != nil {
			title = one.Annotations.Title
		}
		about.Tools = append(about.Tools, Tool{Name: clip.Text(one.Name, maxName), Title: clip.Text(title, maxName), Description: clip.Text(one.Description, maxDescription)})
	}
	return about, err
}

// ListTools returns the tools of a server, at most 500. more reports that there are others. If it returns an error, it
// also returns the tools that it got before.
func ListTools(ctx context.Context, session *sdk.ClientSession) (tools []*sdk.Tool, more bool, err error) {
	cursor := ""
	for range maxPages {
		page, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return tools, false, err
		}
		for _, one := range page.Tools {
			if len(tools) == maxTools {
				return tools, true, nil
			}
			if one != nil {
				tools = append(tools, one)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return tools, false, nil
		}
	}
	return tools, true, nil
}
