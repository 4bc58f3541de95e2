package turn

import (
	"time"

	"weft/backend/fault"
	"weft/backend/quantity"
)

// Pulse is the first sign of life after a prompt, which an agent owes. The zero value waits for none. It is used in steps of the run's space.
type Pulse struct{ waits *prompted }

type prompted struct{ release func() }

// Expect begins to wait for a sign of life of a prompt that is about to be sent, and returns what says whether that prompt has had none. release is what
// follows it.
func (p *Pulse) Expect(release func()) (missing func() bool) {
	now := &prompted{release}
	p.waits = now
	return func() bool { return p.waits == now }
}

// Beat notes a sign of life. It returns what follows, nil if none was waited for.
func (p *Pulse) Beat() (release func()) {
	if p.waits == nil {
		return nil
	}
	release, p.waits = p.waits.release, nil
	return release
}

// Silence returns what the user reads of an agent that has shown no sign of life for a while.
func Silence(agent string, limit time.Duration) fault.Said {
	return fault.Say("{{agent}} has shown nothing for {{time}} since the prompt. It may still be working. If not, stop it and try again; the protocol log shows what was sent.", agent, quantity.Seconds(limit))
}
