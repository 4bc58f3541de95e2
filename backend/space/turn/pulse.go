package turn

import (
	"time"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// Pulse tracks the first sign of life that an agent must send after a prompt. The zero value waits for none. It is
// used in steps of the run's space.
type Pulse struct{ waits *prompted }

type prompted struct{ release func() }

// Expect begins to wait for a sign of life for a prompt that is about to be sent. release is returned by the
// [Pulse.Beat] that ends the wait. missing reports whether there has been none yet.
func (p *Pulse) Expect(release func()) (missing func() bool) {
	now := &prompted{release}
	p.waits = now
	return func() bool { return p.waits == now }
}

// Beat records a sign of life. It returns the function passed to Expect, or nil if none was expected.
func (p *Pulse) Beat() (release func()) {
	if p.waits == nil {
		return nil
	}
	release, p.waits = p.waits.release, nil
	return release
}

// Silence returns the message about an agent that has shown no sign of life for a while.
func Silence(agent string, limit time.Duration) fault.Said {
	return fault.Say("{{agent}} has shown nothing for {{time}} since the prompt. It may still be working. If not, stop it and try again; the protocol log shows what was sent.", agent, quantity.Seconds(limit))
}
