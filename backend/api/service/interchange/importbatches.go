package interchange

import (
	"context"
	"strconv"
	"sync"

	"weft/backend/store"
)

// batches stores steps of an import in a goroutine, so that the next batch is read while one is stored.
type batches struct {
	importing *store.Importing
	changed   func(spaceID string)
	steps     []store.ImportStep
	size      int
	queue     chan []store.ImportStep
	stopped   chan struct{} // closed after an error
	work      sync.WaitGroup
	err       error // from the store; read after stopped or work
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
		// Store what was read even if the import is stopped.
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

// add adds a step of approximately size bytes. It blocks while the store is behind. It returns the store's error for
// this step or an earlier one.
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

// flush stores the added steps and waits for that.
func (b *batches) flush(ctx context.Context) error {
	if err := b.send(ctx); err != nil {
		return err
	}
	return b.send(ctx) // empty, so it is accepted once the steps are stored
}

// close stores the rest and waits for that.
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
