package runs

import (
	"context"
	"errors"
	"strings"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agentproc"
	"weft/backend/failure"
	"weft/backend/sessionoptions"
	"weft/backend/transcript"
)

// Look launches an agent, initializes it and ends it again. It blocks until the agent's
// processes are gone. An error's failure has the last lines of the agent's stderr.
func (m *Manager) Look(ctx context.Context, config agent.Config) (acp.InitializeResult, error) {
	return m.visit(ctx, config, func(context.Context, *acp.Conn, acp.InitializeResult) error { return nil })
}

// Earlier launches an agent to ask for the sessions that it has kept, those of one folder if cwd is
// not empty, and ends it again. next asks for more; it is empty where there are no more. can is what the agent can do.
// Error: unsupported where the agent cannot list or load sessions.
func (m *Manager) Earlier(ctx context.Context, config agent.Config, cwd, cursor string) (list []acp.SessionInfo, next string, can sessionoptions.Can, err error) {
	about, err := m.visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		if !about.Capabilities.ListSessions || !about.Capabilities.LoadSession {
			return &Error{Code: "unsupported", Message: config.Name + " cannot hand over its earlier conversations."}
		}
		ctx, cancel := context.WithTimeout(ctx, m.opt.Limits.Session)
		defer cancel()
		list, next, err = conn.ListSessions(ctx, cwd, cursor)
		return err
	})
	return list, next, sessionoptions.CanOf(about.Capabilities), err
}

// visit launches an agent outside of any space, initializes it, does something with it and ends it.
func (m *Manager) visit(ctx context.Context, config agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error) {
	about, err := m.processes.Visit(ctx, config, func(ctx context.Context, conn *acp.Conn, about acp.InitializeResult) error {
		m.notes.SawLogOut(config, about.Capabilities.Logout)
		return do(ctx, conn, about)
	})
	var failed *agentproc.VisitError
	if errors.As(err, &failed) {
		f := m.failure(failed.Err, failed.Stderr)
		if failed.Written != "" {
			f.Detail += "\n\nIt wrote, instead of protocol messages:\n" + m.redactor().Text(failed.Written)
		}
		err = &failure.Error{Failure: f}
	}
	return about, err
}

// failure is what the user is shown of an error of an agent, with the last lines of its stderr, and without secrets.
func (m *Manager) failure(err error, stderr string) transcript.Failure {
	f := failure.Of(err)
	f.Detail = strings.TrimSpace(f.Detail + "\n" + stderr)
	hide := m.redactor()
	f.Message, f.Detail = hide.Text(f.Message), hide.Text(f.Detail)
	return f
}
