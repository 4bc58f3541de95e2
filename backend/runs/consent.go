package runs

import (
	"cmp"
	"context"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/transcript"
)

// wish is something that an agent asks Weft itself to do, with a file or a command, before it is done (decision 0017).
type wish struct {
	actions.Action
	call permission.Call
	at   string               // the agent's call for it, "" if that is not told
	row  transcript.ToolPatch // how it is shown where the agent shows no call for it
	now  func() (old string)  // the file's text as it is now; nil if none is written
	size int                  // of what is held while the user thinks, in bytes
}

// How many of an agent's wishes wait for the user at most, and how many bytes these hold. Agents that want more are refused.
const (
	maxWishes    = 64
	maxWishBytes = 64 << 20
)

// consent decides whether a wish is fulfilled: by the user's rules and the mode of the space, by what the user has answered about it already, by a
// mode of the agent that the user chose, or by the user, who is asked. It blocks until then, holding nothing. done is told what came of the
// wish. Errors: *Error with a sentence for the agent, and the cause of ctx.
func (l *link) consent(ctx context.Context, w *wish) (done func(error), err error) {
	done, stored, err := l.decide(ctx, w)
	if stored == nil {
		return done, err
	}
	return done, cmp.Or(err, await(ctx, stored)) // before it is done
}

// decide is consent; stored is closed once the decision is stored, nil where none was noted.
func (l *link) decide(ctx context.Context, w *wish) (done func(error), stored <-chan struct{}, err error) {
	s := l.s
	s.lockUntil(func() bool { return !s.full() || l.dropped.Load() })
	defer s.Unlock()
	done = func(error) {}
	if s.link != l || l.dropped.Load() {
		return done, nil, &Error{Code: "closed", Message: "This session has ended."}
	}
	noted := l.vouchWish(w)
	a := &ask{noted: noted, options: permitOptions, call: w.call, about: permission.Describe(&w.call, s.place()), at: s.m.now(), wish: w, action: &w.Action}
	if w.Kind == "edit" && a.outside() {
		return done, nil, &Error{Code: "outside", Message: w.Files[0] + " is outside of the space's folder, or a link to nothing, so it was not touched."}
	}
	if how, ok := s.judged(a); ok {
		if how.By == nil || how.By.Who != "answered" && how.By.Who != "default" {
			s.noteDecision(a, how)
			stored = s.unstored()
		}
		return done, stored, refusedBy(how)
	}
	if s.run == nil || s.run.stopping {
		return done, nil, &Error{Code: "no_run", Message: "The user can be asked for permission only during a turn, so this was not done."}
	}
	if s.wishes >= maxWishes || s.wishBytes+w.size > maxWishBytes {
		return done, nil, &Error{Code: "too_many", Message: "The user has not answered your other requests yet, so this was not done. Wait for these answers first."}
	}
	patch := l.shownFor(a)
	s.asked++
	said := make(chan struct{})
	a.id, a.n, a.tool, a.tell = s.newID("ask"), s.asked, patch.ID, func(outcome) { close(said) }
	if patch.Announced {
		s.part(s.run)
		done = func(err error) { l.endWish(patch.ID, err) }
	}
	s.wishes, s.wishBytes = s.wishes+1, s.wishBytes+w.size
	s.asks[a.id] = a
	s.turns.AskPermission(patch, a.id, a.options, a.reading(), s.m.now())
	s.flush()
	s.changed()
	changed := false
	s.Unlock()
	select {
	case <-said:
		now := w.textNow()
		s.Lock()
		changed = w.Kind == "edit" && now != w.Changes[0].Old
	case <-ctx.Done():
		s.Lock()
		if s.asks[a.id] == a {
			s.withdraw(a)
			s.flush()
		}
	}
	s.wishes, s.wishBytes = s.wishes-1, s.wishBytes-w.size
	if a.how.Outcome != "selected" && ctx.Err() != nil {
		return done, nil, context.Cause(ctx)
	}
	if err := refusedBy(a.how); err != nil {
		if a.how.Outcome == "selected" {
			done = func(error) {} // the row says already that it was rejected
		}
		return done, nil, err
	}
	return done, nil, s.still(a, changed)
}

// still reports, as an error, that what was allowed is not what would be done any more; changed is whether the file has another text by now. The
// mutex is held.
func (s *Session) still(a *ask, changed bool) error {
	about := permission.Describe(&a.call, s.place())
	if d := s.m.opt.Rules().Decide(about, s.modeNow()); d.Verdict == permission.Rejected {
		r, _ := a.decided(s, d)
		return refusedBy(r)
	}
	same := len(about.Files) == len(a.about.Files)
	for i := range about.Files {
		same = same && about.Files[i] == a.about.Files[i]
	}
	if !same || changed {
		return &Error{Code: "changed", Message: "The file was changed while you waited for permission, so nothing was written. Read it again."}
	}
	return nil
}

// judged is how a request ends that nobody has to be asked about. The lock is held.
func (s *Session) judged(a *ask) (r transcript.Resolution, ok bool) {
	mode := s.modeNow()
	d := s.m.opt.Rules().Decide(a.about, mode)
	if d.Verdict != permission.Ask {
		return a.decided(s, d)
	}
	if before := s.answeredBefore(a); before != nil {
		return a.answered(before.Effect(), before.By())
	}
	if a.wish == nil {
		return r, false
	}
	if a.wish.Kind == "read" && a.id == "" && (mode != permission.AskAlways || a.outside()) { // nothing outside of the folder is read for an agent
		return a.answered(permission.Allow, &transcript.By{Who: "default", Effect: string(permission.Allow)})
	}
	if mode == permission.FollowRules && !a.about.Sensitive() {
		if chosen := s.trusts(a.wish.Kind); chosen != "" {
			return a.answered(permission.Allow, &transcript.By{Who: "agent_mode", Effect: string(permission.Allow), Mode: chosen})
		}
	}
	return r, false
}

// outside reports whether a request is about one file, which is not in the space's folder.
func (a *ask) outside() bool {
	return len(a.about.Files) == 1 && a.about.Files[0].Real == ""
}

// answeredBefore finds what the user has answered already in this turn about the same thing. The lock is held.
func (s *Session) answeredBefore(a *ask) *actions.Answer {
	switch {
	case s.run == nil || a.action == nil:
		return nil
	case a.wish != nil:
		return s.run.actions.Answers.Covers(a.action, a.about.Sensitive(), a.action.OldText)
	}
	return s.run.actions.Answers.Settles(a.action)
}

// textNow is the file's text now. It reads the disk.
func (w *wish) textNow() string {
	if w.now == nil {
		return ""
	}
	return w.now()
}

// remember keeps an answer for what comes of it, and answers open requests about the same thing with it. The lock is held.
func (s *Session) remember(a *ask, r transcript.Resolution) {
	if i := transcript.OptionIndex(a.options, r.OptionID); r.Outcome == "selected" && i >= 0 && a.options[i].Kind == "allow_always" {
		s.m.notes.Let(s.space.AgentID, a.about.Kind)
	}
	if s.run == nil || a.action == nil || r.Outcome != "selected" || r.By != nil && r.By.Who != "rule" {
		return
	}
	kind := ""
	if i := transcript.OptionIndex(a.options, r.OptionID); i >= 0 {
		kind = a.options[i].Kind
	}
	allow := kind == "allow_once" || kind == "allow_always"
	if !allow && kind != "reject_once" && kind != "reject_always" {
		return
	}
	s.run.actions.Answers.Remember(actions.Answer{Action: *a.action, Allow: allow, Own: a.wish != nil, Always: kind == "allow_always"})
	if kind == "allow_always" && a.action.Kind == "edit" && s.link != nil {
		s.link.allEdits = true
	}
}

// shownFor is the call at which a wish is asked about: that of the agent which shows just this, else a row of Weft's own. The lock is held.
func (l *link) shownFor(a *ask) *transcript.ToolPatch {
	if at := a.wish.at; at != "" && l.calls[at] != nil {
		return &transcript.ToolPatch{ID: at}
	}
	for id, call := range l.calls {
		if a.wish.ShownBy(&call.Call, l.shown[id], l.s.space.Folder) && !l.asksAbout(id) {
			return &transcript.ToolPatch{ID: id}
		}
	}
	row := a.wish.row
	row.ID, row.Announced, row.Input, row.Kind = l.s.newID("tool"), true, a.call.Input, &a.call.Kind
	return &row
}

// asksAbout reports whether a request about a call is open.
func (l *link) asksAbout(call string) bool {
	for _, a := range l.s.asks {
		if a.tool == call {
			return true
		}
	}
	return false
}

// endWish ends a row of Weft's own with what came of the wish.
func (l *link) endWish(id string, err error) {
	s := l.s
	s.Lock()
	defer s.Unlock()
	if s.turns.With(id) == nil {
		return
	}
	status := transcript.StatusCompleted
	p := &transcript.ToolPatch{ID: id, Status: &status}
	if err != nil {
		words := err.Error()
		status, p.Error = transcript.StatusFailed, &words
	}
	s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, s.m.now())
	s.flush()
}
