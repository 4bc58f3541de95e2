package runs

import (
	"context"
	"errors"
	"sync"
	"time"

	"weft/backend/store"
	"weft/backend/transcript"
)

// stuck appends a room's events to the store. What cannot be stored (a full disk) is
// kept in order and tried again every second; meanwhile wait blocks the reader, so that no
// more than one batch and the person's own commands pile up.
type stuck struct {
	r *room

	mu      sync.Mutex
	cond    *sync.Cond
	kept    []store.Append
	last    error    // why the first of kept can't be stored
	then    []func() // what waits until nothing is kept any more
	lost    bool     // the room was closed, or its space is gone: nothing is tried any more
	retries chan struct{}
}

const retryEvery = time.Second

func (k *stuck) init(r *room) {
	k.r = r
	k.cond = sync.NewCond(&k.mu)
}

// append stores out, or keeps it. It is called with the room's mutex held.
func (k *stuck) append(out transcript.Output, decisions []store.Decision) {
	req := k.request(out, decisions)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost {
		return
	}
	if len(k.kept) > 0 {
		k.kept = append(k.kept, req)
		return
	}
	if err := k.try(req); err != nil {
		k.r.m.opt.Log.Error().Err(err).Str("space", req.SpaceID).Msg("events could not be stored; they are kept and tried again")
		k.kept, k.last = append(k.kept, req), err
		k.r.m.opt.OnTrouble(err)
		k.retry()
	}
}

// request is what is stored of the room's outbox.
func (k *stuck) request(out transcript.Output, decisions []store.Decision) store.Append {
	req := store.Append{Decisions: decisions, SpaceID: k.r.id, At: k.r.m.now(), Bodies: out.Bodies, Blobs: out.Blobs, Superseded: out.Superseded}
	if w := k.r.writer; w != nil && w.Current() != nil {
		req.MessageID = w.Current().ID
	}
	return req
}

// now stores out, or returns why it can't be stored; then nothing of it is kept. It is called with the room's mutex held.
func (k *stuck) now(out transcript.Output) error {
	req := k.request(out, nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) > 0 {
		return k.last
	}
	if k.lost {
		return errClosing
	}
	return k.try(req)
}

// trouble returns why something that was to be stored is not, nil if all is.
func (k *stuck) trouble() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) == 0 {
		return nil
	}
	return k.last
}

// after calls do, which needs the room's mutex, once everything is stored: at once where it is. It is called with the
// room's mutex held. What is given up is not followed by anything.
func (k *stuck) after(do func()) {
	k.mu.Lock()
	if len(k.kept) > 0 {
		k.then = append(k.then, do)
		k.mu.Unlock()
		return
	}
	k.mu.Unlock()
	do()
}

// follow does what has waited until everything is stored.
func (k *stuck) follow() {
	k.r.mu.Lock()
	defer k.r.mu.Unlock()
	k.mu.Lock()
	var then []func()
	if len(k.kept) == 0 {
		then, k.then = k.then, nil
	}
	k.mu.Unlock()
	for _, do := range then {
		do()
	}
}

// try answers an error that is worth another try.
func (k *stuck) try(req store.Append) error {
	_, err := k.r.m.opt.Store.Append(context.Background(), req)
	var e *store.Error
	if errors.As(err, &e) && (e.Code == store.CodeNotFound || e.Code == store.CodeClosed) {
		k.lost = true
		k.r.m.opt.Log.Warn().Err(err).Str("space", req.SpaceID).Msg("events came after their space was gone")
		return nil
	}
	return err
}

func (k *stuck) retry() {
	stop := make(chan struct{})
	k.retries = stop
	k.r.m.tasks.Go(func() {
		tick := time.NewTicker(retryEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if k.again() {
					k.r.m.opt.OnTrouble(nil)
					k.follow()
					return
				}
			}
		}
	})
}

// again tries what is kept and reports whether nothing is left.
func (k *stuck) again() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.kept) > 0 {
		if err := k.try(k.kept[0]); err != nil {
			k.last = err
			return false
		}
		k.kept = k.kept[1:]
	}
	k.kept = nil
	k.cond.Broadcast()
	return true
}

// wait blocks while something is kept and the link lives.
func (k *stuck) wait(l *link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.kept) > 0 && !k.lost && !l.dropped.Load() {
		k.cond.Wait()
	}
}

func (k *stuck) wake() {
	k.mu.Lock()
	k.cond.Broadcast()
	k.mu.Unlock()
}

// end makes one last try and gives up what cannot be stored.
func (k *stuck) end() {
	k.again()
	k.mu.Lock()
	if len(k.kept) > 0 {
		k.r.m.opt.Log.Error().Int("batches", len(k.kept)).Msg("events could not be stored before the session ended")
	}
	k.lost = true
	if k.retries != nil {
		close(k.retries)
		k.retries = nil
	}
	k.cond.Broadcast()
	k.mu.Unlock()
}
