package acpsession

import (
	"testing"
	"testing/synctest"
	"time"
)

// Some agents send the replay of a session after they have answered session/load, and some send none.
func TestReplayAfterResponseIsAwaited(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, c := range map[string]struct {
		patient bool // the space has nothing of the conversation yet
		updates []time.Duration
		want    time.Duration
	}{
		"none":                          {want: replayStart},
		"at once":                       {updates: []time.Duration{1, s / 10}, want: s/10 + replayQuiet},
		"none, for an import":           {patient: true, want: importStart},
		"after four s, for an import":   {patient: true, updates: []time.Duration{4 * s, 4*s + replayQuiet - 1}, want: 4*s + 2*replayQuiet - 1},
		"after four s, which is enough": {updates: []time.Duration{4 * s}, want: replayStart},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := NewReplay()
				if c.patient {
					r.WaitLonger()
				}
				r.Answered()
				for _, after := range c.updates {
					time.AfterFunc(after, r.Update)
				}
				began := time.Now()
				r.wait(t.Context(), nil)
				if took := time.Since(began); took != c.want {
					t.Errorf("it takes %s, want %s", took, c.want)
				}
				time.Sleep(importStart) // until all is sent
			})
		})
	}
	if replayStart > time.Second {
		t.Errorf("an agent that replays nothing is waited for %s", replayStart)
	}
}
