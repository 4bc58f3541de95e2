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

	"weft/backend/transcript"
)

// paceRate is how many updates a paced agent sends per second.
const paceRate = 200

// stagger is how long one agent begins after another: no multiple of their rhythm.
const stagger = 97300 * time.Microsecond

type latencyParams struct {
	Spaces, Seconds int
}

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
	h, err := openHouse(p.Spaces)
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
	errs := make([]error, p.Spaces+1)
	var wg sync.WaitGroup
	for i, space := range h.spaces {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * stagger) // agents are not in step with each other
			errs[i] = h.turn(space, prompt, see)
		})
	}
	wg.Go(func() { errs[p.Spaces] = barePipe(prompt, &pipe) })
	wg.Wait()
	r = latencyResult{text.list, tool.list, pipe.list}
	if want := p.Spaces * p.Seconds * paceRate; len(text.list)+len(tool.list) != want {
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
	for _, spaces := range []int{1, 10} {
		var rounds []latencyResult
		begin, waited := time.Now(), pressure()
		for range b.plan.rounds {
			var r latencyResult
			if err := b.work("latency", latencyParams{spaces, b.plan.seconds / b.plan.rounds}, &r); err != nil {
				return err
			}
			rounds = append(rounds, r)
		}
		short := float64(pressure()-waited) / float64(time.Since(begin).Microseconds()) * 100
		streaming := "one space streaming"
		if spaces > 1 {
			streaming = fmt.Sprint(spaces, " spaces streaming")
		}
		for _, k := range []struct {
			name string
			list func(latencyResult) []float64
			want float64
		}{
			{"text", func(r latencyResult) []float64 { return r.Text }, 25},
			{"tool start, end, error", func(r latencyResult) []float64 { return r.Tool }, 5},
			{"a bare pipe meanwhile", func(r latencyResult) []float64 { return r.Pipe }, 0},
		} {
			at := func(p float64) float64 {
				var list []float64
				for _, r := range rounds {
					list = append(list, percentile(k.list(r), p))
				}
				return median(list)
			}
			out := row{
				What:    fmt.Sprintf("agent's write → subscriber, %s: %s, p99", streaming, k.name),
				Reached: fmt.Sprintf("%.1f ms (p50 %.1f, p95 %.1f, longest %.0f)", at(99), at(50), at(95), at(100)),
			}
			if k.want > 0 {
				out.Want, out.OK = fmt.Sprintf("≤ %.0f ms", k.want), verdictOf(at(99) <= k.want)
			} else {
				out.Reached += fmt.Sprintf("; processors short %.0f %% of the time", short)
			}
			b.add(out)
		}
	}
	return nil
}
