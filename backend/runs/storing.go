package runs

import (
	"context"
	"errors"
	"time"

	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/permissions"
	"weft/backend/transcript"
)

// storing is how what happens in a space gets stored: in order, one batch at a time, and before anything follows from it. The next batch gathers
// meanwhile. What cannot be stored (a full disk) is tried again every second; agents are not read then, so that no more than a batch and what the
// user did before pile up.
type storing struct {
	box       transcript.Outbox
	decisions []permissions.Decision // about permissions, for the next batch
	then      []func()               // what follows once the next batch is stored
	writer    *transcript.Turns

	flight  *batch // that is being stored, or could not be
	trouble error  // why it could not
	wanted  bool   // the next batch is to follow at once
	lost    bool   // the space is gone: nothing is stored any more

	last func() // what follows once the last batch is stored, or could not be

	command  *command   // that is being carried out
	commands []*command // that wait

	flushed  time.Time // when the last batch was stored
	urgentAt time.Time // since when something urgent is waiting, zero if nothing is
	armed    bool      // the frame timer is running
}

// batch is what is stored in one commit.
type batch struct {
	req  events.Append
	then []func()
}

// retryEvery is how often what cannot be stored is tried again.
const retryEvery = time.Second

// flush has what is in the outbox stored as soon as what is being stored is. The lock is held.
func (r *room) flush() {
	switch {
	case r.box.Empty() && len(r.decisions) == 0:
	case r.flight != nil:
		r.wanted = true
	default:
		r.launch()
	}
}

// launch has what is in the outbox stored. The lock is held, and nothing is being stored.
func (r *room) launch() {
	out := r.box.Take()
	b := &batch{then: r.then, req: events.Append{
		SpaceID: r.id, At: r.m.now(), Decisions: r.decisions, Bodies: out.Bodies, Blobs: out.Blobs, Superseded: out.Superseded,
	}}
	if r.writer != nil && r.writer.Current() != nil {
		b.req.MessageID = r.writer.Current().ID
	}
	r.urgentAt, r.wanted, r.then, r.decisions = time.Time{}, false, nil, nil
	if r.lost {
		r.follow(b)
		return
	}
	r.flight = b
	r.store(b)
}

// store begins to store the batch that is in flight. The lock is held.
func (r *room) store(b *batch) {
	r.begin(func() {
		r.w.append(b.req, func(err error) { r.insideStep(func() { r.stored(b, err) }) })
	})
}

// stored takes the end of a commit. The lock is held.
func (r *room) stored(b *batch, err error) {
	if r.flight != b {
		return
	}
	var own *store.Error
	gone := errors.As(err, &own) && (own.Code == store.CodeNotFound || own.Code == store.CodeClosed)
	if c := r.command; err != nil && c != nil && c.stage == saving && !c.final {
		r.flight = nil // nothing of it has happened
		if c.undo != nil {
			c.undo()
		}
		if gone {
			r.lost, err = true, errClosing
		}
		r.ended(c, notSaved(err))
		return
	}
	if gone {
		r.lost = true
		r.m.opt.Log.Warn().Err(err).Str("space", r.id).Msg("events came after their space was gone")
	} else if err != nil {
		r.failed(err)
		return
	}
	r.flight, r.flushed = nil, r.m.opt.Now()
	if r.trouble != nil {
		r.trouble = nil
		r.effect(func() { r.m.opt.OnTrouble(nil) })
	}
	r.follow(b)
	if r.wanted {
		r.launch()
	} else {
		r.pace(false)
	}
	if c := r.command; c != nil {
		r.advance(c)
	}
	r.lastStored()
	r.cond.Broadcast()
}

func (r *room) follow(b *batch) {
	for _, do := range b.then {
		r.effect(do)
	}
}

// failed keeps the batch in flight for another try. The lock is held.
func (r *room) failed(err error) {
	if r.trouble == nil {
		r.m.opt.Log.Error().Err(err).Str("space", r.id).Msg("events could not be stored; they are kept and tried again")
		r.effect(func() { r.m.opt.OnTrouble(err) })
	}
	r.trouble = err
	b := r.flight
	r.w.after(retryEvery, func() {
		r.insideStep(func() {
			if r.flight == b && r.trouble != nil {
				r.store(b)
			}
		})
	})
	if c := r.command; c != nil {
		r.advance(c)
	}
	r.lastStored()
}

// after has something done once everything that has happened until now is stored: at once where it is. The lock is held.
func (r *room) after(do func()) {
	switch {
	case r.lost:
		r.effect(do)
	case !r.box.Empty() || len(r.decisions) > 0:
		r.then = append(r.then, do)
	case r.flight != nil:
		r.flight.then = append(r.flight.then, do)
	default:
		r.effect(do)
	}
}

// afterwards has a step happen once everything that has happened until now is stored. The lock is held.
func (r *room) afterwards(step func()) {
	r.after(func() { r.step(step) })
}

// unstored returns a channel that is closed once everything that has happened until now is stored. The lock is held.
func (r *room) unstored() <-chan struct{} {
	done := make(chan struct{})
	r.after(func() { close(done) })
	r.flush()
	return done
}

// settled waits until everything that has happened until now is stored, or ctx ends. The lock must not be held.
func (r *room) settled(ctx context.Context) error {
	r.Lock()
	stored := r.unstored()
	r.Unlock()
	return await(ctx, stored)
}

// await waits until done is closed, or ctx ends.
func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// later has a step happen after d. The lock is held.
func (r *room) later(d time.Duration, step func()) {
	r.w.after(d, func() { r.step(step) })
}

// full reports whether so much waits to be stored that agents are not read any further. The lock is held.
func (r *room) full() bool { return !r.lost && (r.trouble != nil || r.box.Size() >= flushBytes) }

// pace has stored what has to be stored now, and sees to the rest. The lock is held.
func (r *room) pace(more bool) {
	if r.box.Empty() {
		return
	}
	now := r.m.opt.Now()
	switch {
	case r.box.Size() >= flushBytes:
		r.flush()
	case r.box.Urgent():
		if r.urgentAt.IsZero() {
			r.urgentAt = now
		}
		if !more || now.Sub(r.urgentAt) >= urgentWait {
			r.flush()
		}
	case now.Sub(r.flushed) >= frame:
		r.flush()
	case !r.armed:
		r.armed = true
		r.later(frame-now.Sub(r.flushed), func() {
			r.armed = false
			r.flush()
		})
	}
}

// abandonUnstored makes no further attempt to store what could not be. The lock is held.
func (r *room) abandonUnstored() {
	if r.flight != nil || !r.box.Empty() {
		r.m.opt.Log.Error().Str("space", r.id).Msg("events could not be stored before the session ended")
	}
	r.lost = true
	if b := r.flight; b != nil {
		r.flight = nil
		r.follow(b)
	}
	for _, do := range r.then {
		r.effect(do)
	}
	r.then = nil
	if c := r.command; c != nil {
		r.ended(c, errClosing)
	}
	r.cond.Broadcast()
}
