package runs

import (
	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/llm/usage"
	"weft/backend/space/lifecycle"
	"weft/backend/space/turn"
)

// fold handles one item from the agent. The lock is held.
func (l *liveSession) fold(in *acp.Inbound) {
	switch in.Kind {
	case acp.KindUpdate:
		l.takeAddressed(in.SessionID, &in.Update, in.Size)
	case acp.KindOversize:
		if in.Method == "session/update" {
			l.takeAddressed(in.SessionID, &in.Update, in.Size)
		}
	case acp.KindRequest:
		l.noteActivity()
		l.s.run.noteProgress(nil)
		agentRequests{l}.request(in)
	case acp.KindWithdrawn:
		l.s.inbox.Canceled(asker{l}, in.Request)
	case acp.KindPanic:
		l.s.m.opt.Log.Error().Err(in.Err).Str("agent", l.config.ID).Msg("couldn't fold an update")
		l.note(turn.Unhandled(in.Err))
	case acp.KindResponse:
		if in.Response.Method == "session/load" {
			l.session.Replay.Answered()
		}
	case acp.KindNotification:
		if in.Method == "elicitation/complete" {
			l.s.inbox.Questions.Completed(asker{l}, in.Params)
		} // others are only in the protocol log
	case acp.KindBroken:
		// It is only in the protocol log.
	}
}

// takeAddressed folds an update if it is for this session. While the session's id is unknown, the update is kept; too
// many of them end the session.
func (l *liveSession) takeAddressed(sessionID string, u *transcript.Update, size int) {
	ours, err := l.session.Take(sessionID, u, size)
	if err != nil {
		l.stage.End(lifecycle.Ending{Why: err})
	} else if ours {
		l.take(u)
	}
}

// take folds an update from the agent, after mapping its call ids to Weft's.
func (l *liveSession) take(u *transcript.Update) { l.update(l.calls.IDs.Report(u)) }

// update folds an update with Weft's call ids.
func (l *liveSession) update(u *transcript.Update) {
	l.session.Replay.CountUpdate()
	if u.Kind != transcript.UpdateState && (l.session.Discarding() || l.s.turns.Replaying()) {
		l.session.Replay.Update()
		if l.session.Discarding() && !l.session.IsNew(u) {
			return
		}
	}
	if u.Works() {
		l.noteActivity()
	}
	if l.session.IsGreeting(u) || !l.prompted && !l.session.Discarding() && !l.s.turns.Replaying() {
		u = u.AsNotice()
	}
	l.s.run.noteProgress(u)
	if l.s.run != nil && l.s.run.turn.Stopping() {
		u = u.AsStopped()
	}
	if u.Kind == transcript.UpdateTool {
		l.calls.Report(u, int(l.session.Replay.UpdateCount()))
		l.s.Broadcast() // for expects
		return
	}
	l.show(u)
	if u.Kind == transcript.UpdateState {
		switch u.Key {
		case transcript.StateMode:
			l.s.options.SetMode(u.Value)
			l.s.offerChanged(l)
		case transcript.StateUsage:
			if c := usage.CostOf(u.Value); c != (usage.Cost{}) {
				l.s.cost = c
			}
		case transcript.StateConfig:
			l.s.options.SetConfig(u.Value)
			l.s.offerChanged(l)
		default:
		}
	}
	if u.Kind == transcript.UpdateState && u.Key == transcript.StateTitle {
		var title string
		if json.Unmarshal(u.Value, &title) == nil && title != "" {
			l.s.Effect(func() { l.s.m.opt.OnTitle(l.s.space.ID, title) })
		}
	}
}

// show adds an update to the conversation. The lock is held.
func (l *liveSession) show(u *transcript.Update) {
	if u.Tokens != nil && l.s.run != nil {
		l.s.run.used.Tokens.Add(*u.Tokens)
	}
	if l.s.run != nil && !l.s.turns.Replaying() {
		u = l.s.run.mentions.Said(u, l.s.member().ByTool, len(l.s.replies.All()) > 0)
	}
	l.s.turns.Update(u.Vouched(l.config.Own()), l.s.m.now())
}

func (l *liveSession) note(sentence fault.Said) {
	if f := l.s.turns.Current(); f != nil {
		if l.s.run != nil {
			f = l.s.run.currentFold()
		}
		f.Note(sentence)
	}
}
