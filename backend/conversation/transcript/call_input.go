package transcript

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript/jsondelta"
)

// callInput records how much of a call's input was sent. The agent may still add to the input.
type callInput struct {
	last     jsontext.Value   // as the agent last sent it; nil after the end of the call, or if it is too large to compare
	ref      *Ref             // the blob of the whole input, if that is large
	sent     jsondelta.Object // the part of last that was sent in fragments
	unsent   bool             // last was sent in deltas only
	streamed bool             // the agent sends fragments itself
}

// same reports whether v was already sent.
func (in *callInput) same(v jsontext.Value) bool {
	return !in.unsent && !in.streamed && in.last != nil && bytes.Equal(in.last, v)
}

// grow returns the fragment that turns the last input into v, and stores v. It returns false if v must be sent whole.
func (in *callInput) grow(v jsontext.Value) (fragment []byte, ok bool) {
	fragment, ok = in.sent.Grow(in.last, v)
	if ok {
		in.last, in.unsent = v, true
	}
	return fragment, ok
}

// set replaces the input with v and returns v as an event carries it: inline, or as a reference.
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

// forget drops the data that is only needed to compare the next input.
func (in *callInput) forget() { in.last, in.sent = nil, jsondelta.Object{} }

// setInput replaces the input of a call and returns it as an event carries it.
func (c *call) setInput(o *Outbox, v jsontext.Value) (jsontext.Value, *Ref) {
	c.facts.Input(v)
	sent, ref := c.input.set(o, v)
	if c.status.Ended() {
		c.input.forget()
	}
	return sent, ref
}

// growInput writes the new part of the input in p, or nothing if the input is the same. It returns false if the input
// must be sent whole.
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

// streamInput writes a fragment of the input that the agent itself streams.
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

// settle writes the whole input if it was sent only in deltas. When the call ends, it also drops the input.
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
