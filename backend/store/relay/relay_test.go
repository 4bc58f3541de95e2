package relay

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

func events(from, n int64, size int) []transcript.Event {
	list := make([]transcript.Event, n)
	for i := range list {
		list[i] = transcript.Event{Epoch: 7, Seq: from + int64(i), At: 1, Body: &transcript.TextDelta{MessageID: "m", Content: strings.Repeat("x", size)}}
	}
	return list
}

func TestSubscribersGetTheOrderOfPublish(t *testing.T) {
	r := New()
	defer r.Close()
	subs := []*Subscription{r.Subscribe("space:a"), r.Subscribe("space:a"), r.Subscribe("space:b")}
	go func() {
		for i := range int64(500) {
			r.Publish("space:a", events(2*i+1, 2, 100))
		}
		r.Publish("space:b", events(1, 1, 1))
	}()
	for _, s := range subs[:2] {
		for want := int64(1); want <= 1000; want += 2 {
			b, err := s.Next(t.Context())
			if err != nil || b.Gap || b.Events[0].Seq != want {
				t.Fatalf("batch %+v, want seq %d, %v", b, want, err)
			}
		}
	}
	if b, err := subs[2].Next(t.Context()); err != nil || b.Topic != "space:b" {
		t.Errorf("other topic: %+v %v", b, err)
	}
}

func TestPublishWaitsForASlowSubscriber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Buffer: 1000})
		s := r.Subscribe("x")
		go func() {
			for i := range int64(100) {
				r.Publish("x", events(i+1, 1, 400))
			}
		}()
		for want := int64(1); want <= 100; want++ {
			time.Sleep(40 * time.Millisecond) // of the bubble's clock: slow, but not too slow
			b, err := s.Next(t.Context())
			if err != nil || b.Gap || b.Events[0].Seq != want {
				t.Fatalf("batch %+v, want seq %d, %v", b, want, err)
			}
		}
		r.Close()
	})
}

func TestALaggingSubscriberGetsOneGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Buffer: 1000})
		slow, fast := r.Subscribe("x"), r.Subscribe("x")
		begin := time.Now()
		for i := range int64(50) {
			r.Publish("x", events(i+1, 1, 400))
			if b, err := fast.Next(t.Context()); err != nil || b.Gap || b.Events[0].Seq != i+1 {
				t.Fatalf("fast: %+v %v", b, err)
			}
		}
		if waited := time.Since(begin); waited != timeout {
			t.Errorf("publishers waited %v for one that stands still, want %v once", waited, timeout)
		}
		if b, _ := slow.Next(t.Context()); !b.Gap || b.Events != nil {
			t.Errorf("slow: %+v, want a gap", b)
		}
		r.Publish("x", events(51, 1, 400))
		if b, _ := slow.Next(t.Context()); b.Gap || b.Events[0].Seq != 51 {
			t.Errorf("after the gap: %+v", b)
		}
		r.Close()
	})
}

func TestNextEnds(t *testing.T) {
	r := New()
	s := r.Subscribe("x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	r.Close()
	r.Publish("x", events(1, 1, 1))
	for _, s := range []*Subscription{s, r.Subscribe("x")} {
		if _, err := s.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		s.Close()
		s.Close()
	}
	if len(r.topics) != 0 {
		t.Errorf("topics are left: %v", r.topics)
	}
}

// page is a sink that keeps what it gets.
type page struct {
	mu   sync.Mutex
	got  []string
	more chan struct{}
}

func newPage() *page { return &page{more: make(chan struct{}, 1)} }

func (p *page) sink(payload string) {
	p.mu.Lock()
	p.got = append(p.got, payload)
	p.mu.Unlock()
	signal(p.more)
}

func (p *page) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = nil
	return got
}

func TestPumpFillsPayloadsAndWaitsForAcks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, pg := New(), newPage()
		p := NewPump(r, pg.sink)
		if err := p.Watch("space:a", 7, 2, func() ([]transcript.Event, bool, error) { return events(1, 4, 10), false, nil }); err != nil {
			t.Fatal(err)
		}
		r.Publish("space:a", events(3, 3, 10)) // 3 and 4 are known from since
		synctest.Wait()
		if got := strings.Join(pg.take(), "\n"); strings.Count(got, `"seq":`) != 3 || !strings.HasPrefix(got, `{"topic":"space:a","events":[{"epoch":7,"seq":3,`) || !strings.HasSuffix(got, "]}") {
			t.Errorf("payloads: %s", got)
		}
		p.Ack(1 << 30)
		r.Publish("space:a", events(6, 400, 1000))
		synctest.Wait()
		sent, seen := 0, 0
		for range 10 {
			for _, payload := range pg.take() {
				if len(payload) > payloadUnits+200 {
					t.Errorf("payload of %d", len(payload))
				}
				sent += len(payload)
				seen += strings.Count(payload, `"seq":`)
			}
			if sent > creditUnits+payloadUnits+200 {
				t.Fatalf("%d units are under way", sent)
			}
			p.Ack(sent)
			sent = 0
			synctest.Wait()
		}
		if seen != 400 {
			t.Errorf("%d of 400 events arrived", seen)
		}
		p.Close()
		r.Close()
	})
}

func TestPumpReportsAGapAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, pg := New(Options{Buffer: 10_000}), newPage()
		p := NewPump(r, pg.sink)
		_ = p.Watch("space:a", 7, 0, nil)
		_ = p.Watch(AppTopic, 0, 0, nil)
		for i := range int64(1000) {
			r.Publish("space:a", events(i+1, 1, 1000)) // nobody acknowledges
		}
		r.PublishRaw(AppTopic, jsontext.Value(`{"type":"problems"}`))
		synctest.Wait()
		pg.take()
		p.Ack(1 << 30)
		synctest.Wait()
		got := strings.Join(pg.take(), "\n")
		if !strings.Contains(got, `{"topic":"space:a","gap":true}`) || !strings.Contains(got, `{"topic":"app","events":[{"type":"problems"}]}`) {
			t.Errorf("after the stall: %s", got)
		}
		r.Publish("space:a", events(1001, 1, 10))
		synctest.Wait()
		if got := pg.take(); got != nil {
			t.Errorf("after a gap of a space: %v", got)
		}
		_ = p.Watch("space:a", 7, 1001, func() ([]transcript.Event, bool, error) { return nil, false, nil })
		r.Publish("space:a", events(1002, 1, 10))
		synctest.Wait()
		if got := pg.take(); len(got) != 1 || !strings.Contains(got[0], `"seq":1002`) {
			t.Errorf("watched anew: %v", got)
		}
		_ = p.Watch("space:b", 1, 1, func() ([]transcript.Event, bool, error) { return nil, true, nil })
		synctest.Wait()
		if got := pg.take(); len(got) != 1 || got[0] != `{"topic":"space:b","gap":true}` {
			t.Errorf("watched from an unknown place: %v", got)
		}
		p.Unwatch("space:a")
		p.Reset()
		p.Close()
		r.Close()
		if len(r.topics) != 0 {
			t.Errorf("topics are left: %v", r.topics)
		}
	})
}

func TestManyPublishersAndWatchersRace(t *testing.T) {
	r := New(Options{Buffer: 20_000, Timeout: time.Microsecond})
	var ps []*Pump
	for range 3 {
		var p *Pump
		ready := make(chan struct{})
		p = NewPump(r, func(payload string) { <-ready; p.Ack(len(payload)) })
		close(ready)
		ps = append(ps, p)
	}
	var wg, readers sync.WaitGroup
	for _, topic := range []string{"space:a", "space:b", AppTopic} {
		wg.Go(func() {
			for i := range int64(300) {
				r.Publish(topic, events(i+1, 2, 500))
			}
		})
		wg.Go(func() {
			for _, p := range ps {
				_ = p.Watch(topic, 7, 0, nil)
				p.Unwatch(topic)
				_ = p.Watch(topic, 7, 0, nil)
			}
		})
		readers.Go(func() {
			s := r.Subscribe(topic)
			defer s.Close()
			for {
				if _, err := s.Next(t.Context()); err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, p := range ps {
		p.Close()
	}
	r.Close()
	readers.Wait()
}

func TestUnitsMatchJavaScriptLength(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日": 1, "😀": 2} {
		if got := units([]byte(s)); got != want {
			t.Errorf("units(%q) = %d, want %d", s, got, want)
		}
	}
}

func BenchmarkPublishToTwo(b *testing.B) {
	r := New()
	defer r.Close()
	var wg sync.WaitGroup
	for range 2 {
		s := r.Subscribe("x")
		wg.Go(func() {
			for {
				if _, err := s.Next(context.Background()); err != nil {
					return
				}
			}
		})
	}
	ev := events(1, 4, 2000)
	for b.Loop() {
		r.Publish("x", ev)
	}
	r.Close()
	wg.Wait()
}
