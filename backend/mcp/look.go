package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
	maxLine        = 8 << 20
)

// Error is why a look failed, in a sentence for the person.
type Error struct {
	Code    string // cancelled, timeout, unauthorized, unreachable, mcp_error, or those of agent.Error
	Message string
	Detail  string // the last that a stdio server wrote to stderr
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// protocol is the version that is asked for first: the newest that begins with initialize, as
// agents do it.
const protocol = "2025-11-25"

// Look connects to a server, lists its tools and ends it. It blocks until nothing of it is left.
// Errors: *Error.
func Look(ctx context.Context, s Server, opt Options) (About, error) {
	limit := cmp.Or(opt.Timeout, 30*time.Second)
	lctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	about, err := look(lctx, s, opt, protocol)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && lctx.Err() == nil {
		// It may know only newer versions, which begin in another way.
		if second, retryErr := look(lctx, s, opt, ""); retryErr == nil {
			return second, nil
		}
	}
	var own *Error
	switch {
	case err == nil:
		return about, nil
	case ctx.Err() != nil:
		return about, &Error{Code: "cancelled", Message: "The test was called off.", Err: err}
	case lctx.Err() != nil:
		own = &Error{Code: "timeout", Message: "The server did not answer within " + limit.String() + ". Check that it speaks the Model Context Protocol over " + spoken(s.Type) + ".", Err: err}
	case errors.As(err, &own):
	default:
		own = &Error{Code: "mcp_error", Message: "The server could not be talked to: " + strings.TrimRight(bounded(err.Error(), 500), ". ") + ".", Err: err}
	}
	if own.Detail == "" {
		var d *detailError
		if errors.As(err, &d) {
			own.Detail = d.detail
		}
	}
	return about, own
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

func look(ctx context.Context, s Server, opt Options, version string) (about About, err error) {
	if s.Type == "stdio" {
		return lookStdio(ctx, s, opt, version)
	}
	return lookHTTP(ctx, s, opt, version)
}

// talk opens a session and asks what there is to know.
func talk(ctx context.Context, t sdk.Transport, opt Options, version string) (about About, err error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "weft", Title: "Weft", Version: opt.Version}, nil)
	session, err := client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return about, err
	}
	defer func() {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = session.Close() // whatever it says, the transport ends next
		}()
		select {
		case <-closed:
		case <-time.After(time.Second):
		}
	}()
	hello := session.InitializeResult()
	about.Protocol = bounded(hello.ProtocolVersion, maxName)
	if i := hello.ServerInfo; i != nil {
		about.Name, about.Version = bounded(cmp.Or(i.Title, i.Name), maxName), bounded(i.Version, maxName)
	}
	about.Tools = []Tool{}
	if hello.Capabilities != nil && hello.Capabilities.Tools == nil {
		return about, nil
	}
	cursor := ""
	for range maxPages {
		page, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return about, err
		}
		for _, one := range page.Tools {
			if len(about.Tools) == maxTools {
				about.More = true
				return about, nil
			}
			title := one.Title
			if title == "" && one.Annotations != nil {
				title = one.Annotations.Title
			}
			about.Tools = append(about.Tools, Tool{Name: bounded(one.Name, maxName), Title: bounded(title, maxName), Description: bounded(one.Description, maxDescription)})
		}
		if cursor = page.NextCursor; cursor == "" {
			return about, nil
		}
	}
	about.More = true
	return about, nil
}

// bounded cuts a text at a character.
func bounded(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
