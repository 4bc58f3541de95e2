package relay

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

const (
	creditUnits  = 256 << 10
	payloadUnits = 8 << 10
)

// Pump sends the events of the watched topics to one page, in payloads
//
//	{"topic":"space:ID","events":[…]}   {"topic":"space:ID","gap":true}
//
// through a sink that one goroutine calls. A payload holds as many events as fit into 8 KB; a
// larger event gets a separate payload. At most 256 KB may be unacknowledged. Above that, the
// pump takes nothing from its subscriptions until the page calls [Pump.Ack]; they fill up, slow
// down the publishers a little, and then have a gap.
//
// Sizes are in UTF-16 code units, like payload.length in the page. A page may acknowledge more
// than it got, for instance because it counts bytes.
type Pump struct {
	r    *Relay
	sink func(payload string)

	mu      sync.Mutex
	watches map[string]*watch
	turn    []*watch // round-robin order
	unacked int
	wake    chan struct{}
	closing chan struct{}
	once    sync.Once
	stopped chan struct{}
}

// watch is a topic that the page follows.
type watch struct {
	sub        *Subscription
	epoch, seq int64              // of the last event sent
	rest       []transcript.Event // taken from sub but not sent
	raw        []jsontext.Value   // the same for events of the app
	ended      bool
}

// NewPump starts a pump. The caller must close it.
func NewPump(r *Relay, sink func(payload string)) *Pump {
	p := &Pump{r: r, sink: sink, watches: map[string]*watch{}, wake: make(chan struct{}, 1), closing: make(chan struct{}), stopped: make(chan struct{})}
	go p.run()
	return p
}

// Since returns the events of a space after a sequence number. reset reports that they are no longer stored.
type Since func() (events []transcript.Event, reset bool, err error)

// Watch starts sending the events of a topic, replacing an earlier watch of it. For a space,
// (epoch, seq) is the last event that the page has, and since returns the events after it. Watch
// calls since once, after it has subscribed, so no event is missed. If since reports reset, the
// page gets a gap. For "app", since is nil. After a gap, a space must be watched again.
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
		w.sub.dropBuffer()
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

// Unwatch stops sending the events of a topic.
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
		signal(p.wake) // so that run removes it from turn
	}
}

// Ack notes that the page has handled payloads of n units.
func (p *Pump) Ack(n int) {
	p.mu.Lock()
	p.unacked = max(p.unacked-max(n, 0), 0)
	p.mu.Unlock()
	signal(p.wake)
}

// Reset removes all watches and forgets unacknowledged payloads, because the page was reloaded.
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

// Close stops the pump and waits until the sink has returned. The sink must not call it.
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

// next returns the next payload, if there is one and the page has acknowledged enough. It serves the topics
// round-robin.
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
