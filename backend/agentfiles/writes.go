package agentfiles

import (
	"context"
	"sync"
)

// Writes are the writes of a session that haven't ended. The zero value has none. Its methods may be called by several goroutines.
type Writes struct {
	mu     sync.Mutex
	latest map[string]*underWay // the last one of each path
}

type underWay struct {
	content, said string
	ended         chan struct{}
	err           error // once it has ended; so is withdrawn
	withdrawn     bool
}

// once writes p, unless the last write of its file that hasn't ended is the same one. Then it waits for this and returns its result: some agents send a write
// twice, and the user must not be asked about the second while the first is allowed but not on the disk yet. If the first is withdrawn, the next one writes.
// It blocks for as long as write does, and ends with the cause of ctx.
func (w *Writes) once(ctx context.Context, p *Write, write func() error) (err error) {
	for {
		own, first := w.begin(p)
		if own != nil {
			defer func() { w.end(p, own, err, ctx.Err() != nil) }()
			return write()
		}
		select {
		case <-first.ended:
			if !first.withdrawn {
				return first.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// begin returns the write that p is from now on, or the one that it is the same as.
func (w *Writes) begin(p *Write) (own, first *underWay) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.latest[p.Path]; last != nil && last.content == p.Content && last.said == string(p.Meta) {
		return nil, last
	}
	if w.latest == nil {
		w.latest = map[string]*underWay{}
	}
	own = &underWay{content: p.Content, said: string(p.Meta), ended: make(chan struct{})}
	w.latest[p.Path] = own
	return own, nil
}

func (w *Writes) end(p *Write, own *underWay, err error, withdrawn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.latest[p.Path] == own {
		delete(w.latest, p.Path)
	}
	own.err, own.withdrawn = err, withdrawn
	close(own.ended)
}
