package app

import (
	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/store/relay"
)

// Event is an event of the app. These events are not stored: after a gap, a frontend reads Bootstrap again.
type Event interface {
	// AppEvent returns the type of the event on the wire.
	AppEvent() string
}

// Publisher sends events on the app's topic.
type Publisher struct {
	relay  *relay.Relay
	log    zerolog.Logger
	states latest
}

// NewPublisher returns a publisher that sends through r.
func NewPublisher(r *relay.Relay, log zerolog.Logger) *Publisher {
	return &Publisher{relay: r, log: log}
}

// Send sends an event that reports an occurrence, or that something must be read again. For an event with a state, use
// [Publisher.Tell].
func (p *Publisher) Send(event Event) {
	body, err := json.Marshal(event, command.Wire)
	if err != nil {
		p.log.Error().Err(err).Str("event", event.AppEvent()).Msg("an event of the app cannot be encoded")
		return
	}
	raw := append([]byte(`{"type":"`+event.AppEvent()+`"`), ',')
	if len(body) == len("{}") {
		raw = raw[:len(raw)-1]
	}
	p.relay.PublishRaw(relay.AppTopic, append(raw, body[1:]...))
}

// Tell sends the state that read returns, or nothing if that is nil. Only one goroutine at a time reads and sends the
// state of a key, so the last event has the state after the last call. If another goroutine is at work, it reads again
// and Tell returns at once.
func (p *Publisher) Tell(key string, read func() Event) {
	p.TellIn(func(work func()) { work() }, key, read)
}

// TellIn is [Publisher.Tell] in a goroutine from start, for callers that hold a lock that read needs.
func (p *Publisher) TellIn(start func(func()), key string, read func() Event) {
	p.states.changed(key, start, func() {
		if event := read(); event != nil {
			p.Send(event)
		}
	})
}
