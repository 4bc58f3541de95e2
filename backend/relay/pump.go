package relay

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

const (
	creditUnits  = 256 << 10
	payloadUnits = 8 << 10
)

// Pump sends what happens on the watched topics to one page, as payloads
//
//	{"topic":"space:ID","events":[…]}   {"topic":"space:ID","gap":true}
//
// through a sink that one goroutine calls, one payload at a time. Payloads hold as many
// events as fit into 8 KB, a single larger event has one of its own. No more than 256 KB are under way:
// the page acknowledges what it has handled. While it does not, the pump takes nothing from
// its subscriptions; they fill up, slow down the publishers a little, and then have a gap.
//
// Sizes are counted in UTF-16 units, as payload.length does in the page. A page that counts bytes
// acknowledges more than that, which is forgiven.
type Pump struct {
	r    *Relay
	sink func(payload string)

	mu      sync.Mutex
	watches map[string]*watch
	turn    []*watch // in the order in which they are served
	unacked int
	wake    chan struct{}
	closing chan struct{}
	once    sync.Once
	stopped chan struct{}
}

// watch is a topic that the page follows.
type watch struct {
	sub        *Subscription
	epoch, seq int64              // of the last event that was sent
	rest       []transcript.Event // taken, not sent
	raw        []jsontext.Value   // likewise
	ended      bool
}

// NewPump starts a pump. Close stops it.
func NewPump(r *Relay, sink func(payload string)) *Pump {
	p := &Pump{r: r, sink: sink, watches: map[string]*watch{}, wake: make(chan struct{}, 1), closing: make(chan struct{}), stopped: make(chan struct{})}
	go p.run()
	return p
}

// Since returns the events of a space after a sequence number, or that they are no longer kept.
type Since func() (events []transcript.Event, reset bool, err error)

// Watch follows a topic, from scratch if it is followed already. For a space, since answers the events
// after (epoch, seq), which is where the page is; it is called once, after the subscription has
// begun, so nothing falls between. If it has no answer, the page gets a gap. For "app" since is nil.
// After a gap of a space nothing more is sent of it until it is watched again.
func (p *Pump) Watch(topic string, epoch, seq int64, since Since) error {
	w := &watch{epoch: epoch, seq: seq}
	w.sub = p.r.subscribe(topic, func() { signal(p.wake) })
	reset := false
	if since != nil {
		var err error
		if w.rest, reset, err = since(); err != nil {
			w.sub.Close()
			return err
		}
	}
	if reset {
		w.sub.lose()
	}
	p.mu.Lock()
	old := p.watches[topic]
	p.watches[topic] = w
	if old != nil {
		old.ended = true
	}
	p.turn = append(p.turn, w)
	p.mu.Unlock()
	if old != nil {
		old.sub.Close()
	}
	signal(p.wake)
	return nil
}

// Unwatch ends a topic.
func (p *Pump) Unwatch(topic string) {
	p.mu.Lock()
	w := p.watches[topic]
	delete(p.watches, topic)
	if w != nil {
		w.ended = true
	}
	p.mu.Unlock()
	if w != nil {
		w.sub.Close()
		signal(p.wake) // to drop it
	}
}

// Ack tells that the page has handled payloads of n units.
func (p *Pump) Ack(n int) {
	p.mu.Lock()
	p.unacked = max(p.unacked-max(n, 0), 0)
	p.mu.Unlock()
	signal(p.wake)
}

// Reset forgets all watches and what is under way: the page was loaded again.
func (p *Pump) Reset() {
	p.mu.Lock()
	watches := p.watches
	p.watches, p.unacked = map[string]*watch{}, 0
	for _, w := range watches {
		w.ended = true
	}
	p.mu.Unlock()
	for _, w := range watches {
		w.sub.Close()
	}
	signal(p.wake)
}

// Close stops the pump and waits for the sink to return. It must not be called by the sink.
func (p *Pump) Close() {
	p.once.Do(func() { close(p.closing) })
	<-p.stopped
	p.Reset()
}

func (p *Pump) run() {
	defer close(p.stopped)
	for {
		select {
		case <-p.closing:
			return
		default:
		}
		payload, ok := p.next()
		if !ok {
			select {
			case <-p.wake:
			case <-p.closing:
				return
			}
			continue
		}
		p.sink(payload)
	}
}

// next returns the next payload, if there is credit and something to send. The topics
// take turns.
func (p *Pump) next() (payload string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unacked >= creditUnits {
		return "", false
	}
	for n := len(p.turn); n > 0; n-- {
		w := p.turn[0]
		p.turn = p.turn[1:]
		if w.ended {
			continue
		}
		b := w.payload()
		if !w.ended {
			p.turn = append(p.turn, w)
		} else if p.watches[w.sub.topic] == w {
			delete(p.watches, w.sub.topic)
			w.sub.Close()
		}
		if b != nil {
			p.unacked += units(b)
			return string(b), true
		}
	}
	return "", false
}
