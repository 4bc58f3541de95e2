package agentproc

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"weft/backend/acp"
	"weft/backend/agent"
)

// maxWritten limits how much of an agent's invalid output is kept, in bytes.
const maxWritten = 1 << 10

// VisitError is the error of an agent that was started separately and didn't start properly. Its texts may contain
// secrets.
type VisitError struct {
	Err     error
	Stderr  string // the last lines
	Written string // output on stdout that isn't protocol messages
}

func (e *VisitError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the agent's output.
func (e *VisitError) Unwrap() error { return e.Err }

// Visit starts an agent in the home folder, initializes it, calls do and ends it. It blocks until the agent's
// processes are gone. Errors: those of the start, *VisitError if it couldn't be initialized or has closed the
// connection, and those of do.
func (p *Pool) Visit(ctx context.Context, config agent.Config, do func(context.Context, *acp.Conn, acp.InitializeResult) error) (acp.InitializeResult, error) {
	dir, err := os.UserHomeDir()
	if err != nil {
		dir = os.TempDir()
	}
	proc, err := p.start(ctx, config, dir, p.opt.chosen(config, dir, true), nil)
	if err != nil {
		return acp.InitializeResult{}, err
	}
	conn := acp.New(proc.Stdout, proc.Stdin, acp.Options{WriteTimeout: p.opt.Limits.Write})
	var written noise
	said := func() string { return words(proc, &written) }
	p.visits.Store(config.ID, said)
	defer p.visits.Delete(config.ID)
	var reading sync.WaitGroup
	reading.Go(func() {
		_ = conn.Run(context.Background(), acp.HandlerFunc(func(in *acp.Inbound, _ bool) {
			switch in.Kind {
			case acp.KindRequest:
				_ = in.Request.NotFound()
			case acp.KindBroken:
				written.add(in.Text)
			default:
			}
		}))
	})
	ictx, cancel := context.WithTimeout(ctx, p.timeout(config))
	defer cancel()
	about, err := conn.Initialize(ictx, acp.InitializeParams{Capabilities: p.opt.Capabilities, Name: "weft", Title: "Weft", Version: p.opt.Version})
	failed := err != nil
	if err == nil {
		err = do(ctx, conn, about)
		failed = errors.Is(err, acp.ErrClosed)
	} else if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = p.silent(config, err)
	}
	stderr := ""
	if failed {
		err = exitBehind(proc, err, nil)
		stderr = proc.StderrTail()
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if stopErr := proc.Stop(stop); stopErr != nil {
		p.opt.Log.Error().Err(stopErr).Str("agent", config.ID).Msg("a tested agent could not be ended")
	}
	// The process is gone, so its output has an end, and may contain the reason.
	context.AfterFunc(stop, conn.Close)
	reading.Wait()
	conn.Close()
	if failed {
		err = &VisitError{Err: err, Stderr: stderr, Written: written.String()}
	}
	return about, err
}
