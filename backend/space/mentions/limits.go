package mentions

import (
	"sync"
	"time"

	"weft/backend/base/fault"
)

// Limits bound the runs that one prompt of the user leads to when agents ask each other. Zero fields mean the defaults.
type Limits struct {
	Depth int           // maximum length of a chain of mentions; default 8
	Runs  int           // maximum number of runs; default 32
	Time  time.Duration // how long after the prompt agents may ask others; default 1 h
}

func (l Limits) filled() Limits {
	if l.Depth == 0 {
		l.Depth = 8
	}
	if l.Runs == 0 {
		l.Runs = 32
	}
	if l.Time == 0 {
		l.Time = time.Hour
	}
	return l
}

// Budget counts the runs that one prompt of the user has led to. It is safe for concurrent use.
type Budget struct {
	began time.Time

	mu   sync.Mutex
	runs int
}

// NewBudget returns the budget of a prompt with its first run counted.
func NewBudget(now time.Time) *Budget { return &Budget{began: now, runs: 1} }

// Spend counts one more run at the given depth. If that would exceed a limit, it returns an error (denied) and doesn't
// count the run.
func (b *Budget) Spend(depth int, limits Limits, now time.Time) error {
	limits = limits.filled()
	b.mu.Lock()
	defer b.mu.Unlock()
	var why fault.Said
	switch {
	case depth > limits.Depth:
		why = fault.Say("agents have asked each other {{n}} times in a row", limits.Depth)
	case b.runs >= limits.Runs:
		why = fault.Say("one prompt has led to {{n}} runs", limits.Runs)
	case now.Sub(b.began) > limits.Time:
		why = fault.Say("the prompt that began it is more than {{time}} old", limits.Time)
	}
	if why != "" {
		return fault.New("denied", "No other agent is asked: {{why}}. The user can continue with a prompt, or raise the limit in the settings (mentions).", why)
	}
	b.runs++
	return nil
}
