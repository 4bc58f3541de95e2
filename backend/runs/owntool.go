package runs

import (
	"weft/backend/actions"
	"weft/backend/agentproc"
	"weft/backend/gatecalls"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// allowsOwn allows a request for one of Weft's own tools without asking the user, and reports whether it was one. Such a tool changes nothing, or
// asks the user itself when its call arrives. The lock is held.
func (l *liveSession) allowsOwn(a *requests.Permission, p *transcript.ToolPatch, tool gatecalls.Tool) bool {
	s := l.s
	if !l.own.Counts() {
		return false
	}
	r, ok := s.desk.Permissions.Own(a, tool.Name)
	if !ok {
		return false
	}
	l.update(&transcript.Update{Kind: transcript.UpdateTool, Tool: l.gate.AsCalled(p, &tool)}) // some show a call only so
	l.own.Allow(p.ID, tool.Name)
	a.Call.Title = tool.Name
	s.desk.Permissions.Record(a, r)
	s.Flush()
	a.Tell(a.Outcome(r))
	return true
}

// requested returns the gateway's tool that a permission request is for, if all of it says so. The lock is held.
func (l *liveSession) requested(a *requests.Permission, p *transcript.ToolPatch, shown []actions.Change) (gatecalls.Tool, bool) {
	r := gatecalls.Request{Call: p, Does: a.Does(), Changes: make([]string, len(shown))}
	for i := range shown {
		r.Changes[i] = shown[i].Path
	}
	return l.gate.Requested(r)
}

// Reached notes that the agent of a session has reached the gateway with its token, with a call of a tool unless that is "". Error: wrong_session where the
// call belongs to another session of the agent's process.
func (ts Tools) Reached(from MemberKey, tool string) error {
	s := ts.m.known(from.SpaceID, from.MemberID)
	if s == nil {
		return nil
	}
	if tool != "" && s.mixed(tool) {
		return errWrongSession
	}
	s.Lock()
	defer s.Unlock()
	if l := s.life.Live(); l != nil {
		l.own.Reached(tool)
		if l.session.Servers.ReachedGateway() {
			s.offerChanged(l)
		}
		if tool != "" {
			s.notesWork(nil)
		}
	}
	return nil
}

// mixed reports whether a call of a tool that has reached the gateway with the token of this session belongs to another session of the process: this one has no
// turn, and another one that has shows a call of that tool which has not arrived. Each of them gets a process of its own then. No lock is held.
func (s *Session) mixed(tool string) bool {
	s.Lock()
	var lease *agentproc.Lease
	if l := s.life.Live(); l != nil {
		lease = l.lease
	}
	s.Unlock()
	if lease == nil {
		return false
	}
	for _, other := range lease.OthersAtWork() {
		if o, ok := other.(*liveSession); ok && o.expects(tool) {
			lease.Part()
			return true
		}
	}
	return false
}

// expects reports whether the agent has shown a call of one of Weft's tools that has not reached the gateway. The lock is not held.
func (l *liveSession) expects(tool string) bool {
	l.s.Lock()
	defer l.s.Unlock()
	for g := range l.gate.All {
		if g.Tool == tool && !g.Taken && !g.Over {
			return true
		}
	}
	return false
}

var errWrongSession = &Error{Code: "wrong_session", Message: "This call came with the access of another session of yours, so it was refused. You use the MCP servers of one session for all of them. Weft gives each session a process of its own, from its next prompt on."}

// ownEnded looks whether a call that was allowed by its name has arrived when the agent says that it is completed. The lock is held.
func (l *liveSession) ownEnded(p *transcript.ToolPatch) {
	tool := l.own.Ended(p)
	if tool == "" {
		return
	}
	l.note(l.config.Name + " got permission for Weft's tool " + tool + ", but no such call reached Weft: it called something else. It is asked about each such call from now on.")
	l.s.desk.Permissions.Keep(requests.LostCall(tool))
	l.s.Flush()
}
