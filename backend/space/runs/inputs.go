package runs

import (
	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/acp"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission/files"
	"weft/backend/space/lifecycle"
	"weft/backend/space/toolcalls"
)

// input is what happens to a space: something arrives, or an effect is over. What it needs of the disk has been read.
// A change by the user is an [owner.Command] instead, because it may be refused.
//
//sumtype:decl
type input interface {
	// step changes the state. The lock is held.
	step()
}

type (
	// fromAgent is an item that an agent has sent, with what was read for it; both may be nil.
	fromAgent struct {
		l     *liveSession
		item  *acp.Inbound
		files *toolcalls.Snapshot
		links *files.View
	}
	// fromModel is what the model proxy has seen of a request to a model.
	fromModel struct {
		l     *liveSession
		event modelproxy.Event
	}
	// filesFound are files that changed during a run. links may be nil.
	filesFound struct {
		s     *Session
		runID string
		paths []string
		alone bool // no other run can have changed them
		links *files.View
	}
	// stopped is the user's wish that a member ends its turn ("": all members). It is no command: it can't be refused.
	stopped struct {
		r      *spaceRuntime
		member string
	}

	// sessionOpened, after openSession.
	sessionOpened struct {
		l   *liveSession
		err error
	}
	// sessionClosed, after closeSession.
	sessionClosed struct{ l *liveSession }
	// signedIn, after signIn.
	signedIn struct {
		signIn
		err error
	}
	// filesRead, after readFiles.
	filesRead struct {
		readFiles
		files *toolcalls.Snapshot
	}
	// linksFound, after findLinks.
	linksFound struct {
		findLinks
		links *files.View
	}
	// promptPrepared, after preparePrompt.
	promptPrepared struct {
		preparePrompt
		prompt []sdk.ContentBlock
		err    error
	}
	// optionsSet, after setOptions.
	optionsSet struct{ l *liveSession }
	// turnEnded, after sendPrompt.
	turnEnded struct {
		sendPrompt
		result acp.PromptResult
		err    error
	}
)

// accept changes the state by an input, in a step of its own. It blocks for other steps only; the lock isn't held.
func (r *spaceRuntime) accept(in input) { r.Step(in.step) }

func (in fromAgent) step() {
	l, s := in.l, in.l.s
	if s.life.Live() != l {
		if in.item.Kind == acp.KindRequest {
			agentRequests{l}.refuse(in.item.Request, acp.CodeInternal, "This connection has ended.")
		}
		return
	}
	s.Writer = s.turns
	l.calls.Files = in.files
	s.withView(in.links, func() { l.fold(in.item) })
	l.calls.Files = nil
}

func (in fromModel) step() {
	l := in.l
	switch {
	case l.s.life.Live() != l:
	case in.event.Call == 0:
		l.measured.Add(in.event)
	case l.s.run != nil:
		l.calls.Observe(in.event)
	}
}

func (in filesFound) step() {
	s := in.s
	if r := s.finds(in.runID); r != nil {
		r.actions.Found.Add(in.paths, in.alone, in.links)
		s.reportUnasked(r, r != s.run)
		s.Flush()
	}
}

func (in stopped) step() {
	for _, s := range in.r.inOrder() {
		if in.member == "" || s.member().ID == in.member {
			s.stop()
		}
	}
	in.r.changed()
}

func (in sessionOpened) step() {
	s := in.l.s
	s.inbox.Questions.Started(asker{in.l})
	if in.l.stage.How().Purpose == lifecycle.ToLoad {
		s.turns.EndReplay()
	}
	in.l.stage.Opened(in.err)
}

func (in sessionClosed) step() { in.l.stage.Gone() }

func (in signedIn) step() {
	in.attempt.cancel(nil)
	in.l.s.inbox.Questions.Started(asker{in.l})
	in.l.signedIn = in.l.signedIn || in.err == nil
	in.l.stage.SignedIn(in.err)
	in.attempt.done(in.err)
}

func (in filesRead) step() {
	if in.waiting != nil {
		in.waiting.files = in.files
		in.waiting.end(in.l)
	} else if in.l.s.life.Live() == in.l {
		in.l.calls.ShowRead(in.look)
		in.l.s.Pace(false)
	}
}

func (in linksFound) step() {
	in.waiting.links = in.links
	in.waiting.end(in.l)
}

func (in promptPrepared) step() { in.r.prepared(in.l, in.prompt, in.err) }

func (in optionsSet) step() {
	in.l.adjusts.pending = false
	in.l.adjusted()
	in.l.optionsChanged()
}

func (in turnEnded) step() {
	in.l.noteActivity()
	in.r.turnOver(in.l, in.result, in.err)
}
