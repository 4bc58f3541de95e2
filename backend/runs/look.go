package runs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
)

// Look launches an agent, initializes it and ends it again. It blocks until the agent's
// processes are gone. An error's failure has the last lines of the agent's stderr.
func (m *Manager) Look(ctx context.Context, config agent.Config) (acp.InitializeResult, error) {
	return m.visit(ctx, config, func(context.Context, *acp.Conn, acp.InitializeResult) error { return nil })
}

// Earlier launches an agent to ask for the sessions that it has kept, those of one folder if cwd is
// not empty, and ends it again. next asks for more; it is empty where there are no more. can is what the agent can do.
// Error: unsupported where the agent cannot list or load sessions.
func (m *Manager) Earlier(ctx context.Context, config agent.Config, cwd, cursor string) (list []acp.SessionInfo, next string, can Can, err error) {
	about, err := m.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.ListSessions || !about.Capabilities.LoadSession {
			return &Error{Code: "unsupported", Message: config.Name + " cannot hand over its earlier conversations."}
		}
		ctx, cancel := context.WithTimeout(ctx, m.opt.Limits.Session)
		defer cancel()
		list, next, err = conn.ListSessions(ctx, cwd, cursor)
		return err
	})
	return list, next, canOf(about.Capabilities), err
}

// visit launches an agent outside of any space, initializes it, does something with it and ends it.
func (m *Manager) visit(ctx context.Context, config agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error) {
	dir, err := os.UserHomeDir()
	if err != nil {
		dir = os.TempDir()
	}
	proc, err := m.start(ctx, config, dir, m.plan(config, dir, true), nil)
	if err != nil {
		return acp.InitializeResult{}, err
	}
	conn := acp.New(proc.Stdout, proc.Stdin, acp.Options{WriteTimeout: m.opt.Limits.Write})
	babble := ""
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = conn.Run(context.Background(), acp.HandlerFunc(func(in *acp.Inbound, _ bool) {
			switch in.Kind {
			case acp.KindRequest:
				_ = in.Request.NotFound()
			case acp.KindBroken:
				if len(babble) < 1<<10 {
					babble += in.Text + "\n"
				}
			default:
			}
		}))
	}()
	l := &link{s: &Session{room: &room{m: m}}, config: config, proc: proc, conn: conn}
	ictx, cancel := context.WithTimeout(ctx, m.patience(config))
	defer cancel()
	res, err := conn.Initialize(ictx, acp.InitializeParams{Capabilities: clientCapabilities, Name: "weft", Title: "Weft", Version: m.opt.Version})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = m.silent(config, err)
		}
		err = l.explain(err)
	} else {
		m.sawLogout(config, res.Capabilities)
		if err = do(ctx, conn, res); errors.Is(err, acp.ErrClosed) {
			err = l.explain(err)
		}
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if stopErr := proc.Stop(stop); stopErr != nil {
		m.opt.Log.Error().Err(stopErr).Str("agent", config.ID).Msg("a tested agent could not be ended")
	}
	conn.Close()
	<-ended
	var f *failureError
	if errors.As(err, &f) && babble != "" {
		f.Detail += "\n\nIt wrote, instead of protocol messages:\n" + m.redactor().Text(babble)
	}
	return res, err
}

// runners are commands that may first have to download the agent.
var runners = []string{"npx", "bunx", "pnpx", "pnpm", "npm", "yarn", "uvx", "uv", "pipx", "docker", "podman"}

// patience is how long an agent may take to answer initialize.
func (m *Manager) patience(config agent.Config) time.Duration {
	if Downloads(config.Command) {
		return m.opt.Limits.Download
	}
	return m.opt.Limits.Initialize
}

// Downloads reports whether a command may first have to download what it runs.
func Downloads(command string) bool {
	return slices.Contains(runners, strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".cmd"))
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', 3, 64) + " s" }
