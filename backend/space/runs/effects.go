package runs

import (
	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/permission"
	"weft/backend/space/lifecycle"
	"weft/backend/space/toolcalls"
)

// effect is something slow that a step wants done. The world does it without the lock ([world.do]), and what came of it
// is the input of a later step. These are all effects, besides storing, timers and goroutines, which [owner.World] has.
//
//sumtype:decl
type effect interface{ effect() }

type (
	// openSession starts the agent of a session or joins its running process, and opens the session as its stage
	// specifies. fresh asks for a new process. Input: sessionOpened.
	openSession struct {
		l     *liveSession
		fresh bool
	}
	// closeSession cancels an open in progress and leaves the process, which ends with its last session. Input:
	// sessionClosed.
	closeSession struct {
		l   *liveSession
		how lifecycle.Ending
	}
	// signIn signs in to the agent in an open session. It is canceled when the context of the attempt ends. Input:
	// signedIn.
	signIn struct {
		l       *liveSession
		attempt *signInAttempt
	}
	// readFiles reads the files that a look names. Input: filesRead.
	readFiles struct {
		l       *liveSession
		look    *toolcalls.Look
		waiting *waiting
	}
	// findLinks finds out where the paths of calls lead. Input: linksFound.
	findLinks struct {
		l       *liveSession
		calls   []permission.Call
		waiting *waiting
	}
	// watchRun and unwatchRun notify the file watch of a run.
	watchRun   struct{ r *run }
	unwatchRun struct{ r *run }
	// preparePrompt builds a run's prompt. It is canceled when the context of the run ends. Input: promptPrepared.
	preparePrompt struct {
		l *liveSession
		r *run
	}
	// setOptions sets the agent's options to the wanted values. Input: optionsSet.
	setOptions struct{ l *liveSession }
	// sendPrompt sends the prompt to the agent, unless [run.markSending] returns false, and waits for the end of the
	// turn. Input: turnEnded.
	sendPrompt struct {
		l      *liveSession
		r      *run
		prompt []sdk.ContentBlock
	}
	// cancelTurn asks the agent to end its turn.
	cancelTurn struct{ l *liveSession }
	// answerRequest and refuseRequest answer a request from the agent.
	answerRequest struct {
		l      *liveSession
		req    *acp.Request
		result any
	}
	refuseRequest struct {
		l       *liveSession
		req     *acp.Request
		code    int
		message string
	}
)

func (openSession) effect()   {}
func (closeSession) effect()  {}
func (signIn) effect()        {}
func (readFiles) effect()     {}
func (findLinks) effect()     {}
func (watchRun) effect()      {}
func (unwatchRun) effect()    {}
func (preparePrompt) effect() {}
func (setOptions) effect()    {}
func (sendPrompt) effect()    {}
func (cancelTurn) effect()    {}
func (answerRequest) effect() {}
func (refuseRequest) effect() {}

// perform has an effect carried out; what came of it is the input of a later step. It doesn't block, and may be called
// with the lock.
func (r *spaceRuntime) perform(e effect) { r.w.do(e, r.accept) }
