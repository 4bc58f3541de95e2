package transcript

import (
	"reflect"
	"slices"
)

// held is what is in an outbox since the start of a call whose input is not known yet. Agents often show a call and tell its input in the next message:
// the start waits for that, so that who reads the events finds the input where the call begins.
type held struct {
	starts []*ToolCallStart // that wait; none: nothing is held
	fresh  []*ToolCallStart // all that take what is told next about their calls
	// How much was in the box before the first of them.
	bodies, blobs, superseded, bytes int
}

// begin notes what is in the box before the start of a call that is about to be added.
func (o *Outbox) begin() {
	if o.Holds() {
		return
	}
	o.seal()
	h := &o.held
	h.bodies, h.blobs, h.superseded, h.bytes = len(o.out.Bodies), len(o.out.Blobs), len(o.out.Superseded), o.bytes
}

// hold takes the start of a call, and lets it wait for its input if that is not known. It reports false if it doesn't wait.
func (o *Outbox) hold(b *ToolCallStart) bool {
	waits := b.InputRef == nil && NoArguments(b.Input)
	if waits && !o.Holds() {
		o.held.fresh = nil // those before it may go without what comes now
	}
	o.held.fresh = append(o.held.fresh, b)
	if waits {
		o.held.starts = append(o.held.starts, b)
	}
	return waits
}

// NoArguments reports whether an input has no arguments, as that of many calls before they are known.
func NoArguments(input []byte) bool {
	switch string(input) {
	case "", "null", "{}", "[]", `""`:
		return true
	}
	return false
}

// Holds reports whether the start of a call in the box waits for its input. Whoever empties the box lets it wait no longer than a frame.
func (o *Outbox) Holds() bool { return len(o.held.starts) > 0 }

// Ready reports whether something is in the box before what is held.
func (o *Outbox) Ready() bool { return o.Holds() && o.held.bodies > 0 }

// TakeReady returns what is in the box before what is held, and leaves the rest.
func (o *Outbox) TakeReady() Output {
	if !o.Holds() {
		return o.Take()
	}
	h := &o.held
	out := Output{Bodies: o.out.Bodies[:h.bodies:h.bodies], Blobs: o.out.Blobs[:h.blobs:h.blobs], Superseded: o.out.Superseded[:h.superseded:h.superseded]}
	o.out = Output{Bodies: o.out.Bodies[h.bodies:], Blobs: o.out.Blobs[h.blobs:], Superseded: o.out.Superseded[h.superseded:]}
	o.bytes -= h.bytes
	o.urgent = false
	h.bodies, h.blobs, h.superseded, h.bytes = 0, 0, 0, 0
	return out
}

// Release lets nothing wait any longer.
func (o *Outbox) Release() {
	if o.Holds() {
		o.hurry()
	}
}

// intoStart takes what an update says into the start of its call, if nobody has seen that and it waits, or is the last in the box. Whole says that an
// input is complete, for all that is known. It returns what is left to be said, nil for nothing.
func (o *Outbox) intoStart(b *ToolCallUpdate, whole bool) *ToolCallUpdate {
	s := o.unseen(b.At)
	if s == nil {
		return b
	}
	if b.ToolName != nil {
		s.ToolName, s.NameDerived = *b.ToolName, b.NameDerived
	}
	if b.Title != nil {
		s.Title, s.TitleRef = *b.Title, b.TitleRef
	}
	if b.Kind != nil {
		s.Kind = *b.Kind
	}
	if b.Status != nil {
		s.Status = *b.Status
	}
	if b.ParentToolCallID != nil {
		s.ParentToolCallID = *b.ParentToolCallID
	}
	if b.Content != nil || b.ContentRef != nil {
		s.Content, s.ContentRef = nil, b.ContentRef
		if b.Content != nil {
			s.Content = *b.Content
		}
	}
	if b.Locations != nil || b.LocationsRef != nil {
		s.Locations, s.LocationsRef = nil, b.LocationsRef
		if b.Locations != nil {
			s.Locations = *b.Locations
		}
	}
	if b.Visibility != "" {
		s.Visibility = shown(b.Visibility)
	}
	rest := &ToolCallUpdate{
		At: b.At, ToolCallID: b.ToolCallID, Output: b.Output, OutputRef: b.OutputRef, Exit: b.Exit, Summary: b.Summary, ResultCount: b.ResultCount, Error: b.Error,
		StartedAt: b.StartedAt, Drawn: b.Drawn,
	}
	switch {
	case b.Input == nil && b.InputRef == nil:
	case whole:
		o.dropInput(s.At)
		s.Input, s.InputRef = b.Input, b.InputRef
		o.known(s)
	default: // it may still grow
		rest.Input, rest.InputRef = b.Input, b.InputRef
	}
	if rest.empty() {
		return nil
	}
	return rest
}

// empty reports whether an update says nothing.
func (b *ToolCallUpdate) empty() bool {
	return reflect.DeepEqual(b, &ToolCallUpdate{At: b.At, ToolCallID: b.ToolCallID})
}

// unseen returns the start of a call that is in the box and takes what is told next about the call, nil if there is none.
func (o *Outbox) unseen(at At) *ToolCallStart {
	for _, s := range o.held.fresh {
		if s.At == at {
			return s
		}
	}
	return nil
}

// known lets a start that has got its input wait no longer. When none does, they go out.
func (o *Outbox) known(s *ToolCallStart) {
	i := slices.Index(o.held.starts, s)
	if i < 0 || s.InputRef == nil && NoArguments(s.Input) {
		return
	}
	if o.held.starts = slices.Delete(o.held.starts, i, i+1); !o.Holds() {
		o.urgent = true
	}
}

// dropInput removes what the box says about the input of a call whose start is there and says it now.
func (o *Outbox) dropInput(at At) {
	o.seal()
	o.out.Bodies = slices.DeleteFunc(o.out.Bodies, func(body Body) bool {
		switch b := body.(type) {
		case *ToolInputDelta:
			return b.At == at
		case *ToolCallUpdate:
			if b.At == at && (b.Input != nil || b.InputRef != nil) {
				b.Input, b.InputRef = nil, nil
				return b.empty()
			}
		}
		return false
	})
}

// settleStarts gives the starts that still wait the inputs that were told behind them, unless these have grown.
func (o *Outbox) settleStarts() {
	starts := o.held.starts
	o.held.starts = nil
	for _, s := range starts {
		var input *ToolCallUpdate
		for _, body := range o.out.Bodies {
			switch b := body.(type) {
			case *ToolInputDelta:
				if b.At == s.At {
					input = nil
				}
			case *ToolCallUpdate:
				if b.At == s.At && (b.Input != nil || b.InputRef != nil) {
					input = b
				}
			}
		}
		if input != nil && !o.grows {
			told, ref := input.Input, input.InputRef
			o.dropInput(s.At)
			s.Input, s.InputRef = told, ref
		}
	}
}
