package transcript

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript/jsondelta"
)

// callInput is what was sent of a call's input, to which its agent may still add.
type callInput struct {
	last     jsontext.Value   // as the agent sent it last; nil after the end of the call, and where it is too large to be compared
	ref      *Ref             // of what was sent whole, where that is large
	sent     jsondelta.Object // what of last was sent in fragments
	unsent   bool             // last is in deltas only
	streamed bool             // the agent sends fragments itself
}

// same reports whether an input was sent already.
func (in *callInput) same(v jsontext.Value) bool {
	return !in.unsent && !in.streamed && in.last != nil && bytes.Equal(in.last, v)
}

// grow returns the fragment that leads from the last input to v, and remembers v. It reports false where v has to be sent whole.
func (in *callInput) grow(v jsontext.Value) (fragment []byte, ok bool) {
	fragment, ok = in.sent.Grow(in.last, v)
	if ok {
		in.last, in.unsent = v, true
	}
	return fragment, ok
}

// set replaces what was sent by v and returns v as it goes into an event.
func (in *callInput) set(o *Outbox, v jsontext.Value) (jsontext.Value, *Ref) {
	old := in.ref
	value, ref := o.value(v)
	*in = callInput{last: v, ref: ref}
	if len(v) > jsondelta.MaxSize {
		in.last = nil
	}
	o.supersede(old)
	return value, ref
}

// forget drops what is only needed to compare the next input with.
func (in *callInput) forget() { in.last, in.sent = nil, jsondelta.Object{} }

// setInput replaces the input of a call and returns it as it goes into an event.
func (c *call) setInput(o *Outbox, v jsontext.Value) (jsontext.Value, *Ref) {
	c.facts.Input(v)
	sent, ref := c.input.set(o, v)
	if c.status.Ended() {
		c.input.forget()
	}
	return sent, ref
}

// growInput writes what the input in p has grown by, nothing if it is the same. It reports false if the input has to be sent whole.
func (c *call) growInput(o *Outbox, p *ToolPatch) bool {
	if c.input.same(p.Input) {
		return true
	}
	if p.Announced || p.Status != nil && *p.Status != c.status || p.Output != nil || p.OutputDelta != "" ||
		c.status.Ended() || c.input.streamed || len(c.waits) > 0 {
		return false
	}
	fragment, ok := c.input.grow(p.Input)
	if ok {
		o.grows = true
		c.writeInput(o, string(fragment))
	}
	return ok
}

// streamInput writes a fragment of the input that the agent itself has sent.
func (c *call) streamInput(o *Outbox, fragment string) {
	c.input.streamed = true
	c.writeInput(o, fragment)
}

func (c *call) writeInput(o *Outbox, fragment string) {
	o.extend(fragment, func(b Body) bool {
		d, ok := b.(*ToolInputDelta)
		return ok && d.At == c.at
	}, func(int) Body { return &ToolInputDelta{At: c.at, ToolCallID: c.id} })
}

// settle writes the input whole if only what it has grown by was sent. Where the call ends, the input is not needed any more.
func (c *call) settle(o *Outbox, ends bool) {
	if c.input.unsent {
		b := &ToolCallUpdate{At: c.at, ToolCallID: c.id}
		b.Input, b.InputRef = c.setInput(o, c.input.last)
		o.addUpdate(b, true)
	}
	if ends {
		c.input.forget()
	}
}
