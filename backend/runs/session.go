package runs

import (
	"context"

	"weft/backend/actions"
	"weft/backend/agentauth"
	"weft/backend/asking"
	"weft/backend/elsewhere"
	"weft/backend/follow"
	"weft/backend/lifecycle"
	"weft/backend/mentions"
	"weft/backend/prelude"
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
	again   *Prompt                // for the run that begins next
	desk    *asking.Desk           // what the user is asked, and in which mode
	options sessionoptions.Options // what the session offers, and what is chosen of it
	cost    usage.Cost             // of the session, as last told
	signIns agentauth.Known        // the ways to sign in, as last told

	trail follow.Trail // of the agent
}

// run is a turn in progress.
type run struct {
	id        string
	prompt    string
	from      string // the member that asks, "" for the user
	parts     []Part
	again     *Prompt          // what it continues, for an agent that has forgotten it
	told      *prelude.Prelude // what the agent is told before the prompt, nil for nothing
	promptID  string
	fold      *transcript.Fold
	started   int64             // unix ms
	before    usage.Cost        // of the session when the run began
	tokens    transcript.Tokens // that the agent has told request by request
	phase     runPhase
	need      *lifecycle.Need[*liveSession] // of a session, while it waits for that
	stopping  bool
	prompted  bool            // the agent has the prompt
	shows     bool            // the agent has said or done something
	ctx       context.Context // of what is done before the agent has the prompt
	cancel    context.CancelFunc
	done      chan struct{} // closed when the run is over
	watched   chan struct{} // closed when the beginning was told to whoever watches
	ready     func(context.Context)
	budget    *mentions.Budget       // of the prompt that it comes of
	depth     int                    // how many mentions have led to it
	reply     *mentions.ReplyWaiter  // who waits for what comes of it, nil if nobody does
	words     mentions.Words         // what it has said in its own space, while someone waits for it
	elsewhere *elsewhere.Run[target] // what it writes to other spaces
	sent      *liveSession           // with which the agent got the prompt, nil until then
	actions   actions.Turn           // what the agent did, asked for, and was answered
}

// runPhase is where a run stands.
type runPhase int

const (
	runNew       runPhase = iota // it is being stored
	runWaiting                   // for a session
	runPreparing                 // its prompt is put together
	runSent                      // the agent has the prompt
	runOver
)

func newSession(r *spaceRuntime, space Space, member Member, options sessionoptions.Options) *Session {
	space.AgentID = member.AgentID
	s := &Session{spaceRuntime: r, space: space, member: member, options: options}
	s.turns = transcript.NewTurns(&r.Box, transcript.Author{Kind: "person"}, s.author(), func() string { return r.newID("msg") })
	s.life = lifecycle.New[*liveSession](s, lifecycleMember{s})
	s.desk = s.newDesk()
	return s
}

// author is who writes the messages of the session.
func (s *Session) author() transcript.Author {
	return transcript.Author{Kind: "agent", ID: s.space.AgentID, Name: s.member.Name, MemberID: transcript.MemberField(s.member.ID)}
}
