package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
	"weft/backend/fault"
)

// Server is how an MCP server is reached, with its secrets.
type Server struct {
	Name    string
	Type    string // stdio, http, sse
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// Options are what a look needs from outside.
type Options struct {
	Version string        // of Weft
	Dir     string        // where a stdio server runs, absolute
	PidDir  string        // see agent.Spec
	Timeout time.Duration // 30 s if 0
}

// About is what a server says of itself.
type About struct {
	Name, Version, Protocol string
	Tools                   []Tool
	More                    bool   // there are more tools
	Noise                   string // what it wrote to stdout that is no message: many clients give up at it
}

// Tool is one of a server's tools.
type Tool struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// The bounds of what is taken from a server.
const (
	maxTools       = 500
	maxName        = 200     // bytes
	maxDescription = 4 << 10 // bytes
	maxPages       = 50
	maxLine        = 8 << 20  // of a message
	maxAnswer      = 16 << 20 // of an answer over HTTP that is no stream
)

// Error is a failure that a user can act on.
type Error = fault.Error

// protocol is the version that is asked for first: the newest that begins with initialize, as
// agents do it.
const protocol = "2025-11-25"

// Look connects to a server, lists its tools and ends it. It blocks until nothing of it is left.
// Errors: *Error.
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

// failure makes an *Error of why a server could not be used; lctx is ctx with the limit.
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

// detailError carries what a server has written to stderr.
type detailError struct {
	error
	detail string
}

func (e *detailError) Unwrap() error { return e.error }

// tell asks what there is to know of a server.
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

// ListTools asks a server for its tools, at most 500; more tells that it has others. Beside an error is
// what came before it.
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
