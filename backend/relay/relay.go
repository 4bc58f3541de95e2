// Package relay hands committed events out to whoever watches a topic: one topic per
// space, and "app".
//
// What it promises:
//
//   - Order. A subscription gets the batches of its topic in the order of Publish.
//   - Nothing is lost silently. A subscription holds at most its buffer (1 MiB). When it
//     is full, Publish waits for it, at most 50 ms in all; then what it holds
//     is dropped and its next batch is a gap, which means: read the snapshot, or what came
//     since, from the store. What is published after the gap was taken follows it.
//   - Back-pressure. Since Publish waits, a subscriber that is a little slow slows the agent
//     down; one that is still costs 50 ms once.
//
// Events must be committed before they are published: then whatever a gap has swallowed
// is in the store. The relay stores nothing, starts no goroutine (the [Pump] has one) and
// never looks into events.
package relay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// AppTopic carries what changes outside the spaces; its events are not journaled.
const AppTopic = "app"

// SpaceTopic is the topic of a space's events.
func SpaceTopic(spaceID string) string { return "space:" + spaceID }

// ErrClosed is what Next answers when the subscription or the relay is closed.
var ErrClosed = errors.New("the subscription is closed")

const (
	bufferBytes = 1 << 20
	timeout     = 50 * time.Millisecond
)

// Options change the bounds, for tests. Zero fields take the defaults.
type Options struct {
	Buffer  int           // bytes of JSON that a subscription holds, 1 MiB
	Timeout time.Duration // how long one Publish waits, 50 ms
}

// Relay connects publishers and subscribers. All methods are safe for concurrent use.
type Relay struct {
	opt    Options
	mu     sync.Mutex
	topics map[string]*topic
	closed bool
}

// topic is there while someone subscribes to it.
type topic struct {
	publish sync.Mutex // one Publish at a time, so that all subscribers see one order
	subs    map[*Subscription]struct{}
}

// New makes a relay.
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

// Publish hands the events of one commit to the subscribers of a topic. It blocks while
// one of them is full, at most 50 ms.
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

// PublishRaw hands out events of the app, each a JSON object.
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
	w := waiter{left: r.opt.Timeout}
	defer w.stop()
	for _, s := range subs {
		s.put(b, size, &w)
	}
}

// waiter is the time that one Publish may wait for all its subscribers.
type waiter struct {
	left  time.Duration
	timer *time.Timer
}

// expired returns the channel that fires when the timeout has passed; the time runs from the
// first call.
func (w *waiter) expired() <-chan time.Time {
	if w.timer == nil {
		w.timer = time.NewTimer(w.left)
	}
	return w.timer.C
}

func (w *waiter) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// Subscribe starts to collect what is published on a topic from now on. Close ends it.
func (r *Relay) Subscribe(name string) *Subscription { return r.subscribe(name, nil) }

// subscribe: told, if not nil, is called after something was added; it must not block.
func (r *Relay) subscribe(name string, told func()) *Subscription {
	s := &Subscription{
		r: r, topic: name, limit: r.opt.Buffer, told: told,
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

// Batch is what was published in one go, or a gap.
type Batch struct {
	Topic  string
	Events []transcript.Event // of a space; the receiver must not change them
	Raw    []jsontext.Value   // of the app
	Gap    bool               // something is missing before what follows
}

// Next returns the next batch. It blocks until there is one; its errors are ctx's and ErrClosed.
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
