package builtin

import (
	"context"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
)

// toolClient is the ACP client for the tools of one session.
type toolClient struct {
	conn *connection
	id   acp.SessionId
}

var _ tool.Client = (*toolClient)(nil)

func (c *toolClient) Permits() bool      { return c.conn.permits() }
func (c *toolClient) ReadsFiles() bool   { return c.conn.capabilities().Fs.ReadTextFile }
func (c *toolClient) WritesFiles() bool  { return c.conn.capabilities().Fs.WriteTextFile }
func (c *toolClient) HasTerminals() bool { return c.conn.capabilities().Terminal }

func (c *toolClient) ReadTextFile(ctx context.Context, path string) (string, error) {
	r, err := request[acp.ReadTextFileResponse](ctx, c.conn, acp.ClientMethodFsReadTextFile, acp.ReadTextFileRequest{SessionId: c.id, Path: path})
	return r.Content, err
}

func (c *toolClient) WriteTextFile(ctx context.Context, path, content string) error {
	_, err := request[acp.WriteTextFileResponse](ctx, c.conn, acp.ClientMethodFsWriteTextFile, acp.WriteTextFileRequest{SessionId: c.id, Path: path, Content: content})
	return err
}

func (c *toolClient) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (string, error) {
	req.SessionId = c.id
	r, err := request[acp.CreateTerminalResponse](ctx, c.conn, acp.ClientMethodTerminalCreate, req)
	return r.TerminalId, err
}

func (c *toolClient) TerminalOutput(ctx context.Context, id string) (acp.TerminalOutputResponse, error) {
	return request[acp.TerminalOutputResponse](ctx, c.conn, acp.ClientMethodTerminalOutput, acp.TerminalOutputRequest{SessionId: c.id, TerminalId: id})
}

func (c *toolClient) WaitForTerminalExit(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error) {
	return request[acp.WaitForTerminalExitResponse](ctx, c.conn, acp.ClientMethodTerminalWaitForExit, acp.WaitForTerminalExitRequest{SessionId: c.id, TerminalId: id})
}

func (c *toolClient) KillTerminal(ctx context.Context, id string) error {
	_, err := request[acp.KillTerminalResponse](ctx, c.conn, acp.ClientMethodTerminalKill, acp.KillTerminalRequest{SessionId: c.id, TerminalId: id})
	return err
}

func (c *toolClient) ReleaseTerminal(ctx context.Context, id string) error {
	_, err := request[acp.ReleaseTerminalResponse](ctx, c.conn, acp.ClientMethodTerminalRelease, acp.ReleaseTerminalRequest{SessionId: c.id, TerminalId: id})
	return err
}
