package transcript

import (
	"slices"

	"weft/backend/base/fault"
)

// toolCalls folds the reports about the tool calls of one message, and ends open calls at the end of the turn.
type toolCalls struct {
	box       *Outbox
	byID      map[string]*call
	open      []*call // in order of arrival; ended ones are removed from time to time
	requests  requests
	agents    subAgents
	failed    failedCalls
	late      *call      // the call whose summary doesn't include its late output yet, or nil
	closed    bool       // the message has ended
	terminals *Terminals // of the session, or nil
}

func newToolCalls(box *Outbox) toolCalls {
	return toolCalls{box: box, byID: map[string]*call{}, requests: requests{}}
}

// get returns the call with this id, or nil.
func (m *toolCalls) get(id string) *call { return m.byID[boundID(id)] }

func (m *toolCalls) count() int { return len(m.byID) }

// anyOpen reports whether a call has not ended.
func (m *toolCalls) anyOpen() bool {
	return slices.ContainsFunc(m.open, func(c *call) bool { return !c.status.Ended() })
}

// add folds the first report about a call. at is its position in the message.
func (m *toolCalls) add(id string, at At, p *ToolPatch, now int64) *call {
	m.settleLate(nil)
	c := &call{at: at, id: id, status: StatusPending, times: callTimes{created: now}}
	m.byID[id] = c
	m.keepOpen(c)
	c.start(m.box, p, m.agents.ofCall(id, p))
	c.end.summary = p.Summary
	m.report(c, p, now)
	return c
}

// change folds another report about a call.
func (m *toolCalls) change(c *call, p *ToolPatch, now int64) {
	m.settleLate(c)
	if p.Summary != nil {
		c.end.summary = p.Summary
	}
	if p.Again && c.status.Ended() {
		c.again(m.box, now)
		m.keepOpen(c)
	}
	c.update(m.box, p, m.agents.ofCall(c.id, p))
	if c.status.Ended() && c.end.reported == StatusCompleted && !c.endsWith(p) && (p.Content != nil || p.Output != nil || p.Summary != nil) {
		m.reconsider(c, p)
	}
	m.report(c, p, now)
}

// report folds the common part of first and later reports.
func (m *toolCalls) report(c *call, p *ToolPatch, now int64) {
	c.draw(m.box, p)
	if p.WasRetried != nil && !c.status.Ended() {
		c.end.retried = c.end.retried || *p.WasRetried
	}
	m.stream(c, p)
	if p.Content != nil {
		m.terminals.named(m, c, *p.Content)
	}
	if p.Status != nil {
		m.setStatus(c, *p.Status, p, now)
	}
}

// stream folds the streamed pieces of input and output in a report.
func (m *toolCalls) stream(c *call, p *ToolPatch) {
	if p.InputDelta != "" {
		c.streamInput(m.box, p.InputDelta)
	}
	if p.OutputDelta != "" {
		c.streamOutput(m.box, p.OutputDelta)
		if c.status.Ended() && p.Exit == nil {
			m.late = c
			if m.closed {
				m.settleLate(nil)
			}
		}
	}
	if p.Exit != nil {
		c.exit(m.box, *p.Exit)
		m.reconsider(c, nil)
	}
}

// setStatus moves a call to s. An ended call does not open again, a rejection stays although the call then fails, and
// otherwise the agent's last report wins.
func (m *toolCalls) setStatus(c *call, s Status, p *ToolPatch, now int64) {
	switch {
	case s == c.status:
	case !s.Ended():
		if !c.status.Ended() {
			c.advance(m.box, s, now)
		}
	case s == StatusFailed && c.status == StatusRejected:
		c.explain(m.box, p)
	case s == StatusFailed && c.end.refused && !c.status.Ended():
		m.requests.withdraw(m.box, c)
		c.finish(m.box, StatusRejected, p, now)
	case s == StatusFailed && c.status == StatusCancelled && !c.end.unreported: // a stopped call did not fail
	default:
		m.requests.withdraw(m.box, c)
		m.end(c, s, p, now)
	}
}

// end ends a call with s. p is the report that ends it.
func (m *toolCalls) end(c *call, s Status, p *ToolPatch, now int64) {
	if p.Stopped && !c.status.Ended() {
		c.end.stopped, c.end.took = true, c.times.took(p, now)
		if s == StatusFailed {
			s = StatusCancelled // a stopped call did not fail
		}
	}
	c.end.reported = s
	why := ""
	if s == StatusFailed {
		why = c.failureText(p)
	}
	c.settle(m.box, true)
	m.noteRetry(c, p)
	switch s {
	case StatusFailed:
		m.fail(c, why, p, now)
	case StatusCompleted:
		m.complete(c, p, now)
	default:
		c.finish(m.box, s, p, now)
	}
}

// noteRetry records whether a call that ends is a retry: the tool says so, or a call of the same kind with the same
// arguments failed.
func (m *toolCalls) noteRetry(c *call, p *ToolPatch) {
	if p.WasRetried != nil {
		c.end.retried = c.end.retried || *p.WasRetried
	} else {
		c.end.retried = c.end.retried || m.failed.has(c)
	}
}

// keepOpen adds a call to the open ones. When the list is full, it drops the ended ones.
func (m *toolCalls) keepOpen(c *call) {
	if len(m.open) == cap(m.open) && len(m.open) >= 64 {
		live := make([]*call, 0, len(m.open))
		for _, o := range m.open {
			if !o.status.Ended() {
				live = append(live, o)
			}
		}
		m.open = append(make([]*call, 0, 2*len(live)+64), live...)
	}
	m.open = append(m.open, c)
}

// cancelOpen ends the open calls as canceled.
func (m *toolCalls) cancelOpen(now int64) {
	m.closeOpen(func(c *call) {
		c.end.stopped = true
		c.finish(m.box, StatusCancelled, nil, now)
	})
}

// endUnreported ends the calls that an agent left open at the end of its turn, because their results are unknown. A
// late result wins. Calls that wait for the user, displays and background calls stay open.
func (m *toolCalls) endUnreported(now int64) {
	for _, c := range m.open {
		if !c.status.Ended() && !c.mayContinue() {
			c.end.unreported = true
			c.finish(m.box, StatusCancelled, nil, now)
		}
	}
}

// endTurn ends open calls at the end of a turn. stopped says that the turn did not end normally.
func (m *toolCalls) endTurn(stopped bool, now int64) {
	m.settleLate(nil)
	if stopped {
		m.cancelOpen(now)
	} else {
		m.endUnreported(now)
	}
	for _, c := range m.open {
		c.settle(m.box, false)
	}
	m.closed = true
}

// failTurn ends the open calls as failed, because the turn failed.
func (m *toolCalls) failTurn(why string, now int64) {
	m.settleLate(nil)
	m.closeOpen(func(c *call) {
		c.fail(m.box, fault.Text("Not finished: {{reason}}", why), true, nil, now)
	})
	m.closed = true
}

func (m *toolCalls) closeOpen(end func(*call)) {
	open := m.open
	m.open = nil
	for _, c := range open {
		if !c.status.Ended() {
			m.requests.withdraw(m.box, c)
			end(c)
		}
	}
}
