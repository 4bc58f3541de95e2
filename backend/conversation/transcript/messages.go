package transcript

import "slices"

// messages holds the agent's current message and the few before it, which still accept late reports.
type messages struct {
	cur    *Fold   // nil if there is none yet
	past   []*Fold // newest last
	paused string  // the run whose message ended in the middle of its turn, "" if none
}

// keptTurns is the number of ended turns that still accept late updates of their tool calls.
const keptTurns = 8

// keptCalls is the maximum number of tool calls in those turns; each needs more than a kilobyte. The last turn is kept
// regardless of its calls, and so is a turn with an open call.
const keptCalls = 256

// add makes f the current message.
func (m *messages) add(f *Fold) {
	if m.cur != nil {
		m.past = append(m.past, m.cur)
		if len(m.past) > keptTurns {
			m.past = slices.Delete(m.past, 0, 1)
		}
		calls := 0
		for i := len(m.past) - 1; i >= 0; i-- {
			calls += m.past[i].calls.count()
			if i < len(m.past)-1 && calls > keptCalls && m.past[i].Ended() && !m.past[i].calls.anyOpen() {
				m.past = slices.Delete(m.past, i, i+1)
			}
		}
	}
	m.cur = f
}

// clone returns an independent copy.
func (m *messages) clone() messages {
	return messages{cur: m.cur, past: slices.Clone(m.past), paused: m.paused}
}

// pause ends the current message. Its run continues.
func (m *messages) pause() {
	if m.cur == nil || m.cur.Ended() || m.paused != "" {
		return
	}
	m.paused = m.cur.RunID
	m.cur.rest()
}

// endRun ends the earlier messages of the run that ends with f.
func (m *messages) endRun(f *Fold, stopReason string, now int64) {
	m.paused = ""
	for _, p := range m.past {
		if p != f && p.RunID == f.RunID && !p.Ended() {
			p.End(stopReason, nil, now)
		}
	}
}

// endReplayed ends the current message of a replay, whose end time is unknown.
func (m *messages) endReplayed() {
	if m.cur != nil && !m.cur.Ended() {
		m.cur.End("end_turn", nil, 0)
	}
}

// waiting returns the message with this open permission request, or nil.
func (m *messages) waiting(requestID string) *Fold {
	if m.cur != nil && m.cur.Waits(requestID) {
		return m.cur
	}
	for i := len(m.past) - 1; i >= 0; i-- {
		if m.past[i].Waits(requestID) {
			return m.past[i]
		}
	}
	return nil
}

// with returns the message with this tool call, or nil.
func (m *messages) with(toolCallID string) *Fold {
	if f := m.earlier(toolCallID); f != nil {
		return f
	}
	if m.cur != nil && m.cur.Knows(toolCallID) {
		return m.cur
	}
	return nil
}

// earlier returns the message of an earlier turn that has this tool call if the current one doesn't, or nil. After a
// pause, the current message counts as an earlier one.
func (m *messages) earlier(toolCallID string) *Fold {
	if toolCallID == "" {
		return nil
	}
	if m.cur != nil && m.cur.Knows(toolCallID) {
		if m.paused == "" {
			return nil
		}
		return m.cur
	}
	for i := len(m.past) - 1; i >= 0; i-- {
		if m.past[i].Knows(toolCallID) {
			return m.past[i]
		}
	}
	return nil
}
