package owner

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
)

// held is a world whose store takes a batch when the test says so. Its clock stands still.
type held struct {
	clock   time.Time
	batches chan func(error)
	alarms  []time.Duration
	waiting chan struct{} // takes one for each goroutine that begins to wait
}

func newHeld() *held {
	return &held{clock: time.UnixMilli(1_800_000_000_000), batches: make(chan func(error), 10), waiting: make(chan struct{}, 10)}
}

func (w *held) Append(_ events.Append, done func(error)) { w.batches <- done }
func (w *held) Probe(done func(error))                   { go done(nil) }
func (w *held) Run(do func())                            { go do() }
func (w *held) Panicked(_ string, p any)                 { panic(p) }

func (w *held) After(d time.Duration, _ func()) { w.alarms = append(w.alarms, d) }

func (w *held) Wait(cond *sync.Cond) {
	w.waiting <- struct{}{} // sent with the lock held, so whatever ends the wait comes after cond.Wait
	cond.Wait()
}

func (w *held) owner() *Owner[int] {
	return New(Options[int]{
		SpaceID: "space", World: w, Look: func() *int { return new(int) }, Log: zerolog.Nop(), OnTrouble: func(error) {},
		Now: func() time.Time { return w.clock },
	})
}

func event(id string) transcript.Body { return &transcript.RunCreated{RunID: id} }

func TestReaderContinuesOnceEverythingIsStored(t *testing.T) {
	w := newHeld()
	o := w.owner()
	o.Step(func() {
		for range flushBytes/256 + 1 {
			o.Box.Add(event("run"))
		}
		o.Flush()
		o.Box.Add(event("run"))
		for !o.Full() {
			o.Box.Add(event("run"))
		}
	})
	read := make(chan struct{})
	go func() {
		o.LockUntil(func() bool { return !o.Full() })
		defer o.Unlock()
		close(read)
	}()
	<-w.waiting
	go (<-w.batches)(nil)
	<-read
}

func TestStepContinuesOnceCommandIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ err, want error }{
		"stored":     {nil, nil},
		"disk full":  {db.Fail(db.CodeDiskFull, "The disk is full."), &fault.Error{Code: db.CodeDiskFull}},
		"space gone": {db.Fail(db.CodeNotFound, "No space found."), ErrClosing},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHeld()
			o := w.owner()
			done, stepped := make(chan error, 1), make(chan struct{})
			go func() {
				done <- o.Do(Command{Change: func() (then, undo func(), err error) {
					o.Box.Add(event("run"))
					return nil, nil, nil
				}})
			}()
			commit := <-w.batches
			go o.Step(func() { close(stepped) })
			<-w.waiting
			go commit(tt.err)
			<-stepped
			if err := <-done; fault.CodeOf(err) != fault.CodeOf(tt.want) {
				t.Errorf("the command ends with %v, want %v", err, tt.want)
			}
		})
	}
}

func TestReaderContinuesWhenItIsWoken(t *testing.T) {
	w := newHeld()
	o := w.owner()
	ready, read := false, make(chan struct{})
	go func() {
		o.LockUntil(func() bool { return ready })
		defer o.Unlock()
		close(read)
	}()
	<-w.waiting
	o.Step(func() { ready = true })
	o.Wake()
	<-read
}

func TestReaderContinuesWhenTheSpaceIsGivenUp(t *testing.T) {
	w := newHeld()
	o := w.owner()
	o.Step(func() {
		o.Box.Add(event("run"))
		o.Flush()
	})
	(<-w.batches)(db.Fail(db.CodeDiskFull, "The disk is full."))
	read, finished := make(chan struct{}), make(chan struct{})
	go func() {
		o.LockUntil(func() bool { return !o.Full() })
		defer o.Unlock()
		close(read)
	}()
	<-w.waiting
	o.Step(func() { o.Finish(func() { close(finished) }) })
	<-read
	<-finished
}

func TestPaceStoresWhatIsUrgentAtOnceAndDeltasAfterFrame(t *testing.T) {
	delta := &transcript.ToolOutputDelta{Delta: "out"}
	tests := []struct {
		name   string
		body   transcript.Body
		more   bool
		passed time.Duration // since the last batch
		stored bool
		alarms []time.Duration
	}{
		{"urgent", event("run"), false, 0, true, nil},
		{"urgent before more", event("run"), true, 0, false, nil},
		{"delta", delta, false, 0, false, []time.Duration{Frame}},
		{"delta in the middle of a frame", delta, false, 10 * time.Millisecond, false, []time.Duration{Frame - 10*time.Millisecond}},
		{"delta after a frame", delta, true, Frame, true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newHeld()
			o := w.owner()
			o.Step(func() {
				o.Box.Add(event("first"))
				o.Flush()
			})
			(<-w.batches)(nil)
			w.clock = w.clock.Add(tt.passed)
			o.Step(func() {
				o.Box.Add(tt.body)
				o.Pace(tt.more)
				o.Pace(tt.more)
			})
			if stored := len(w.batches) == 1; stored != tt.stored || !slices.Equal(w.alarms, tt.alarms) {
				t.Errorf("stored %v after %v, want %v after %v", stored, w.alarms, tt.stored, tt.alarms)
			}
		})
	}
}

func TestUrgentEventWaitsNoLongerThanMillisecondForMore(t *testing.T) {
	w := newHeld()
	o := w.owner()
	for i := range 2 {
		o.Step(func() {
			o.Box.Add(event("run"))
			o.Pace(true)
		})
		if got := len(w.batches); got != i {
			t.Fatalf("%d batches after %d milliseconds", got, i)
		}
		w.clock = w.clock.Add(urgentWait)
	}
}

func TestSpaceIsLeftAlsoWhenCommandIsRefusedMeanwhile(t *testing.T) {
	w := newHeld()
	o := w.owner()
	finished, refused := make(chan struct{}), make(chan error, 1)
	o.Step(func() {
		o.Box.Add(event("first"))
		o.Flush()
		o.Finish(func() { close(finished) })
		o.Submit(&Command{
			Change: func() (then, undo func(), err error) {
				o.Box.Add(event("second"))
				return nil, nil, nil
			},
			Done: func(err error) { refused <- err },
		})
	})
	(<-w.batches)(nil)
	(<-w.batches)(db.Fail(db.CodeDiskFull, "The disk is full."))
	if err := <-refused; fault.CodeOf(err) != db.CodeDiskFull {
		t.Errorf("the command ends with %v", err)
	}
	<-finished
}

// frames is a world whose store takes everything at once and whose timers the test fires.
type frames struct {
	*held
	stored []int // events in each batch
	rings  []func()
}

func (w *frames) Append(req events.Append, done func(error)) {
	w.stored = append(w.stored, len(req.Bodies))
	go done(nil)
}

func (w *frames) After(d time.Duration, do func()) {
	w.held.After(d, do)
	w.rings = append(w.rings, do)
}

// TestStartOfACallWaitsAFrameForItsInput: events before it don't wait, and it waits no longer than a frame.
func TestStartOfACallWaitsAFrameForItsInput(t *testing.T) {
	at := transcript.At{MessageID: "m"}
	text := &transcript.ToolOutputDelta{At: transcript.At{MessageID: "m", Item: 7}, Delta: "out"}
	for name, tt := range map[string]struct {
		steps  []transcript.Body // nil: a frame passes
		stored []int
	}{
		"a frame":                   {[]transcript.Body{text, &transcript.ToolCallStart{At: at}, nil}, []int{1, 1}},
		"its input":                 {[]transcript.Body{&transcript.ToolCallStart{At: at, Input: []byte(`{"p":1}`)}}, []int{1}},
		"what follows from it":      {[]transcript.Body{&transcript.ToolCallStart{At: at}, event("run")}, []int{2}},
		"one after the other":       {[]transcript.Body{&transcript.ToolCallStart{At: at}, event("run"), &transcript.ToolCallStart{At: at}, nil}, []int{2, 1}},
		"a frame after the frame":   {[]transcript.Body{&transcript.ToolCallStart{At: at}, nil, &transcript.ToolCallStart{At: at}, nil}, []int{1, 1}},
		"text behind it":            {[]transcript.Body{&transcript.ToolCallStart{At: at}, text, nil}, []int{2}},
		"without a frame, not sent": {[]transcript.Body{text, &transcript.ToolCallStart{At: at}, text}, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &frames{held: newHeld()}
			o := New(Options[int]{
				SpaceID: "space", World: w, Look: func() *int { return new(int) }, Log: zerolog.Nop(), OnTrouble: func(error) {},
				Now: func() time.Time { return w.clock },
			})
			for _, body := range tt.steps {
				if body == nil {
					w.clock = w.clock.Add(Frame)
					rings := w.rings
					w.rings = nil
					for _, ring := range rings {
						ring()
					}
				} else {
					o.Step(func() {
						o.Box.Add(body)
						o.Pace(false)
					})
				}
				o.LockUntil(func() bool { return o.flight == nil })
				o.Unlock()
			}
			if !slices.Equal(w.stored, tt.stored) {
				t.Errorf("stored %v, want %v", w.stored, tt.stored)
			}
		})
	}
}
