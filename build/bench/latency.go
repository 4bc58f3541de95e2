package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"weft/backend/conversation/transcript"
)

// paceRate is how many updates a paced agent sends per second, pacedSpaces how many spaces have one.
const (
	paceRate    = 200
	pacedSpaces = 10
)

// stagger is how long one agent begins after another: no multiple of their rhythm.
const stagger = 97300 * time.Microsecond

type latencyParams struct{ Seconds int }

// latencyResult holds times in ms from the agent's write to its reception.
type latencyResult struct {
	Text, Tool []float64 // at the subscriber of the space
	Pipe       []float64 // on a bare pipe at the same time: what the machine itself takes
}

// stamps collects the age of the times in texts.
type stamps struct {
	mu   sync.Mutex
	list []float64
}

// add reads every "@NANOSECONDS" of s.
func (t *stamps) add(s string, at int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, piece := range strings.Split(s, "@")[1:] {
		var sent int64
		if _, err := fmt.Sscan(strings.TrimRight(piece, `" `), &sent); err == nil {
			t.list = append(t.list, float64(at-sent)/1e6)
		}
	}
}

func latencyWork(p latencyParams) (r latencyResult, err error) {
	h, err := openHouse(pacedSpaces)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	var text, tool, pipe stamps
	see := func(e *transcript.Event) {
		at := clock()
		switch b := e.Body.(type) {
		case *transcript.TextDelta:
			text.add(b.Content, at)
		case *transcript.ToolCallStart:
			tool.add(b.Title, at)
		case *transcript.ToolCallEnd:
			tool.add(string(b.Output), at)
		case *transcript.ToolCallError:
			tool.add(string(b.Output), at)
		}
	}
	ignore := func(*transcript.Event) {}
	for _, space := range h.spaces {
		if err := h.turn(space, "pace 20 1", ignore); err != nil {
			return r, err
		}
	}
	prompt := fmt.Sprintf("pace %d %d", paceRate, p.Seconds)
	errs := make([]error, pacedSpaces+1)
	var wg sync.WaitGroup
	for i, space := range h.spaces {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * stagger) // agents are not in step with each other
			errs[i] = h.turn(space, prompt, see)
		})
	}
	wg.Go(func() { errs[pacedSpaces] = barePipe(prompt, &pipe) })
	wg.Wait()
	r = latencyResult{text.list, tool.list, pipe.list}
	if want := pacedSpaces * p.Seconds * paceRate; len(text.list)+len(tool.list) != want {
		err = fmt.Errorf("%d of %d updates arrived", len(text.list)+len(tool.list), want)
	}
	return r, errors.Join(append(errs, err)...)
}

// barePipe reads a paced agent's lines and does nothing with them.
func barePipe(prompt string, pipe *stamps) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), self, "agent")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"text":%q}]}}`+"\n", prompt))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		at := clock()
		_, stamp, _ := strings.Cut(lines.Text(), "@")
		stamp, _, _ = strings.Cut(stamp, `"`)
		pipe.add("@"+stamp, at)
	}
	return cmd.Wait()
}

// latency measures how long an update takes from the agent's write to a subscriber, in
// rounds, so that a moment when the machine is busy with something else does not decide.
func (b *bench) latency() error {
	var rounds []latencyResult
	begin, waited := time.Now(), pressure()
	for range b.plan.rounds {
		var r latencyResult
		if err := b.work("latency", latencyParams{b.plan.seconds / b.plan.rounds}, &r); err != nil {
			return err
		}
		rounds = append(rounds, r)
	}
	short := float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
	at := func(p float64, of func(latencyResult) []float64) float64 {
		var list []float64
		for _, r := range rounds {
			list = append(list, percentile(of(r), p))
		}
		return median(list)
	}
	text := func(r latencyResult) []float64 { return r.Text }
	tool := func(r latencyResult) []float64 { return r.Tool }
	b.add(row{
		What: fmt.Sprintf("agent's write → subscriber, %d spaces streaming: text; tool start, end, error, p99", pacedSpaces),
		Reached: fmt.Sprintf("%.1f ms (p50 %.1f); %.1f ms (p50 %.1f); a bare pipe meanwhile %.1f ms; processors short %.0f %% of the time",
			at(99, text), at(50, text), at(99, tool), at(50, tool), at(99, func(r latencyResult) []float64 { return r.Pipe }), short),
		Want: "≤ 25 ms; ≤ 5 ms",
		OK:   verdictOf(at(99, text) <= 25 && at(99, tool) <= 5),
	})
	return nil
}
