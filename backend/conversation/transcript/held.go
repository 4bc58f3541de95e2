package transcript

import (
	"reflect"
	"slices"
)

// held is the tail of an outbox that begins with the start of a call whose input is unknown. Many agents announce a
// call and send its input in the next message. The start waits for that, so that readers find the input at the start of
// the call.
type held struct {
	starts []*ToolCallStart // waiting for their input; empty: nothing is held
	fresh  []*ToolCallStart // starts that can still absorb reports about their calls
	// The size of the box before the first of them.
	bodies, blobs, superseded, bytes int
}

// begin records the size of the box before the start of a call is added.
func (o *Outbox) begin() {
	if o.Holds() {
		return
	}
	o.seal()
	h := &o.held
	h.bodies, h.blobs, h.superseded, h.bytes = len(o.out.Bodies), len(o.out.Blobs), len(o.out.Superseded), o.bytes
}

// hold adds the start of a call. If the input is unknown, the start waits for it and hold returns true.
func (o *Outbox) hold(b *ToolCallStart) bool {
	waits := b.InputRef == nil && NoArguments(b.Input)
	if waits && !o.Holds() {
		o.held.fresh = nil // earlier starts may be sent without later reports
	}
	o.held.fresh = append(o.held.fresh, b)
	if waits {
		o.held.starts = append(o.held.starts, b)
	}
	return waits
}

// NoArguments reports whether an input has no arguments. Many agents send such an input before they know the real one.
func NoArguments(input []byte) bool {
	switch string(input) {
	case "", "null", "{}", "[]", `""`:
		return true
	}
	return false
}

// Holds reports whether the start of a call in the box waits for its input. The caller must not let it wait longer than
// a frame.
func (o *Outbox) Holds() bool { return len(o.held.starts) > 0 }

// Ready reports whether the box has events before the held ones.
func (o *Outbox) Ready() bool { return o.Holds() && o.held.bodies > 0 }

// TakeReady removes and returns the events before the held ones.
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

// Release stops waiting for inputs.
func (o *Outbox) Release() {
	if o.Holds() {
		o.markUrgent()
	}
}

// mergeIntoStart merges an update into the start of its call if the start is still in the box and either waits or is
// the last event. whole says that the input is complete as far as known. It returns the rest of the update, or nil.
func (o *Outbox) mergeIntoStart(b *ToolCallUpdate, whole bool) *ToolCallUpdate {
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

// empty reports whether an update changes nothing.
func (b *ToolCallUpdate) empty() bool {
	return reflect.DeepEqual(b, &ToolCallUpdate{At: b.At, ToolCallID: b.ToolCallID})
}

// unseen returns the start of a call if it is in the box and can absorb reports about the call, or nil.
func (o *Outbox) unseen(at At) *ToolCallStart {
	for _, s := range o.held.fresh {
		if s.At == at {
			return s
		}
	}
	return nil
}

// known marks a waiting start as complete. When no start waits anymore, everything in the box is due.
func (o *Outbox) known(s *ToolCallStart) {
	i := slices.Index(o.held.starts, s)
	if i < 0 || s.InputRef == nil && NoArguments(s.Input) {
		return
	}
	if o.held.starts = slices.Delete(o.held.starts, i, i+1); !o.Holds() {
		o.urgent = true
	}
}

// dropInput removes earlier inputs of a call from the box, because its start has the input now.
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

// settleStarts moves inputs that arrived after a waiting start into that start, unless they have grown.
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
