package owner

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/store"
	"weft/backend/store/events"
)

// Outside is the real [World], with a store, goroutines and timers.
type Outside struct {
	Store *store.Store
	Go    func(func()) // starts a goroutine that the app waits for when it ends
	Now   func() time.Time
	Log   zerolog.Logger
}

// Append implements [World].
func (o Outside) Append(req events.Append, done func(error)) {
	o.Go(func() {
		_, err := o.Store.Events.Append(context.Background(), req)
		done(err)
	})
}

// Probe implements [World].
func (o Outside) Probe(done func(error)) {
	o.Go(func() {
		done(o.Store.Meta.Set(context.Background(), "writable", strconv.FormatInt(o.Now().UnixMilli(), 10)))
	})
}

// After implements [World].
func (o Outside) After(d time.Duration, do func()) { time.AfterFunc(d, do) }

// Run implements [World].
func (o Outside) Run(do func()) { o.Go(do) }

// Wait implements [World].
func (o Outside) Wait(cond *sync.Cond) { cond.Wait() }

// Panicked implements [World].
func (o Outside) Panicked(spaceID string, p any) {
	o.Log.Error().Str("space", spaceID).Str("panic", fmt.Sprint(p)).Bytes("stack", debug.Stack()).Msg("an effect of a space failed")
}

// Settle waits up to grace for all tasks, and reports whether they have ended.
func Settle(tasks *sync.WaitGroup, grace time.Duration) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		tasks.Wait()
	}()
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-done:
		return true
	case <-wait.C:
		return false
	}
}
