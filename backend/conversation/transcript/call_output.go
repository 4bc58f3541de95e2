package transcript

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript/results"
)

// callOutput records the output of a call as it was sent. References are nil unless the value is large.
type callOutput struct {
	content      []Content // with references in place of large values
	contentRef   *Ref
	locationsRef *Ref
	ref          *Ref  // of the raw output
	streamed     int64 // bytes of the output of a display-only terminal
	terminals    int   // how many terminals the call has
}

// setContent replaces the content and returns it as an event carries it.
func (out *callOutput) setContent(o *Outbox, list []Content) ([]Content, *Ref) {
	oldRef, old := out.contentRef, out.content
	out.content = o.content(list)
	sent, ref := boundedList(o, out.content)
	out.contentRef = ref
	o.supersede(oldRef)
	for i := range old {
		o.supersede(old[i].Ref)
		o.supersede(old[i].OldRef)
		o.supersede(old[i].NewRef)
	}
	return sent, ref
}

// clearContent drops the content of a call that starts again.
func (out *callOutput) clearContent(o *Outbox) {
	o.supersede(out.contentRef)
	out.content, out.contentRef = nil, nil
}

// setLocations replaces the locations and returns them as an event carries them.
func (out *callOutput) setLocations(o *Outbox, list []Location) ([]Location, *Ref) {
	old := out.locationsRef
	sent, ref := boundedList(o, list)
	out.locationsRef = ref
	o.supersede(old)
	return sent, ref
}

// set replaces the raw output and returns it as an event carries it.
func (out *callOutput) set(o *Outbox, v jsontext.Value) (jsontext.Value, *Ref) {
	old := out.ref
	sent, ref := o.value(v)
	out.ref = ref
	o.supersede(old)
	return sent, ref
}

func (c *call) setContent(o *Outbox, list []Content) ([]Content, *Ref) {
	c.facts.Content(parts(list))
	return c.output.setContent(o, list)
}

func (c *call) setLocations(o *Outbox, list []Location) ([]Location, *Ref) {
	if len(list) > 0 {
		c.facts.At(list[0].Path)
	}
	return c.output.setLocations(o, list)
}

func (c *call) setOutput(o *Outbox, v jsontext.Value) (jsontext.Value, *Ref) {
	c.facts.Output(v)
	return c.output.set(o, v)
}

// streamOutput writes a piece of the output of a display-only terminal.
func (c *call) streamOutput(o *Outbox, piece string) {
	c.output.streamed += int64(len(piece))
	c.facts.Streamed(piece)
	o.extend(piece, func(b Body) bool {
		d, ok := b.(*ToolOutputDelta)
		return ok && d.At == c.at && d.TerminalID == ""
	}, func(rest int) Body {
		return &ToolOutputDelta{At: c.at, ToolCallID: c.id, Offset: c.output.streamed - int64(rest)}
	})
}

// exit writes the end of a display-only terminal.
func (c *call) exit(o *Outbox, exit TerminalExit) {
	c.facts.Exited(exit.Code, exit.Signal)
	exit.Signal = clip.JSON(exit.Signal, 64)
	o.add(&ToolCallUpdate{At: c.at, ToolCallID: c.id, Exit: &exit})
}

// parts converts content for [results.Facts].
func parts(list []Content) iter.Seq[results.Part] {
	return func(yield func(results.Part) bool) {
		for i := range list {
			c := &list[i]
			if !yield(results.Part{Type: c.Type, Text: c.Text, Path: c.Path, OldText: c.OldText, NewText: c.NewText}) {
				return
			}
		}
	}
}
