// Package background runs the work of the service that outlasts the command that began it.
package background

import (
	"context"
	"sync"
	"time"
)

// Work is in progress until it ends or the service is closed.
type Work struct {
	ctx   context.Context //nolint:containedctx // the life of the service, which no command has
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// New returns work that isn't cut short by the end of ctx.
func New(ctx context.Context) *Work {
	w := &Work{}
	w.ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	return w
}

// Context returns the context of all work. It ends with [Work.Stop].
func (w *Work) Context() context.Context { return w.ctx }

// Go runs f in a goroutine that [Work.Wait] waits for.
func (w *Work) Go(f func()) { w.tasks.Go(f) }

// Bounded returns a context for a short step that neither the caller of a command nor [Work.Stop] must cut short.
func (w *Work) Bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(w.ctx), 30*time.Second)
}

// Stop asks all work to end and doesn't wait for it.
func (w *Work) Stop() { w.stop() }

// Wait blocks until no work is in progress.
func (w *Work) Wait() { w.tasks.Wait() }
