package runs

import (
	"weft/backend/agentauth"
	"weft/backend/asking"
	"weft/backend/follow"
	"weft/backend/lifecycle"
	"weft/backend/prompt"
	"weft/backend/sessionoptions"
	"weft/backend/transcript"
	"weft/backend/usage"
)

// Session is what one member keeps for its space: a conversation, and a process that may serve other sessions, too.
type Session struct {
	*spaceRuntime

	space  Space // with the agent of the member; its members are in the runtime's
	member Member

	// Under the lock of the space.
	life    *lifecycle.Machine[*liveSession]
	turns   *transcript.Turns
	run     *run
	last    *run                   // that has ended last, nil if none has
	again   *prompt.Said           // for the run that begins next
	desk    *asking.Desk           // what the user is asked, and in which mode
	options sessionoptions.Options // what the session offers, and what is chosen of it
	cost    usage.Cost             // of the session, as last told
	signIns agentauth.Known        // the ways to sign in, as last told

	trail follow.Trail // of the agent
}

func newSession(r *spaceRuntime, space Space, member Member, options sessionoptions.Options) *Session {
	space.AgentID = member.AgentID
	s := &Session{spaceRuntime: r, space: space, member: member, options: options}
	s.turns = transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, s.author(), func() string { return r.w.newID("msg") })
	s.life = lifecycle.New[*liveSession](s, lifecycleMember{s})
	s.desk = newDesk(s)
	return s
}

// author is who writes the messages of the session.
func (s *Session) author() transcript.Author {
	return transcript.Author{Kind: "agent", ID: s.space.AgentID, Name: s.member.Name, MemberID: transcript.MemberField(s.member.ID)}
}
