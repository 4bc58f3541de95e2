package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/backend/settings"
	"weft/backend/transcript"
)

// twentySpaces is how many spaces stream at once.
const twentySpaces = 20

type twentyParams struct {
	Spaces, Seconds int
	Process         string // as in the settings
}

type twentyResult struct {
	CPU  int64 // ns of this process, all threads, while all stream
	Lost int
	Tool []float64 // ms from the agent's write to the subscriber
}

// twentyWork has spaces stream at paceRate, and counts what arrives.
func twentyWork(p twentyParams) (r twentyResult, err error) {
	h, err := openHouseWith(p.Spaces, p.Process)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	if err := h.warm(); err != nil {
		return r, err
	}
	prompt := fmt.Sprintf("pace %d %d", paceRate, p.Seconds)
	errs := make([]error, p.Spaces)
	got := make([]stamps, p.Spaces)
	tools := make([]stamps, p.Spaces)
	var wg sync.WaitGroup
	begin := cpuTime()
	for i, space := range h.spaces {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * stagger / 5)
			errs[i] = h.turn(space, prompt, func(e *transcript.Event) {
				at := clock()
				switch b := e.Body.(type) {
				case *transcript.TextDelta:
					got[i].add(b.Content, at)
				case *transcript.ToolCallStart:
					tools[i].add(b.Title, at)
				case *transcript.ToolCallEnd:
					tools[i].add(string(b.Output), at)
				case *transcript.ToolCallError:
					tools[i].add(string(b.Output), at)
				}
			})
		})
	}
	wg.Wait()
	r.CPU = cpuTime() - begin
	for i := range h.spaces {
		if missing := p.Seconds*paceRate - len(got[i].list) - len(tools[i].list); missing != 0 {
			r.Lost += max(missing, -missing) // one too many is as wrong
		}
		r.Tool = append(r.Tool, tools[i].list...)
	}
	return r, errors.Join(errs...)
}

// warm has a first turn in all spaces.
func (h *house) warm() error {
	errs := make([]error, len(h.spaces))
	var wg sync.WaitGroup
	for i, space := range h.spaces {
		wg.Go(func() { errs[i] = h.turn(space, "pace 20 1", func(*transcript.Event) {}) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// crowd is how many spaces flood beside a quiet one.
const crowd = 10

type crowdParams struct {
	Lines, Seconds int
	Process        string
}

// crowdWork floods from many spaces, and tells how long the updates of a quiet one take meanwhile. The time
// includes what the agent waits for its own other turns before it can write.
func crowdWork(p crowdParams) (tool []float64, err error) {
	h, err := openHouseWith(crowd+1, p.Process)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	if err := h.warm(); err != nil {
		return nil, err
	}
	errs := make([]error, crowd+1)
	var quiet stamps
	var wg sync.WaitGroup
	want := sent(p.Lines)
	for i, space := range h.spaces {
		wg.Go(func() {
			if i == crowd {
				errs[i] = h.turn(space, fmt.Sprintf("pace %d %d", paceRate, p.Seconds), func(e *transcript.Event) {
					if b, ok := e.Body.(*transcript.ToolCallStart); ok {
						quiet.add(b.Title, clock())
					}
				})
				return
			}
			read := newReader()
			errs[i] = h.turn(space, fmt.Sprintf("flood %d", p.Lines), read.see)
			if got := read.text.digest(); errs[i] == nil && got != want {
				errs[i] = fmt.Errorf("%d bytes of %d arrived of a flood", got.Bytes, want.Bytes)
			}
		})
	}
	wg.Wait()
	return quiet.list, errors.Join(errs...)
}

// crowded measures a quiet space among flooding ones.
func (b *bench) crowded() error {
	for _, way := range []struct{ name, process string }{{"a process each", settings.ProcessPerSpace}, {"one shared process", settings.ProcessShared}} {
		var p50, p99 []float64
		begin, waited := time.Now(), pressure()
		for range b.plan.rounds {
			var list []float64
			if err := b.work("crowd", crowdParams{b.plan.lines / 2, 2, way.process}, &list); err != nil {
				return err
			}
			p50, p99 = append(p50, percentile(list, 50)), append(p99, percentile(list, 99))
		}
		short := float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
		b.add(row{
			What:    fmt.Sprintf("agent's write → subscriber, a quiet space beside %d that flood, %s: tool start, p99", crowd, way.name),
			Reached: fmt.Sprintf("%.1f ms (p50 %.1f; nothing lost of the floods; processors short %.0f %% of the time)", median(p99), median(p50), short),
		})
	}
	return nil
}

// twenty compares the processor time of twenty streams with twenty times that of one, in turns.
func (b *bench) twenty() error {
	ways := []struct{ name, process string }{{"a process each", settings.ProcessPerSpace}, {"one shared process", settings.ProcessShared}}
	one := make([][]float64, len(ways))
	all := make([][]float64, len(ways))
	p99 := make([][]float64, len(ways))
	lost := make([]int, len(ways))
	seconds := max(b.plan.seconds/b.plan.rounds, 1)
	begin, waited := time.Now(), pressure()
	for range b.plan.rounds {
		for i, way := range ways {
			var single, many twentyResult
			if err := b.work("twenty", twentyParams{1, seconds, way.process}, &single); err != nil {
				return err
			}
			if err := b.work("twenty", twentyParams{twentySpaces, seconds, way.process}, &many); err != nil {
				return err
			}
			one[i] = append(one[i], float64(single.CPU)/1e6)
			all[i] = append(all[i], float64(many.CPU)/1e6)
			p99[i] = append(p99[i], percentile(many.Tool, 99))
			lost[i] += single.Lost + many.Lost
		}
	}
	short := float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
	for i, way := range ways {
		what := fmt.Sprintf("%d spaces streaming %d updates/s each, %s", twentySpaces, paceRate, way.name)
		updates := float64(seconds * paceRate)
		ratio := median(all[i]) / (twentySpaces * median(one[i]))
		b.add(row{
			what + ": processor time of the backend against 20 × one stream",
			fmt.Sprintf("%.2f × (%.0f against %.0f µs an update; tools p99 %.1f ms; processors short %.0f %% of the time)",
				ratio, median(all[i])*1e3/updates/twentySpaces, median(one[i])*1e3/updates, median(p99[i]), short), "≤ 1.2 ×", verdictOf(ratio <= 1.2),
		})
		reached := "nothing"
		if lost[i] > 0 {
			reached = fmt.Sprintf("%d updates", lost[i])
		}
		b.add(row{"  lost on the way", reached, "nothing", verdictOf(lost[i] == 0)})
	}
	return nil
}
