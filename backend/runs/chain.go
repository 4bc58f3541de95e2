package runs

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Chains bounds what comes of one prompt of the person where agents ask each other. Zero fields take the defaults.
type Chains struct {
	Depth int           // how deep mentions may follow each other, 8
	Runs  int           // how many runs there may be, 32
	Time  time.Duration // how long after the prompt an agent may still be asked, 1 h
}

func (c Chains) filled() Chains {
	if c.Depth == 0 {
		c.Depth = 8
	}
	if c.Runs == 0 {
		c.Runs = 32
	}
	if c.Time == 0 {
		c.Time = time.Hour
	}
	return c
}

// chain is everything that comes of one prompt of the person.
type chain struct {
	began time.Time

	mu   sync.Mutex
	runs int
}

// extend counts one more run, of a depth; its error says which limit that would pass.
func (c *chain) extend(depth int, limits Chains, now time.Time) error {
	limits = limits.filled()
	c.mu.Lock()
	defer c.mu.Unlock()
	why := ""
	switch {
	case depth > limits.Depth:
		why = fmt.Sprintf("agents have asked each other %d times in a row", limits.Depth)
	case c.runs >= limits.Runs:
		why = fmt.Sprintf("%d runs have come of one prompt", limits.Runs)
	case now.Sub(c.began) > limits.Time:
		why = fmt.Sprintf("the prompt that began it is more than %s old", limits.Time)
	}
	if why != "" {
		return &Error{Code: "denied", Message: "Nobody else is asked: " + why + ". The person can go on with a prompt of their own, or raise the limit in the settings (mentions)."}
	}
	c.runs++
	return nil
}

// waiter gets what comes of a run that was asked for.
type waiter struct {
	done  chan struct{}
	reply string
	err   error
}

func newWaiter() *waiter { return &waiter{done: make(chan struct{})} }

// give ends the wait, once. Of nobody it does nothing.
func (w *waiter) give(reply string, err error) {
	if w == nil {
		return
	}
	w.reply, w.err = reply, err
	close(w.done)
}

// waits is who waits for whose run to end.
type waits struct {
	mu sync.Mutex
	on map[*Session][]*wait
}

type wait struct {
	from, on *Session
	asked    []string // what the one that it waits for has asked it meanwhile, and got refused
}

// begin notes that a session waits for another; ok is false if that one waits for it, over others or not: neither would ever end. The one
// that waits already is told what it was asked.
func (g *waits) begin(from, on *Session, text string) (w *wait, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last := g.path(on, from, map[*Session]bool{}); last != nil {
		last.asked = append(last.asked, text)
		return nil, false
	}
	if g.on == nil {
		g.on = map[*Session][]*wait{}
	}
	w = &wait{from: from, on: on}
	g.on[from] = append(g.on[from], w)
	return w, true
}

// path looks for a way from one session to another; it answers its last wait, the one for the other.
func (g *waits) path(from, to *Session, seen map[*Session]bool) *wait {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, w := range g.on[from] {
		if w.on == to {
			return w
		}
		if last := g.path(w.on, to, seen); last != nil {
			return last
		}
	}
	return nil
}

// end takes a wait back and answers what was asked meanwhile.
func (g *waits) end(w *wait) (asked []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on[w.from] = slices.DeleteFunc(g.on[w.from], func(x *wait) bool { return x == w })
	if len(g.on[w.from]) == 0 {
		delete(g.on, w.from)
	}
	return w.asked
}
