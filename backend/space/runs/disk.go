package runs

import (
	"weft/backend/acp"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
	"weft/backend/permission/files"
	"weft/backend/space/toolcalls"
)

// Steps don't wait for a disk: what they need of it is read before, while other steps of the space continue. What
// nobody foresaw of a file's text is read later; what nobody foresaw of a link is read in the step.

// place returns where the session works. The lock isn't needed.
func (s *Session) place() permission.Place {
	return permission.Place{SpaceID: s.space.ID, Folder: s.space.Folder, AgentID: s.space.AgentID}
}

// placeInSteps is [Session.place] for steps: with the view of the disk that the present step has, see withView.
func (s *Session) placeInSteps() permission.Place {
	at := s.place()
	at.Disk = &s.disk
	return at
}

// withView does a part of a step with what was read of the disk before. view may be nil. The lock is held, and do must
// not release it.
func (r *spaceRuntime) withView(view *files.View, do func()) {
	if view != nil {
		r.disk = *view
	}
	do()
	r.disk = files.View{}
}

// look returns what should be read before an item is folded, or nil. The lock is held.
func (l *liveSession) look(in *acp.Inbound) *toolcalls.Look {
	if p, asking := l.callIn(in); p != nil {
		return l.calls.Look(p, asking)
	}
	return nil
}

// callIn returns the update of a call in an item, or nil. asking reports that it is a permission request. The lock is
// held.
func (l *liveSession) callIn(in *acp.Inbound) (p *transcript.ToolPatch, asking bool) {
	switch {
	case l.s.life.Live() != l:
	case in.Kind == acp.KindUpdate && in.Update.Kind == transcript.UpdateTool:
		return in.Update.Tool, false
	case in.Permission != nil && in.Permission.Tool != nil:
		return in.Permission.Tool, true
	}
	return nil, false
}

// waiting is what the reader of an agent needs before the next item. The lock guards it.
type waiting struct {
	over  bool
	files *toolcalls.Snapshot
	links *files.View
}

func (w *waiting) end(l *liveSession) {
	w.over = true
	l.s.Broadcast()
}

// await has something read and waits for it. Other steps of the space continue meanwhile, so a stop or a prompt doesn't
// wait for the disk. It gives up when the session has ended. The lock is held before and after, but not in between.
func (l *liveSession) await(read func(w *waiting) effect) *waiting {
	w := &waiting{}
	l.s.perform(read(w))
	l.s.Unlock()
	l.s.LockUntil(func() bool { return w.over || l.dropped.Load() })
	return w
}

// foresee returns the calls in an item whose paths should be found before it is folded. The lock is held.
func (l *liveSession) foresee(in *acp.Inbound, read *toolcalls.Snapshot) []permission.Call {
	if p, asking := l.callIn(in); p != nil {
		return l.calls.Foresee(p, asking, read)
	}
	return nil
}

// foresee returns where the paths of calls of the session lead. It blocks on the disk; the lock isn't held.
func (s *Session) foresee(calls ...permission.Call) *files.View {
	return actions.Foresee(calls, s.place())
}

// reconsider applies the current rules and mode to the session's open requests, and returns how many of those that the
// user sees have ended. It blocks on the disk; the lock isn't held.
func (s *Session) reconsider() (ended int) {
	view := s.foreseeOpen()
	if view == nil {
		return 0
	}
	s.Step(func() {
		s.withView(view, func() { ended = s.inbox.Permissions.Reconsider() })
	})
	return ended
}

// foreseeOpen returns where the paths of the open requests lead, or nil if there are none. It blocks on the disk; the
// lock isn't held.
func (s *Session) foreseeOpen() *files.View {
	var calls []permission.Call
	s.Step(func() { calls = s.inbox.Permissions.Calls() })
	if len(calls) == 0 {
		return nil
	}
	return s.foresee(calls...)
}
