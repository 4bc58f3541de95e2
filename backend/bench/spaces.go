package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"weft/backend/transcript"
)

// postsParams is how many spaces and agents there are, in how many spaces each agent is, and how many messages they
// send a second, all together.
type postsParams struct{ Spaces, Agents, Each, Rate, Seconds int }

type postsResult struct {
	Delays    []float64 // ms from the agent's write, before the call, to the subscriber of the space
	Lost      int       // also what came twice
	Misplaced int       // out of its order, or at the wrong space's subscriber
	Took      float64   // s
	CPU       int64     // ns of this process
}

// postsWork has agents send messages to their spaces, each through a process of its own and the gateway, and counts what comes.
func postsWork(p postsParams) (r postsResult, err error) {
	// Agent a is in space a and in the Each-1 that follow it in steps, so that all are shared.
	in := func(agent, space int) bool {
		for n := range p.Each {
			if postsSpace(p, agent, n) == space {
				return true
			}
		}
		return false
	}
	h, err := openHall(p.Spaces, p.Agents, in)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	each := p.Rate / p.Agents
	prompt := func(agent, rate, seconds int) string {
		text := fmt.Sprintf("calls %d %d", rate, seconds)
		for n := range p.Each {
			text += " " + h.spaces[postsSpace(p, agent, n)].id
		}
		return text
	}
	all := func(f func(agent int) error) error {
		errs := make([]error, p.Agents)
		var wg sync.WaitGroup
		for a := range p.Agents {
			wg.Go(func() { errs[a] = f(a) })
		}
		wg.Wait()
		return errors.Join(errs...)
	}
	var mu sync.Mutex
	came := 0
	var broken []<-chan error
	var watched []*postsSeen
	for i := range h.spaces {
		seen := &postsSeen{next: map[string]int{}, author: map[string]string{}}
		watched = append(watched, seen)
		broken = append(broken, h.watch(i, func(e *transcript.Event) bool {
			at := clock()
			mu.Lock()
			defer mu.Unlock()
			n, wrong := seen.take(e, at, &r.Delays, func(agent string) bool { return in(atoi(strings.TrimPrefix(agent, "member")), i) })
			came += n
			r.Misplaced += wrong
			return false
		}))
	}
	// The last messages end behind their runs.
	arrived := func(want int) {
		there := func() bool { mu.Lock(); defer mu.Unlock(); return came >= want }
		for n := 0; n < 50 && !there(); n++ {
			time.Sleep(20 * time.Millisecond)
		}
	}
	// They start. What they say meanwhile is not counted, and has to be there before the rest.
	if err := all(func(a int) error { return h.turn(a, a, prompt(a, 5, 1)) }); err != nil {
		return r, err
	}
	arrived(p.Agents * 5)
	mu.Lock()
	came, r = 0, postsResult{}
	for _, seen := range watched {
		clear(seen.next)
	}
	mu.Unlock()
	begin, used := time.Now(), cpuTime()
	if err := all(func(a int) error {
		time.Sleep(time.Duration(a) * stagger / 20)
		return h.turn(a, a, prompt(a, each, p.Seconds))
	}); err != nil {
		return r, err
	}
	r.Took, r.CPU = time.Since(begin).Seconds(), cpuTime()-used
	want := p.Agents * each * p.Seconds
	arrived(want)
	for _, b := range broken {
		select {
		case err := <-b:
			return r, err
		default:
		}
	}
	mu.Lock()
	defer mu.Unlock()
	r.Lost = max(want-came, came-want)
	return r, nil
}

// postsSpace is the n-th space of an agent; the first is where it is asked.
func postsSpace(p postsParams, agent, n int) int { return (agent + n*11) % p.Spaces }

// postsSeen is what the subscriber of one space knows of those that write there.
type postsSeen struct {
	author map[string]string // of messages
	next   map[string]int    // number that an author has to send
	rest   map[string]string // a line of a message that is not whole yet
}

// take reads "NUMBER @TIME" lines. It returns how many there were, and how many of them had no business here.
func (s *postsSeen) take(e *transcript.Event, at int64, delays *[]float64, member func(string) bool) (n, wrong int) {
	switch b := e.Body.(type) {
	case *transcript.MessageStart:
		s.author[b.MessageID] = b.Author.Name
	case *transcript.TextDelta:
		author, known := s.author[b.MessageID]
		if !known {
			return 0, 0 // of a prompt
		}
		if s.rest == nil {
			s.rest = map[string]string{}
		}
		text := s.rest[b.MessageID] + b.Content
		for {
			line, more, whole := strings.Cut(text, "\n")
			if !whole {
				break
			}
			text = more
			var number int
			var sent int64
			if _, err := fmt.Sscanf(line, "%d @%d", &number, &sent); err != nil {
				continue
			}
			n++
			if number != s.next[author] || !member(author) {
				wrong++
			}
			s.next[author] = number + 1
			*delays = append(*delays, float64(at-sent)/1e6)
		}
		s.rest[b.MessageID] = text
	}
	return n, wrong
}

type deltasParams struct{ Rate, Seconds int }

// deltasWork streams the text of a message into another space and reads it there over Server-Sent Events; returns ms.
func deltasWork(p deltasParams) (delays []float64, err error) {
	h, err := openHall(2, 1, func(int, int) bool { return true })
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	if err := h.write("deltas 20 1 "); err != nil {
		return nil, err
	}
	var seen stamps
	over, err := h.follow(1, func(e *transcript.Event) bool {
		at := clock()
		switch b := e.Body.(type) {
		case *transcript.TextDelta:
			seen.add(b.Content, at)
		case *transcript.MessageEnd:
			return true
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	if err := h.turn(0, 0, fmt.Sprintf("deltas %d %d %s", p.Rate, p.Seconds, h.spaces[1].id)); err != nil {
		return nil, err
	}
	if err := <-over; err != nil {
		return nil, err
	}
	if want := p.Rate * p.Seconds; len(seen.list) != want {
		return nil, fmt.Errorf("%d of %d deltas arrived", len(seen.list), want)
	}
	return seen.list, nil
}

// write has agent 0 write from space 0 into space 1, and waits until that message has its end.
func (h *hall) write(prompt string) error {
	over := h.watch(1, func(e *transcript.Event) bool {
		end, ok := e.Body.(*transcript.MessageEnd)
		return ok && end.StopReason != ""
	})
	if err := h.turn(0, 0, prompt+h.spaces[1].id); err != nil {
		return err
	}
	return <-over
}

type longParams struct{ Bytes, Deltas int }

// longResult is processor time per delta, in µs, of the first and of the last ones of a long text.
type longResult struct{ First, Last float64 }

func longWork(p longParams) (r longResult, err error) {
	h, err := openHall(2, 1, func(int, int) bool { return true })
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	if err := h.write(fmt.Sprintf("long %d %d ", 64*3*p.Deltas, p.Deltas)); err != nil {
		return r, err
	}
	marks := map[byte]int64{}
	over := h.watch(1, func(e *transcript.Event) bool {
		if b, ok := e.Body.(*transcript.TextDelta); ok {
			for _, mark := range strings.Split(b.Content, "@")[1:] {
				marks[mark[0]] = cpuTime()
			}
		}
		_, ended := e.Body.(*transcript.MessageEnd)
		return ended
	})
	if err := h.turn(0, 0, fmt.Sprintf("long %d %d %s", p.Bytes, p.Deltas, h.spaces[1].id)); err != nil {
		return r, err
	}
	if err := <-over; err != nil {
		return r, err
	}
	r.First = float64(marks['b']-marks['a']) / 1e3 / float64(p.Deltas)
	r.Last = float64(marks['d']-marks['c']) / 1e3 / float64(p.Deltas)
	return r, nil
}

// spaces measures messages of agents to spaces.
func (b *bench) spaces() error {
	seconds := max(b.plan.seconds/b.plan.rounds, 2)
	begin, waited := time.Now(), pressure()
	var rate, share, p50, p99 []float64
	lost, misplaced := 0, 0
	posts := postsParams{Spaces: 50, Agents: 20, Each: 5, Rate: 200, Seconds: seconds}
	for range b.plan.rounds {
		var r postsResult
		if err := b.work("posts", posts, &r); err != nil {
			return err
		}
		rate = append(rate, float64(len(r.Delays))/r.Took)
		share = append(share, float64(r.CPU)/1e9/r.Took*100)
		p50, p99 = append(p50, percentile(r.Delays, 50)), append(p99, percentile(r.Delays, 99))
		lost, misplaced = lost+r.Lost, misplaced+r.Misplaced
	}
	short := float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
	b.add(row{
		What: fmt.Sprintf("%d agents send %d messages/s to %d spaces: agent's write → subscriber, p99", posts.Agents, posts.Rate, posts.Spaces),
		Reached: fmt.Sprintf("%.1f ms (p50 %.1f; %.0f messages/s, %.0f %% of one processor; processors short %.0f %% of the time)",
			median(p99), median(p50), median(rate), median(share), short),
	})
	b.add(row{
		What:    "  lost, out of order, or at another space's subscriber",
		Reached: fmt.Sprintf("%d, %d", lost, misplaced),
		Want:    "nothing",
		OK:      verdictOf(lost == 0 && misplaced == 0),
	})

	p50, p99 = nil, nil
	begin, waited = time.Now(), pressure()
	for range b.plan.rounds {
		var list []float64
		if err := b.work("deltas", deltasParams{paceRate, seconds}, &list); err != nil {
			return err
		}
		p50, p99 = append(p50, percentile(list, 50)), append(p99, percentile(list, 99))
	}
	short = float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
	b.add(row{
		What:    "fragment of a message's input → its text at a subscriber of another space, over SSE, p99",
		Reached: fmt.Sprintf("%.1f ms (p50 %.1f; processors short %.0f %% of the time)", median(p99), median(p50), short),
		Want:    "≤ 25 ms",
		OK:      verdictOf(median(p99) <= 25),
	})

	var ratio, first, last []float64
	for range b.plan.rounds {
		var r longResult
		if err := b.work("long", longParams{1 << 20, 1000}, &r); err != nil {
			return err
		}
		ratio, first, last = append(ratio, r.Last/r.First), append(first, r.First), append(last, r.Last)
	}
	b.add(row{
		What:    "a message of 1 MB, streamed: the last 1,000 deltas against the first 1,000",
		Reached: fmt.Sprintf("%.2f × (%.0f against %.0f µs of processor time)", median(ratio), median(last), median(first)),
		Want:    "≤ 1.3 ×",
		OK:      verdictOf(median(ratio) <= 1.3),
	})
	return nil
}
