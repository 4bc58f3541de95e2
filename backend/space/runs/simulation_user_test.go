package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent/agentauth"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/lifecycle"
	"weft/backend/space/mentions"
	"weft/backend/space/owner"
	"weft/backend/space/promptqueue"
	"weft/backend/space/requests"
)

// The user.

func (s *sim) userActs() {
	sp := s.spaces[s.Rand.IntN(len(s.spaces))]
	if sp.left {
		return
	}
	members := sp.r.space.Members
	member := members[s.Rand.IntN(len(members))].ID
	session := sp.r.sessions[member]
	if session == nil {
		return
	}
	switch n := s.Rand.IntN(100); {
	case n < 34:
		s.send(sp, member)
	case n < 42:
		s.logf("%s: the user stops %s", sp.r.id, member)
		s.Spawn(func() { _ = s.m.Prompts().Stop(context.Background(), sp.r.id, member) })
	case n < 56:
		s.answerAll(sp)
	case n < 62:
		s.editQueue(sp)
	case n < 67:
		s.logf("%s: the user signs %s in", sp.r.id, member)
		sp.signIns[member] = true
		s.Spawn(func() {
			session.Lock()
			off := session.startSignIn(agentauth.Method{ID: "sso", Type: []string{agentauth.ByAgent, agentauth.ByVariables}[s.Rand.IntN(2)]}, func(error) {})
			session.Unlock()
			if s.chance(20) {
				s.Begin("the sign-in is called off", func() {
					session.Lock()
					off(context.Canceled)
					session.Unlock()
				})
			}
		})
	case n < 72:
		s.logf("%s: an earlier session of %s is loaded", sp.r.id, member)
		s.Spawn(func() {
			session.Lock()
			defer session.Unlock()
			if !session.life.Busy() && !session.life.Left() {
				session.life.Reopen(&lifecycle.Opening[*liveSession]{Purpose: lifecycle.ToLoad, Done: func(*liveSession, error) {}})
			}
		})
	case n < 76:
		s.logf("%s: %s is prepared", sp.r.id, member)
		w := &lifecycle.Need[*liveSession]{InTurn: true, Done: func(*liveSession, error) {}}
		s.Spawn(func() {
			session.Lock()
			session.life.Need(w)
			session.Unlock()
		})
		s.Begin("whoever prepared it gives up", func() {
			session.Lock()
			session.life.CallOff(w)
			session.Unlock()
		})
	case n < 80:
		s.logf("%s: %s restarts", sp.r.id, member)
		s.Spawn(func() {
			session.Lock()
			defer session.Unlock()
			if l := session.life.Live(); l != nil && !session.life.Busy() {
				l.stage.End(lifecycle.Ending{})
				session.life.StartFresh()
			}
		})
	case n < 83:
		mode := []permission.Mode{permission.FollowRules, permission.AskAlways, permission.ReadOnly}[s.Rand.IntN(3)]
		s.logf("%s: the mode is %s", sp.r.id, mode)
		s.Spawn(func() { s.m.SetMode(sp.r.id, mode) })
	case n < 87 && len(members) > 1:
		s.mention(sp, session)
	case n < 90 && len(members) > 1:
		s.logf("%s: a member leaves", sp.r.id)
		space := sp.r.space
		space.Members = slices.Clone(members)[:1]
		s.Spawn(func() {
			sp.r.Lock()
			defer sp.r.Unlock()
			for _, session := range sp.r.setMembers(space) {
				session.leave(requests.Stopped, func() {})
			}
		})
	case n < 91:
		s.rename(sp)
	case n < 96:
		sp.full = !sp.full
		s.logf("%s: the disk is full: %v", sp.r.id, sp.full)
	case n < 97:
		s.drop(sp)
	default:
		s.kill()
	}
}

// rename gives the first member another name.
func (s *sim) rename(sp *simSpace) {
	name := fmt.Sprintf("Name%d", s.Rand.IntN(100))
	s.logf("%s: a member is now %s", sp.r.id, name)
	s.Spawn(func() {
		sp.r.Lock()
		defer sp.r.Unlock()
		space := sp.r.space
		space.Members = slices.Clone(space.Members)
		space.Members[0].Name = name
		for _, session := range sp.r.setMembers(space) {
			s.failf("%s: %s leaves because a member was renamed", sp.r.id, session.member().ID)
		}
	})
}

func (s *sim) send(sp *simSpace, member string) {
	p := &simPrompt{space: sp}
	s.prompts = append(s.prompts, p)
	sessions := []*Session{sp.r.sessions[member]}
	if s.chance(20) {
		sessions = sp.r.inOrder()
	}
	text := fmt.Sprintf("prompt %d", len(s.prompts))
	s.logf("%s: the user says %q to %d members", sp.r.id, text, len(sessions))
	s.Spawn(func() {
		c := sp.r.sending(sessions, promptqueue.Prompt{Text: text}, &p.queued, &p.id)
		c.Done = func(err error) {
			p.done, p.err = p.done+1, err
			s.logf("%s: %q queued %v, %v", sp.r.id, text, p.queued, err)
		}
		sp.r.Lock()
		sp.r.Submit(&c)
		sp.r.Unlock()
	})
}

func (s *sim) answerAll(sp *simSpace) {
	for _, session := range sp.r.inOrder() {
		for _, a := range session.inbox.Permissions.List() {
			c := requests.AnswerCommand(sp.r.inboxes, a.ID, func(*requests.Permission) (transcript.Resolution, error) {
				return transcript.Resolution{Outcome: "selected", OptionID: []string{"yes", "no"}[s.Rand.IntN(2)]}, nil
			})
			s.command(sp, "answers", c)
		}
		for _, d := range sp.r.displays.All() {
			s.command(sp, "answers a display", owner.Command{Final: true, Change: func() (then, undo func(), err error) {
				if !sp.r.displays.Takes(d, false) {
					return nil, nil, requests.ErrNotWaiting
				}
				sp.r.answerDisplay(d, jsontext.Value("{}"), false)
				return nil, nil, nil
			}})
		}
		for _, q := range session.inbox.Questions.List() {
			s.command(sp, "answers a question", requests.AnswerQuestionCommand(sp.r.inboxes, q.ID, []string{"decline", "cancel"}[s.Rand.IntN(2)], nil))
		}
	}
}

func (s *sim) command(sp *simSpace, name string, c owner.Command) {
	done := 0
	c.Done = func(err error) {
		if done++; done > 1 {
			s.failf("a command is answered %d times", done)
		}
		s.logf("%s: the user %s: %v", sp.r.id, name, err)
	}
	s.Spawn(func() {
		sp.r.Lock()
		sp.r.Submit(&c)
		sp.r.Unlock()
	})
}

func (s *sim) editQueue(sp *simSpace) {
	queue := sp.r.queue.All()
	if len(queue) == 0 {
		return
	}
	q := queue[s.Rand.IntN(len(queue))]
	if session := sp.r.sessions[q.MemberID]; session != nil && s.chance(25) {
		s.command(sp, "sends a prompt of the queue", session.sendingQueued(q.ID))
		return
	}
	if s.chance(30) {
		before := ""
		if s.chance(60) {
			before = queue[s.Rand.IntN(len(queue))].ID
		}
		s.command(sp, "moves a prompt of the queue", owner.Command{Change: func() (then, undo func(), err error) { return sp.r.changeQueue(promptqueue.Moving(q.ID, before)) }})
		return
	}
	text := []string{"", "changed"}[s.Rand.IntN(2)]
	s.command(sp, "edits the queue", owner.Command{Change: func() (then, undo func(), err error) { return sp.r.changeQueue(promptqueue.Editing(q.ID, text)) }})
}

// mention has a member asked by another one, which waits for the reply.
func (s *sim) mention(sp *simSpace, session *Session) {
	w := mentions.NewReplyWaiter()
	s.waiters = append(s.waiters, w)
	s.logf("%s: %s is asked by another agent", sp.r.id, session.member().ID)
	s.Spawn(func() { session.ask(promptqueue.Prompt{Text: "please", From: "Somebody", Reply: w}) })
}

func (s *sim) drop(sp *simSpace) {
	s.logf("%s: the user deletes it", sp.r.id)
	sp.left, sp.early = true, !s.reliable
	s.Spawn(func() {
		sp.r.Lock()
		s.logf("%s: it is left", sp.r.id)
		sp.r.leave(requests.Stopped, func() {
			for _, l := range s.linkList() {
				if l.space == sp {
					s.failf("%s: it is over, and %s still has a session", sp.r.id, l.l.s.member().ID)
				}
			}
			sp.gone, sp.lossy = true, sp.r.Trouble() != nil
		})
		sp.r.Unlock()
	})
}

// kill ends a process from outside.
func (s *sim) kill() {
	for _, p := range s.procs {
		if !p.dead && !p.closed && s.chance(50) {
			s.logf("a process of %s is killed", p.agent)
			p.closed = true
			for _, l := range p.links {
				if sl := s.links[l]; sl != nil {
					sl.lost = true
				}
			}
			return
		}
	}
}
