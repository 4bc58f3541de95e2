package acp

import (
	"context"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// version is what one version of the protocol does in its own way. A connection speaks one from the answer to
// initialize on (docs/decisions/0011-protocol-versions.md says where the next one goes).
type version struct {
	number int
	// initialize are the params that ask for this version, initialized reads the answer.
	initialize  func(InitializeParams) any
	initialized func(raw jsontext.Value) InitializeResult
	// turn sends a prompt and returns when the turn that answers it has ended. queued is as in [Conn.Prompt].
	turn func(ctx context.Context, c *Conn, sessionID string, prompt []sdk.ContentBlock, queued func()) (PromptResult, error)
}

// versions are those that Weft speaks, by their numbers; asked is the one it asks for.
var (
	asked    = version1
	versions = map[int]*version{version1.number: version1}
)

// version is the one that the connection speaks: before initialize has been answered the one it asks for.
func (c *Conn) version() *version {
	if v := c.speaks.Load(); v != nil {
		return v
	}
	return asked
}
