package agentfiles

import (
	"context"
	"sync"
)

// Writes are the unfinished writes of a session. The zero value is empty. It is safe for concurrent use.
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

// once calls write, unless the latest unfinished write of the file is identical. Then it waits for that one and
// returns its result: some agents send a write twice, and the user must not be asked again while the first is allowed
// but not on disk yet. If the first is canceled, the next one writes. It blocks as long as write does, or until ctx
// ends, and then returns its cause.
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

// begin adds p as a write of its own, or returns the identical one that is unfinished.
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
