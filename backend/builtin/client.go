package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/tool"
)

// How long a command may run if the model does not say, and the longest that it may ask for.
const (
	shellTimeout = 2 * time.Minute
	shellLimit   = time.Hour
)

// makeEnv is what the tools of a turn work with.
func (t *turn) makeEnv() *tool.Env {
	dir := keptDir(t.agent.set.data, t.session.id)
	return &tool.Env{
		Folder: t.folder, Problem: t.problem, Client: &toolClient{t.agent, t.session.id}, Seen: t.session.seen, Now: t.agent.now,
		ShellTimeout: shellTimeout, ShellLimit: shellLimit,
		Keep: func(name string, content []byte) (string, error) {
			return keepFile(dir, name, t.agent.keys.hide.Printed(content))
		},
		Kept: func(path string) (string, bool) {
			name, ok := strings.CutPrefix(path, keptScheme)
			return filepath.Join(dir, name), ok && keptName.MatchString(name)
		},
	}
}

// keptScheme begins the path by which the model finds what was too long for it.
const keptScheme = "kept:"

var keptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$`)

func keepFile(dir, name string, content []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	base := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(name, "-"), "-.")
	for n := 1; ; n++ {
		try := fmt.Sprintf("%s-%d.txt", base[:min(len(base), 60)], n)
		file, err := os.OpenFile(filepath.Join(dir, try), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(content)
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		return keptScheme + try, err
	}
}

// toolClient is the ACP client as the tools of one session use it.
type toolClient struct {
	agent *agent
	id    acp.SessionId
}

var _ tool.Client = (*toolClient)(nil)

func (c *toolClient) Permits() bool      { return c.agent.permits() }
func (c *toolClient) ReadsFiles() bool   { return c.agent.clientHas().Fs.ReadTextFile }
func (c *toolClient) WritesFiles() bool  { return c.agent.clientHas().Fs.WriteTextFile }
func (c *toolClient) HasTerminals() bool { return c.agent.clientHas().Terminal }

// request asks the client and makes a plain error of what it answers.
func request[R any](ctx context.Context, a *agent, method string, params any) (R, error) {
	ctx, release := a.askable(ctx)
	defer release()
	answer, err := acp.SendRequest[R](a.conn, ctx, method, params)
	if err != nil && ctx.Err() == nil {
		err = errors.New(clientError(err))
	}
	return answer, err
}

func (c *toolClient) ReadTextFile(ctx context.Context, path string) (string, error) {
	r, err := request[acp.ReadTextFileResponse](ctx, c.agent, acp.ClientMethodFsReadTextFile, acp.ReadTextFileRequest{SessionId: c.id, Path: path})
	return r.Content, err
}

func (c *toolClient) WriteTextFile(ctx context.Context, path, content string) error {
	_, err := request[acp.WriteTextFileResponse](ctx, c.agent, acp.ClientMethodFsWriteTextFile, acp.WriteTextFileRequest{SessionId: c.id, Path: path, Content: content})
	return err
}

func (c *toolClient) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (string, error) {
	req.SessionId = c.id
	r, err := request[acp.CreateTerminalResponse](ctx, c.agent, acp.ClientMethodTerminalCreate, req)
	return r.TerminalId, err
}

func (c *toolClient) TerminalOutput(ctx context.Context, id string) (acp.TerminalOutputResponse, error) {
	return request[acp.TerminalOutputResponse](ctx, c.agent, acp.ClientMethodTerminalOutput, acp.TerminalOutputRequest{SessionId: c.id, TerminalId: id})
}

func (c *toolClient) WaitForTerminalExit(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error) {
	return request[acp.WaitForTerminalExitResponse](ctx, c.agent, acp.ClientMethodTerminalWaitForExit, acp.WaitForTerminalExitRequest{SessionId: c.id, TerminalId: id})
}

func (c *toolClient) KillTerminal(ctx context.Context, id string) error {
	_, err := request[acp.KillTerminalResponse](ctx, c.agent, acp.ClientMethodTerminalKill, acp.KillTerminalRequest{SessionId: c.id, TerminalId: id})
	return err
}

func (c *toolClient) ReleaseTerminal(ctx context.Context, id string) error {
	_, err := request[acp.ReleaseTerminalResponse](ctx, c.agent, acp.ClientMethodTerminalRelease, acp.ReleaseTerminalRequest{SessionId: c.id, TerminalId: id})
	return err
}
