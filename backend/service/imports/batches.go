package imports

import (
	"context"
	"strconv"
	"sync"

	"weft/backend/store"
)

// batches stores steps of an import, in a goroutine of its own: while one batch is stored, the next one is read.
type batches struct {
	importing *store.Importing
	changed   func(spaceID string)
	steps     []store.ImportStep
	size      int
	queue     chan []store.ImportStep
	stopped   chan struct{} // closed after an error
	work      sync.WaitGroup
	err       error // of the store; read after stopped or work
}

func newBatches(im *store.Importing, changed func(spaceID string)) *batches {
	b := &batches{importing: im, changed: changed, queue: make(chan []store.ImportStep), stopped: make(chan struct{})}
	b.work.Go(b.run)
	return b
}

func (b *batches) run() {
	for steps := range b.queue {
		if b.err != nil {
			continue
		}
		// What was read is stored, also if the import is stopped meanwhile.
		if b.err = b.importing.Store(context.Background(), steps); b.err != nil {
			close(b.stopped)
			continue
		}
		for _, step := range steps {
			if end, ok := step.(store.ImportEnd); ok {
				b.changed(end.SpaceID)
			}
		}
	}
}

// add adds a step of about so many bytes. It blocks while the store is behind. The error is one of the store, of this step or an earlier one.
func (b *batches) add(ctx context.Context, step store.ImportStep, size int) error {
	b.steps, b.size = append(b.steps, step), b.size+size
	if b.size < batchSize && len(b.steps) < maxSteps {
		return nil
	}
	return b.send(ctx)
}

func (b *batches) send(ctx context.Context) error {
	steps := b.steps
	b.steps, b.size = nil, 0
	select {
	case <-b.stopped:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	case b.queue <- steps:
		return nil
	}
}

// flush stores what was added, and waits for that.
func (b *batches) flush(ctx context.Context) error {
	if err := b.send(ctx); err != nil {
		return err
	}
	return b.send(ctx) // nothing, which is taken once the steps are stored
}

// close stores what is left and waits for that.
func (b *batches) close() error {
	if len(b.steps) > 0 {
		select {
		case <-b.stopped:
		case b.queue <- b.steps:
		}
	}
	close(b.queue)
	b.work.Wait()
	return b.err
}

func itoa(n int) string { return strconv.Itoa(n) }
