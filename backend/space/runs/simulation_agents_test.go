package runs

import (
	"fmt"

	"weft/backend/acp"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/lifecycle"
)

// The agents.

func (s *sim) agentActs() bool {
	var list []*simLink
	for _, l := range s.linkList() {
		if !l.reading && (l.opening == nil || l.l.session.ID() != "" || s.chance(10)) {
			list = append(list, l)
		}
	}
	if len(list) == 0 {
		return false
	}
	l := list[s.Rand.IntN(len(list))]
	if l.lost {
		s.losesConnection(l)
		return true
	}
	if l.turn == nil {
		if s.chance(15) {
			s.says(l)
		}
		return true
	}
	switch n := s.Rand.IntN(100); {
	case l.turn.cancelled && !l.turn.stubborn:
		s.endTurn(l, "cancelled", nil)
	case l.l.signedIn && n < 15: // it takes a sign-in over only when it starts
		s.endTurn(l, "", acp.ErrAuthRequired)
	case n < 45:
		s.says(l)
	case n < 60:
		s.calls(l)
	case n < 75:
		s.asks(l)
	case n < 78:
		s.questions(l)
	case n < 82:
		s.writesElsewhere(l)
	case n < 84:
		s.shows(l)
	case n < 88:
		s.takesBack(l)
	case n < 89:
		s.changesMode(l)
	case n < 96:
		s.endTurn(l, []string{"end_turn", "refusal", "cancelled"}[s.Rand.IntN(3)], nil)
	default:
		s.endTurn(l, "", &acp.RPCError{Code: acp.CodeInternal, Message: "no"})
	}
	return true
}

// handle has something delivered that the agent has sent.
func (s *sim) handle(l *simLink, in *acp.Inbound, token string) {
	in.SessionID = l.id
	l.reading = true
	s.Spawn(func() {
		before := l.l.session.Replay.UpdateCount()
		l.l.Handle(in, s.chance(30))
		if token != "" && l.l.session.Replay.UpdateCount() > before {
			l.space.said[l.l.s.member().ID].WriteString(token)
		}
		l.reading = false
	})
}

func (s *sim) says(l *simLink) {
	s.ids++
	token := fmt.Sprintf("t%d ", s.ids)
	if l.l.session.ID() == "" || l.l.stage.How().Purpose == lifecycle.ToLoad && l.opening != nil {
		return // what comes early, or is replayed, is said elsewhere
	}
	s.handle(l, &acp.Inbound{Kind: acp.KindUpdate, Update: transcript.Update{Kind: transcript.UpdateText, Text: token}}, token)
}

func (s *sim) calls(l *simLink) {
	id, title, kind := fmt.Sprintf("call%d", s.Rand.IntN(5)), "Look", "read"
	status := []transcript.Status{transcript.StatusPending, transcript.StatusRunning, transcript.StatusCompleted, transcript.StatusFailed}[s.Rand.IntN(4)]
	p := &transcript.ToolPatch{ID: id, Title: &title, Kind: &kind, Status: &status, Announced: s.chance(50)}
	switch s.Rand.IntN(6) {
	case 0: // a part of a file, whose line isn't known
		p.Content = &[]transcript.Content{{Type: "diff", Path: fmt.Sprintf("%d.txt", s.Rand.IntN(9)), OldText: "two", NewText: "three"}}
	case 1: // a patch
		p.Input = fmt.Appendf(nil, `{"patch":"*** Begin Patch\n*** Update File: %d.txt\n@@\n-two\n+three\n*** End Patch"}`, s.Rand.IntN(9))
	}
	s.handle(l, &acp.Inbound{Kind: acp.KindUpdate, Update: transcript.Update{Kind: transcript.UpdateTool, Tool: p}}, "")
}

func (s *sim) asks(l *simLink) {
	a := s.newAsk(l, "session/request_permission")
	a.req.Params = fmt.Appendf(nil, `{"sessionId":%q,"toolCall":{"toolCallId":"call%d","title":"Do it","kind":"execute","rawInput":{"command":"make %d"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`,
		l.id, s.Rand.IntN(5), s.Rand.IntN(3))
	asked := acp.DecodePermission(a.req.Params)
	s.handle(l, &acp.Inbound{Kind: acp.KindRequest, Method: a.req.Method, Request: a.req, Params: a.req.Params, Permission: &asked}, "")
}

func (s *sim) questions(l *simLink) {
	a := s.newAsk(l, "elicitation/create")
	a.req.Params = fmt.Appendf(nil, `{"sessionId":%q,"mode":"form","message":"Which?","requestedSchema":{"type":"object"}}`, l.id)
	s.handle(l, &acp.Inbound{Kind: acp.KindRequest, Method: a.req.Method, Request: a.req, Params: a.req.Params}, "")
}

// writesElsewhere has the run add a text to the other space, as the gateway does for it.
func (s *sim) writesElsewhere(l *simLink) {
	other := s.spaces[0]
	if other == l.space {
		other = s.spaces[1]
	}
	s.ids++
	token := fmt.Sprintf("t%d ", s.ids)
	s.Spawn(func() {
		m := l.l.s
		m.Lock()
		defer m.Unlock()
		if m.run == nil || m.run.turn.Stopping() || m.life.Live() != l.l {
			return
		}
		e := &simElsewhere{to: other, run: m.run.id, token: token}
		s.elsewhere = append(s.elsewhere, e)
		c := m.run.in(other.r.id)
		c.Text("p"+token, "", token)
		c.Do(0, func(target, *transcript.Fold) { e.added = true })
		if s.chance(50) { // it mentions someone
			c.End("end_turn", false)
			m.run.elsewhere.Detach(other.r.id)
		}
	})
}

// simElsewhere is a text in another space than that of its run.
type simElsewhere struct {
	to         *simSpace
	run, token string
	added      bool
}

// shows puts a display before the user that the run waits for.
func (s *sim) shows(l *simLink) {
	s.Spawn(func() {
		m := l.l.s
		m.Lock()
		defer m.Unlock()
		if m.run == nil || m.run.turn.Stopping() || m.life.Live() != l.l {
			return
		}
		d := displays.New(displays.Display{Request: m.w.newID("ask"), Tool: "showForm", Title: "Form", At: m.m.now(), SpaceID: m.id, MemberID: m.member().ID, RunID: m.run.id})
		d.Fold = m.run.currentFold()
		m.draw(d, true, nil)
		m.changed()
		m.Flush()
	})
}

// takesBack withdraws a request, which may have been answered, withdrawn, or never sent.
func (s *sim) takesBack(l *simLink) {
	req := &acp.Request{Method: "session/request_permission", ID: []byte("never")}
	if n := len(l.asked); n > 0 && s.chance(90) {
		req = l.asked[s.Rand.IntN(n)].req
	}
	s.handle(l, &acp.Inbound{Kind: acp.KindWithdrawn, Request: req}, "")
}

// changesMode has the agent change its mode by itself.
func (s *sim) changesMode(l *simLink) {
	mode := fmt.Sprintf(`"mode%d"`, s.Rand.IntN(3))
	s.handle(l, &acp.Inbound{Kind: acp.KindUpdate, Update: transcript.Update{Kind: transcript.UpdateState, Key: transcript.StateMode, Value: []byte(mode)}}, "")
}

// newAsk makes a request of an agent. Some agents use an id again.
func (s *sim) newAsk(l *simLink, method string) *simAsk {
	l.asks++
	id := l.asks
	if s.chance(10) {
		id = 1 + s.Rand.IntN(l.asks)
	}
	a := &simAsk{req: &acp.Request{Method: method, ID: fmt.Append(nil, id)}}
	l.asked = append(l.asked, a)
	return a
}

func (s *sim) endTurn(l *simLink, reason string, err error) {
	t := l.turn
	l.turn = nil
	s.logf("%s: the agent of %s ends its turn: %s %v", l.space.r.id, l.l.s.member().ID, reason, err)
	s.Spawn(func() { t.end(acp.PromptResult{StopReason: reason}, err) })
}

// losesConnection tells that the process of a session is gone, once everything that it had sent was handled.
func (s *sim) losesConnection(l *simLink) {
	switch {
	case l.opening != nil:
		l.opening(acp.ErrClosed)
	case l.turn != nil:
		t := l.turn
		l.turn = nil
		s.Spawn(func() {
			l.l.s.Lock()
			l.l.stage.Lost()
			l.l.s.Unlock()
			t.end(acp.PromptResult{}, acp.ErrClosed)
		})
	default:
		s.Spawn(func() {
			l.l.s.Lock()
			defer l.l.s.Unlock()
			l.l.stage.Lost()
		})
	}
}
