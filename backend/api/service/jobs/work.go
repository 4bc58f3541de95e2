package jobs

import (
	"context"
	"sync"
	"time"
)

// Work runs until it ends or the service is closed.
type Work struct {
	ctx   context.Context //nolint:containedctx // lives as long as the service, unlike the context of a command
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// NewWork returns work that the end of ctx doesn't cancel.
func NewWork(ctx context.Context) *Work {
	w := &Work{}
	w.ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	return w
}

// Context returns the context of all work. [Work.Stop] cancels it.
func (w *Work) Context() context.Context { return w.ctx }

// Go runs f in a goroutine that [Work.Wait] waits for.
func (w *Work) Go(f func()) { w.tasks.Go(f) }

// Bounded returns a context with a timeout for a short step that neither the caller of a command nor [Work.Stop] may
// cancel.
func (w *Work) Bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(w.ctx), 30*time.Second)
}

// Stop cancels all work and doesn't wait for it.
func (w *Work) Stop() { w.stop() }

// Wait blocks until no work is in progress.
func (w *Work) Wait() { w.tasks.Wait() }
