package runs

import (
	"weft/backend/permission"
)

// modeNow is the mode in which requests of the session are decided: that of its space, or that of the one that has asked for the run if this is
// stricter. It holds until the next run begins, also for what an agent does behind the end of its turn. The lock is held.
func (s *Session) modeNow() permission.Mode { return permission.Stricter(s.mode, s.limit) }

// carried is the mode that a run carries along where it asks another agent, "" if that is free to follow its own space's.
func (s *Session) carried() permission.Mode {
	s.Lock()
	defer s.Unlock()
	if mode := s.modeNow(); mode != permission.FollowRules {
		return mode
	}
	return ""
}

// limited takes over the limit of a prompt. One that makes an agent continue with what it was asked before leaves the limit of that. The lock is held.
func (s *Session) limited(q QueuedPrompt) {
	if q.From == "" && (s.again != nil || q.Text == ContinuePrompt) {
		return
	}
	s.limit, s.limitBy = q.Limit, q.From
}

// limitText tells the space that a run is limited by the one that asked for it, "" if it is not. The lock is held.
func (s *Session) limitText() string {
	if s.modeNow() == s.mode {
		return ""
	}
	switch s.limit {
	case permission.ReadOnly:
		return "Read-only, because it was asked by " + s.limitBy + ", which is read-only itself."
	case permission.AskAlways:
		return "Everything is asked about, because it was asked by " + s.limitBy + ", for which that holds."
	case permission.FollowRules:
	}
	return ""
}
