package agents

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// progressEvery is the minimum time between progress reports of installs.
const progressEvery = 150 * time.Millisecond

// installJobs are the installs in progress, and ended ones that the user has not dismissed.
type installJobs struct {
	mu       sync.Mutex
	byID     map[string]*installJob // by the registry's id
	reported time.Time              // when progress was last reported
}

// installJob is one install. jobs.mu guards its fields, except cancel and done.
type installJob struct {
	view   Install
	answer chan bool // for the open question, or nil
	cancel context.CancelFunc
	done   chan struct{}
}

func (o *installJob) active() bool { return o.view.State == "running" || o.view.State == "asking" }

func (j *installJobs) list() []Install {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Install, 0, len(j.byID))
	for _, id := range slices.Sorted(maps.Keys(j.byID)) {
		list = append(list, j.byID[id].view)
	}
	return list
}

// begin adds a job unless that agent has one in progress.
func (j *installJobs) begin(view Install, cancel context.CancelFunc) (*installJob, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.byID[view.ID]; old != nil && old.active() {
		return nil, false
	}
	one := &installJob{view: view, cancel: cancel, done: make(chan struct{})}
	j.byID[view.ID] = one
	return one, true
}

// note changes a job. It reports whether to report the change now.
func (j *installJobs) note(one *installJob, change func(*installJob)) bool {
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

// running returns an agent's job in progress, or nil.
func (j *installJobs) running(id string) *installJob {
	j.mu.Lock()
	defer j.mu.Unlock()
	if one := j.byID[id]; one != nil && one.active() {
		return one
	}
	return nil
}

// dismiss removes an agent's ended job.
func (j *installJobs) dismiss(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if one := j.byID[id]; one != nil && !one.active() {
		delete(j.byID, id)
	}
}

// forget removes an agent's job.
func (j *installJobs) forget(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.byID, id)
}

// answer answers the open question with this token. It reports whether that question is open.
func (j *installJobs) answer(id, token string, yes bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	one := j.byID[id]
	if one == nil || one.answer == nil || one.view.Question.Token != token {
		return false
	}
	one.answer <- yes // buffered
	one.answer = nil
	return true
}
