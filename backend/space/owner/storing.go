package owner

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/store/db"
)

// Limits of [Owner.Pace].
const (
	Frame      = 16 * time.Millisecond // the longest that a delta waits
	urgentWait = time.Millisecond      // the longest that an urgent event waits while more events arrive
	flushBytes = 64 << 10              // a batch of this size is stored at once
)

// retryEvery is the interval between attempts to store a batch that failed.
const retryEvery = time.Second

// Options configure an [Owner].
type Options[S any] struct {
	SpaceID string
	World   World
	// Look returns a snapshot of the space. It is called with the lock held, except once by [New].
	Look func() *S
	Now  func() time.Time
	// OnTrouble is called with the error when events can't be stored, and with nil when they can be again. It is
	// called without the lock and must not block.
	OnTrouble func(err error)
	Log       zerolog.Logger
}

// ErrClosing is the error of commands that arrive while their space is being closed.
var ErrClosing = fault.New("closing", "This space is being closed.")

// Owner runs the steps of a space and stores its events: in order, one batch at a time, and before the effects that
// depend on them. The next batch collects meanwhile. A batch that can't be stored (disk full) is retried every
// second. Agents aren't read until it is stored, so only one batch and the user's earlier commands pile up.
type Owner[S any] struct {
	Steps[S]
	Unsaved

	opt Options[S]

	flight  *batch // the batch that is being stored or retried
	trouble error  // why the last attempt to store it failed
	wanted  bool   // store the next batch right after this one
	lost    bool   // nothing is stored anymore: the space is gone or closed
	last    func() // runs once the last batch is stored or given up

	command  *Command   // the current one
	commands []*Command // queued

	rhythm
}

// rhythm is the state of [Owner.Pace].
type rhythm struct {
	flushed  time.Time // when the last batch was stored
	urgentAt time.Time // since when an urgent event has been waiting, zero: none is
	armed    bool      // the frame timer is running
	heldAt   time.Time // since when a call's start has been waiting for its input, zero: none is
}

// New returns the owner of a space with nothing to store.
func New[S any](opt Options[S]) *Owner[S] {
	o := &Owner[S]{opt: opt}
	o.init(opt.World, opt.Look, func(p any) { opt.World.Panicked(opt.SpaceID, p) })
	return o
}

// Flush stores the outbox now, or right after the batch that is being stored. The lock is held.
func (o *Owner[S]) Flush() {
	switch {
	case o.empty():
	case o.flight != nil:
		o.wanted = true
	default:
		o.launch(false)
	}
}

// launch starts storing the outbox; if ready is set, without the events that are held back. The lock is held, and no
// batch is in flight.
func (o *Owner[S]) launch(ready bool) {
	b := o.take(ready)
	if !ready {
		o.heldAt = time.Time{}
	}
	b.req.SpaceID, b.req.At = o.opt.SpaceID, o.opt.Now().UnixMilli()
	o.urgentAt, o.wanted = time.Time{}, false
	if o.lost {
		o.effectAll(b.then)
		return
	}
	o.flight = b
	o.store(b)
}

// store starts storing the batch in flight. The lock is held.
func (o *Owner[S]) store(b *batch) {
	o.begin(func() {
		o.world.Append(b.req, func(err error) { o.InsideStep(func() { o.stored(b, err) }) })
	})
}

// stored handles the result of a commit. The lock is held.
func (o *Owner[S]) stored(b *batch, err error) {
	if o.flight != b {
		return
	}
	var own *fault.Error
	gone := errors.As(err, &own) && (own.Code == db.CodeNotFound || own.Code == db.CodeClosed)
	if c := o.command; err != nil && c != nil && c.stage == saving && !c.Final {
		o.flight = nil // nothing was stored
		if c.undo != nil {
			c.undo()
		}
		if gone {
			o.lost, err = true, ErrClosing
		}
		o.ended(c, notSaved(err))
		o.lastStored()
		return
	}
	if gone {
		o.lost = true
		o.opt.Log.Warn().Err(err).Str("space", o.opt.SpaceID).Msg("events came after their space was gone")
	} else if err != nil {
		o.failed(err)
		return
	}
	o.flight, o.flushed = nil, o.opt.Now()
	if o.trouble != nil {
		o.trouble = nil
		o.Effect(func() { o.opt.OnTrouble(nil) })
	}
	o.effectAll(b.then)
	if o.wanted {
		o.launch(false)
	} else {
		o.Pace(false)
	}
	if c := o.command; c != nil {
		o.advance(c)
	}
	o.lastStored()
	o.cond.Broadcast()
}

// failed keeps the batch in flight and schedules a retry. The lock is held.
func (o *Owner[S]) failed(err error) {
	if o.trouble == nil {
		o.opt.Log.Error().Err(err).Str("space", o.opt.SpaceID).Msg("events could not be stored; they are kept and tried again")
		o.Effect(func() { o.opt.OnTrouble(err) })
	}
	o.trouble = err
	b := o.flight
	o.world.After(retryEvery, func() {
		o.InsideStep(func() {
			if o.flight == b && o.trouble != nil {
				o.store(b)
			}
		})
	})
	if c := o.command; c != nil {
		o.advance(c)
	}
	o.lastStored()
}

// Trouble returns why events can't be stored at the moment, or nil. The lock is held.
func (o *Owner[S]) Trouble() error { return o.trouble }

// After queues do as an effect once all events so far are stored: at once if they already are. The lock is held.
func (o *Owner[S]) After(do func()) {
	switch {
	case o.lost:
		o.Effect(do)
	case !o.empty():
		o.Box.Release()
		o.then = append(o.then, do)
	case o.flight != nil:
		o.flight.then = append(o.flight.then, do)
	default:
		o.Effect(do)
	}
}

// Afterwards runs step as a step once all events so far are stored. The lock is held.
func (o *Owner[S]) Afterwards(step func()) {
	o.After(func() { o.Step(step) })
}

// Unstored flushes, and returns a channel that is closed once all events so far are stored. The lock is held.
func (o *Owner[S]) Unstored() <-chan struct{} {
	done := make(chan struct{})
	o.After(func() { close(done) })
	o.Flush()
	return done
}

// Settled waits until all events so far are stored, or ctx ends. The lock must not be held.
func (o *Owner[S]) Settled(ctx context.Context) error {
	o.Lock()
	stored := o.Unstored()
	o.Unlock()
	return Await(ctx, stored)
}

// Await waits until done is closed. If ctx ends first, it returns the cause.
func Await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Full reports whether so much is waiting to be stored that agents must not be read further. The lock is held.
func (o *Owner[S]) Full() bool { return !o.lost && (o.trouble != nil || o.Box.Size() >= flushBytes) }

// Pace stores urgent events now, and others at most a [Frame] after the previous batch. The start of a call waits up
// to a Frame for its input. If more is set, further events are about to arrive, and urgent ones may wait briefly for
// them. The lock is held.
func (o *Owner[S]) Pace(more bool) {
	if o.Box.Empty() {
		return
	}
	now := o.opt.Now()
	o.hold(now)
	switch {
	case o.Box.Size() >= flushBytes:
		o.Flush()
	case o.Box.Holds():
		if o.Box.Ready() && o.flight == nil {
			o.launch(true)
		}
	case o.Box.Urgent():
		if o.urgentAt.IsZero() {
			o.urgentAt = now
		}
		if !more || now.Sub(o.urgentAt) >= urgentWait {
			o.Flush()
		}
	case now.Sub(o.flushed) >= Frame:
		o.Flush()
	case !o.armed:
		o.armed = true
		o.Later(Frame-now.Sub(o.flushed), func() {
			o.armed = false
			o.Flush()
		})
	}
}

// hold lets the start of a call wait up to a [Frame] for its input. The lock is held.
func (o *Owner[S]) hold(now time.Time) {
	switch {
	case !o.Box.Holds():
		o.heldAt = time.Time{}
	case o.heldAt.IsZero():
		o.heldAt = now
		o.Later(Frame, func() {
			if o.heldAt.Equal(now) {
				o.heldAt = time.Time{}
				o.Flush()
			}
		})
	}
}

// Finish queues then as an effect once all events are stored or the store has refused them. Refused and later events
// are dropped. The lock is held.
func (o *Owner[S]) Finish(then func()) {
	o.last = then
	o.lastStored()
}

// lastStored completes [Owner.Finish] once nothing more can be stored. The lock is held.
func (o *Owner[S]) lastStored() {
	if o.last == nil {
		return
	}
	if o.Flush(); o.flight != nil && o.trouble == nil {
		return
	}
	then := o.last
	o.last = nil
	o.abandonUnstored()
	o.Effect(then)
}

// abandonUnstored drops the events that couldn't be stored, and still runs the effects that waited for them. The lock
// is held.
func (o *Owner[S]) abandonUnstored() {
	if o.flight != nil || !o.Box.Empty() {
		o.opt.Log.Error().Str("space", o.opt.SpaceID).Msg("events could not be stored before the session ended")
	}
	o.lost = true
	if b := o.flight; b != nil {
		o.flight = nil
		o.effectAll(b.then)
	}
	o.effectAll(o.then)
	o.then = nil
	if c := o.command; c != nil {
		o.ended(c, ErrClosing)
	}
	o.cond.Broadcast()
}
