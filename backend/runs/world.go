package runs

import (
	"context"
	"strconv"
	"time"

	"weft/backend/store/events"
)

// world does for a space what takes time. None of its methods blocks; what comes of them is told to a function that is called without any lock, once.
type world interface {
	// newID makes an id that no other run, message or request has.
	newID(prefix string) string
	// append stores a batch.
	append(req events.Append, done func(error))
	// probe finds out whether the store takes anything.
	probe(done func(error))
	// after calls do after d.
	after(d time.Duration, do func())
}

// outside is the world that there is.
type outside struct{ m *Manager }

func (o outside) newID(prefix string) string { return newID(prefix) }

func (o outside) append(req events.Append, done func(error)) {
	o.m.tasks.Go(func() {
		_, err := o.m.opt.Store.Events.Append(context.Background(), req)
		done(err)
	})
}

func (o outside) probe(done func(error)) {
	o.m.tasks.Go(func() {
		done(o.m.opt.Store.Meta.Set(context.Background(), "writable", strconv.FormatInt(o.m.now(), 10)))
	})
}

func (o outside) after(d time.Duration, do func()) { time.AfterFunc(d, do) }
