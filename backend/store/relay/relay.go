// Package relay delivers committed events to the subscribers of a topic. There is one topic
// per space, and "app".
//
// It guarantees:
//
//   - Order. A subscription gets the batches of its topic in the order of Publish.
//   - No silent loss. A subscription buffers at most 1 MiB. When its buffer is full, Publish
//     waits, at most 50 ms for all subscriptions together. Then the buffer is dropped and the
//     next batch is a gap: the subscriber must read the snapshot, or the missing events, from
//     the store. Events published after the subscriber took the gap follow it.
//   - Back-pressure. Because Publish waits, a slow subscriber slows the agent down; one that
//     has stopped reading costs 50 ms once.
//
// Events must be committed before they are published, so that events lost in a gap are in
// the store. The relay stores nothing, starts no goroutine (the [Pump] has one) and
// never interprets events.
package relay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// AppTopic is the topic of changes outside of spaces. Its events are not journaled.
const AppTopic = "app"

// SpaceTopic returns the topic of a space's events.
func SpaceTopic(spaceID string) string { return "space:" + spaceID }

// ErrClosed is the error of Next after the subscription or the relay was closed.
var ErrClosed = errors.New("the subscription is closed")

const (
	bufferBytes = 1 << 20
	timeout     = 50 * time.Millisecond
)

// Options change the limits, for tests. Zero fields mean the defaults.
type Options struct {
	Buffer  int           // bytes of JSON that a subscription buffers; default 1 MiB
	Timeout time.Duration // maximum time that one Publish waits; default 50 ms
}

// Relay connects publishers and subscribers. All methods are safe for concurrent use.
type Relay struct {
	opt    Options
	mu     sync.Mutex
	topics map[string]*topic
	closed bool
}

// topic exists while it has subscribers.
type topic struct {
	publish sync.Mutex // serializes Publish, so that all subscribers see the same order
	subs    map[*Subscription]struct{}
}

// New returns a relay.
func New(opt ...Options) *Relay {
	r := &Relay{topics: map[string]*topic{}}
	if len(opt) > 0 {
		r.opt = opt[0]
	}
	if r.opt.Buffer == 0 {
		r.opt.Buffer = bufferBytes
	}
	if r.opt.Timeout == 0 {
		r.opt.Timeout = timeout
	}
	return r
}

// Publish delivers the events of one commit to the subscribers of a topic. It blocks while
// a subscription's buffer is full, at most 50 ms.
func (r *Relay) Publish(name string, events []transcript.Event) {
	if len(events) == 0 {
		return
	}
	size := 0
	for i := range events {
		if raw, err := events[i].JSON(); err == nil {
			size += len(raw)
		}
	}
	r.publish(name, Batch{Topic: name, Events: events}, size)
}

// PublishRaw is Publish for events of [AppTopic], each a JSON object.
func (r *Relay) PublishRaw(name string, events ...jsontext.Value) {
	size := 0
	for _, e := range events {
		size += len(e)
	}
	r.publish(name, Batch{Topic: name, Raw: events}, size)
}

func (r *Relay) publish(name string, b Batch, size int) {
	r.mu.Lock()
	t := r.topics[name]
	r.mu.Unlock()
	if t == nil {
		return
	}
	t.publish.Lock()
	defer t.publish.Unlock()
	r.mu.Lock()
	subs := make([]*Subscription, 0, len(t.subs))
	for s := range t.subs {
		subs = append(subs, s)
	}
	r.mu.Unlock()
	w := deadline{left: r.opt.Timeout}
	defer w.stop()
	for _, s := range subs {
		s.put(b, size, &w)
	}
}

// deadline limits how long one Publish waits for all its subscribers.
type deadline struct {
	left  time.Duration
	timer *time.Timer
}

// expired returns a channel that fires when the time has passed since the first call.
func (w *deadline) expired() <-chan time.Time {
	if w.timer == nil {
		w.timer = time.NewTimer(w.left)
	}
	return w.timer.C
}

func (w *deadline) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Subscribe returns a subscription to the events published on a topic from now on. The
// caller must close it.
func (r *Relay) Subscribe(name string) *Subscription { return r.subscribe(name, nil) }

// subscribe is Subscribe with a function that is called after a batch or a gap was added. It must not block and may be
// nil.
func (r *Relay) subscribe(name string, onAdd func()) *Subscription {
	s := &Subscription{
		r: r, topic: name, limit: r.opt.Buffer, onAdd: onAdd,
		more: make(chan struct{}, 1), room: make(chan struct{}, 1), done: make(chan struct{}),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		close(s.done)
		return s
	}
	t := r.topics[name]
	if t == nil {
		t = &topic{subs: map[*Subscription]struct{}{}}
		r.topics[name] = t
	}
	t.subs[s] = struct{}{}
	return s
}

// Close closes all subscriptions.
func (r *Relay) Close() {
	r.mu.Lock()
	r.closed = true
	var all []*Subscription
	for _, t := range r.topics {
		for s := range t.subs {
			all = append(all, s)
		}
	}
	r.mu.Unlock()
	for _, s := range all {
		s.Close()
	}
}

func (r *Relay) drop(s *Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.topics[s.topic]; t != nil {
		delete(t.subs, s)
		if len(t.subs) == 0 {
			delete(r.topics, s.topic)
		}
	}
}

// Batch has the events of one Publish, or is a gap.
type Batch struct {
	Topic  string
	Events []transcript.Event // of a space; the receiver must not change them
	Raw    []jsontext.Value   // of the app
	Gap    bool               // events before the next batch were lost
}

// Next blocks until there is a batch and returns it. Errors: that of ctx, and ErrClosed.
func (s *Subscription) Next(ctx context.Context) (Batch, error) {
	for {
		if b, ok := s.take(); ok {
			return b, nil
		}
		select {
		case <-s.more:
		case <-s.done:
			return Batch{}, ErrClosed
		case <-ctx.Done():
			return Batch{}, ctx.Err()
		}
	}
}
