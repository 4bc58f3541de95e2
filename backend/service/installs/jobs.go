package installs

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// progressEvery is how often the progress of installs is reported at most.
const progressEvery = 150 * time.Millisecond

// jobs are the installations in progress, and those that have ended and were not dismissed.
type jobs struct {
	mu       sync.Mutex
	byID     map[string]*job // by the id in the registry
	reported time.Time       // when progress was last reported
}

// job is one installation. Its fields but cancel and done are under jobs.mu.
type job struct {
	view   Install
	answer chan bool // of the open question, nil if there is none
	cancel context.CancelFunc
	done   chan struct{}
}

func (o *job) active() bool { return o.view.State == "running" || o.view.State == "asking" }

func (j *jobs) list() []Install {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Install, 0, len(j.byID))
	for _, id := range slices.Sorted(maps.Keys(j.byID)) {
		list = append(list, j.byID[id].view)
	}
	return list
}

// begin makes a job unless that agent has one in progress.
func (j *jobs) begin(view Install, cancel context.CancelFunc) (*job, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.byID[view.ID]; old != nil && old.active() {
		return nil, false
	}
	one := &job{view: view, cancel: cancel, done: make(chan struct{})}
	j.byID[view.ID] = one
	return one, true
}

// note changes a job. It reports whether that should be reported now.
func (j *jobs) note(one *job, change func(*job)) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	step, state := one.view.Step, one.view.State
	change(one)
	now := time.Now()
	if one.view.Step == step && one.view.State == state && now.Sub(j.reported) < progressEvery {
		return false
	}
	j.reported = now
	return true
}

// running returns the job of an agent that is in progress, or nil.
func (j *jobs) running(id string) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	if one := j.byID[id]; one != nil && one.active() {
		return one
	}
	return nil
}

// dismiss forgets the job of an agent that has ended.
func (j *jobs) dismiss(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if one := j.byID[id]; one != nil && !one.active() {
		delete(j.byID, id)
	}
}

// forget forgets the job of an agent.
func (j *jobs) forget(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.byID, id)
}

// answer passes on the answer to the open question with this token. It reports whether that question is open.
func (j *jobs) answer(id, token string, yes bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	one := j.byID[id]
	if one == nil || one.answer == nil || one.view.Question.Token != token {
		return false
	}
	one.answer <- yes // has room for the one answer
	one.answer = nil
	return true
}
