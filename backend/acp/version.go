package acp

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// version implements the parts of the protocol that differ between its versions. The response to initialize decides
// which one a connection uses. docs/decisions/0011-protocol-versions.md explains how to add another.
type version struct {
	number int
	// initialize returns the params that request this version; initialized reads the result.
	initialize  func(InitializeParams) any
	initialized func(raw jsontext.Value) InitializeResult
	// turn sends a prompt and blocks until its turn has ended. See [Conn.Prompt] for queued.
	turn func(ctx context.Context, c *Conn, sessionID string, prompt []sdk.ContentBlock, queued func()) (PromptResult, error)
}

// versions are the supported versions by number; asked is the one that Weft requests.
var (
	asked    = version1
	versions = map[int]*version{version1.number: version1}
)

// version returns the negotiated version, or the requested one before initialize has returned.
func (c *Conn) version() *version {
	if v := c.speaks.Load(); v != nil {
		return v
	}
	return asked
}
