package owner

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/fault"
	"weft/backend/store/db"
)

// The rhythm of commits.
const (
	Frame      = 16 * time.Millisecond // the longest that a delta waits
	urgentWait = time.Millisecond      // the longest that anything else waits behind a flood
	flushBytes = 64 << 10              // what is committed at once at the latest
)

// retryEvery is how often what cannot be stored is tried again.
const retryEvery = time.Second

// Options is what an owner needs from outside.
type Options[S any] struct {
	SpaceID string
	World   World
	// Look returns what the space is doing. It is called with the lock held, and once by [New].
	Look func() *S
	Now  func() time.Time
	// OnTrouble is called when events cannot be stored (err) and when they can again (nil), without the lock. It must not block.
	OnTrouble func(err error)
	Log       zerolog.Logger
}

// ErrClosing is the error of what comes too late, because its space is being closed.
var ErrClosing = fault.New("closing", "This space is being closed.")

// Owner is the steps of a space, and how what happens in it gets stored: in order, one batch at a time, and before anything follows from it. The next
// batch gathers meanwhile. What cannot be stored (a full disk) is tried again every second; agents are not read then, so that no more than a batch and
// what the user did before pile up.
type Owner[S any] struct {
	Steps[S]
	Unsaved

	opt Options[S]

	flight  *batch // that is being stored, or could not be
	trouble error  // why it could not
	wanted  bool   // the next batch is to follow at once
	lost    bool   // the space is gone: nothing is stored any more
	last    func() // what follows once the last batch is stored, or could not be

	command  *Command   // that is being carried out
	commands []*Command // that wait

	rhythm
}

// rhythm is when something is stored that nobody waits for.
type rhythm struct {
	flushed  time.Time // when the last batch was stored
	urgentAt time.Time // since when something urgent is waiting, zero if nothing is
	armed    bool      // the frame timer is running
	heldAt   time.Time // since when the start of a call waits for its input, zero if none does
}

// New returns the owner of a space in which nothing has happened.
func New[S any](opt Options[S]) *Owner[S] {
	o := &Owner[S]{opt: opt}
	o.init(opt.World, opt.Look, func(p any) { opt.World.Panicked(opt.SpaceID, p) })
	return o
}

// Flush has what is in the outbox stored as soon as what is being stored is. The lock is held.
func (o *Owner[S]) Flush() {
	switch {
	case o.empty():
	case o.flight != nil:
		o.wanted = true
	default:
		o.launch(false)
	}
}

// launch has what is in the outbox stored, with ready only what does not wait there. The lock is held, and nothing is being stored.
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

// store begins to store the batch that is in flight. The lock is held.
func (o *Owner[S]) store(b *batch) {
	o.begin(func() {
		o.world.Append(b.req, func(err error) { o.InsideStep(func() { o.stored(b, err) }) })
	})
}

// stored takes the end of a commit. The lock is held.
func (o *Owner[S]) stored(b *batch, err error) {
	if o.flight != b {
		return
	}
	var own *fault.Error
	gone := errors.As(err, &own) && (own.Code == db.CodeNotFound || own.Code == db.CodeClosed)
	if c := o.command; err != nil && c != nil && c.stage == saving && !c.Final {
		o.flight = nil // nothing of it has happened
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

// failed keeps the batch in flight for another try. The lock is held.
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

// Trouble returns why what happens can't be stored right now, nil where it can. The lock is held.
func (o *Owner[S]) Trouble() error { return o.trouble }

// After has something done once everything that has happened until now is stored: at once where it is. The lock is held.
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

// Afterwards has a step happen once everything that has happened until now is stored. The lock is held.
func (o *Owner[S]) Afterwards(step func()) {
	o.After(func() { o.Step(step) })
}

// Unstored returns a channel that is closed once everything that has happened until now is stored. The lock is held.
func (o *Owner[S]) Unstored() <-chan struct{} {
	done := make(chan struct{})
	o.After(func() { close(done) })
	o.Flush()
	return done
}

// Settled waits until everything that has happened until now is stored, or ctx ends. The lock must not be held.
func (o *Owner[S]) Settled(ctx context.Context) error {
	o.Lock()
	stored := o.Unstored()
	o.Unlock()
	return Await(ctx, stored)
}

// Await waits until done is closed, or ctx ends.
func Await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Full reports whether so much waits to be stored that agents are not read any further. The lock is held.
func (o *Owner[S]) Full() bool { return !o.lost && (o.trouble != nil || o.Box.Size() >= flushBytes) }

// Pace has what is urgent stored now, and the rest at the latest a [Frame] after the batch before, or after the start of a call that waits for its input. With
// more, what comes next is already there. The lock is held.
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

// hold lets the start of a call wait for its input, for a [Frame]. The lock is held.
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

// Finish has then done as an effect once all is stored that can be: what the store doesn't take by then is given up, and nothing that happens later is
// stored. The lock is held.
func (o *Owner[S]) Finish(then func()) {
	o.last = then
	o.lastStored()
}

// lastStored ends a space that is left once all is stored that can be. The lock is held.
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

// abandonUnstored makes no further attempt to store what could not be. The lock is held.
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
