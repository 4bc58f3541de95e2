package mentions

import (
	"sync"
	"time"

	"weft/backend/fault"
)

// Limits bound what comes of one prompt of the user where agents ask each other. Fields that are zero take the defaults.
type Limits struct {
	Depth int           // how deep mentions may follow each other, 8
	Runs  int           // how many runs there may be, 32
	Time  time.Duration // how long after the prompt an agent may still be asked, 1 h
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

// Budget counts the runs that come of one prompt of the user. Its methods may be called from any goroutine.
type Budget struct {
	began time.Time

	mu   sync.Mutex
	runs int
}

// NewBudget returns the budget of a prompt, of which one run has come.
func NewBudget(now time.Time) *Budget { return &Budget{began: now, runs: 1} }

// Spend counts one more run, of the given depth. Its error (denied) says which limit that would exceed; then the run isn't counted.
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
