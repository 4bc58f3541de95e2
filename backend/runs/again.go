package runs

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/displays"
	"weft/backend/owner"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// againMethod tells Weft's own agent that the user wants a call once more; its next prompt begins with it.
const againMethod = "_weft/again"

// ToRepeat is a call that had failed and that the user wants once more.
type ToRepeat struct {
	Of        MemberKey // whose call it was
	SpaceID   string    // where it is shown, which may be another space
	MessageID string
	At        transcript.At
	Call      transcript.ToolCall
}

// RepeatBy makes a call once more by run, which blocks until it has ended. The call is running meanwhile and then shows
// its new result, of which the agent is told with its next prompt. It returns once the call is shown as running.
// Errors: *Error.
func (ts Tools) RepeatBy(ctx context.Context, c ToRepeat, run func(ctx context.Context) (jsontext.Value, error)) error {
	r, err := ts.m.runtime(ctx, c.SpaceID)
	if err != nil {
		return err
	}
	var f *transcript.Fold
	err = r.Do(owner.Command{Final: true, Change: func() (then, undo func(), err error) {
		f = r.foldOf(c)
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: c.Call.ID, Again: true}}, ts.m.now())
		return nil, nil, nil
	}})
	if f == nil { // otherwise it is shown as running, if not stored yet
		return err
	}
	ts.m.tasks.Go(func() {
		result, err := run(context.WithoutCancel(ctx))
		r.Lock()
		p := displays.Filled(c.Call.ID, result, err, false, ts.m.now())
		if c.Call.Kind != transcript.KindDisplay {
			p = toolcalls.Repeated(c.Call.ID, result, err)
		}
		f.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: p}, ts.m.now())
		r.Flush()
		r.changed()
		r.Unlock()
		if err == nil {
			ts.m.Prompts().tellRepeated(c, result)
		}
	})
	return nil
}

// foldOf is the fold of a call's message: that which has written it, or one that continues the call. The lock is held.
func (r *spaceRuntime) foldOf(c ToRepeat) *transcript.Fold {
	for _, s := range r.sessions {
		if f := s.turns.With(c.Call.ID); f != nil && f.ID == c.MessageID {
			return f
		}
	}
	return transcript.Reopen(&r.Box, c.MessageID, c.At, &c.Call)
}

// tellRepeated tells an agent what came of a call that the user has repeated.
func (ps Prompts) tellRepeated(c ToRepeat, result jsontext.Value) {
	text := toolcalls.RepeatedNotice(&c.Call, result)
	if _, _, err := ps.Send(context.Background(), c.Of.SpaceID, []string{c.Of.MemberID}, text); err != nil && !errors.Is(err, errNoMember) {
		ps.m.opt.Log.Warn().Err(err).Str("space", c.Of.SpaceID).Msg("an agent couldn't be told what came of a call that was repeated")
	}
}

// NoteRepeat tells an agent of Weft's own which call its next prompt is to begin with; ok is false where it can't be told:
// it isn't running, or isn't of Weft's own.
func (ts Tools) NoteRepeat(ctx context.Context, of MemberKey, tool string, input jsontext.Value) (ok bool) {
	s := ts.m.known(of.SpaceID, of.MemberID)
	if s == nil {
		return false
	}
	s.Lock()
	l := s.life.Live()
	if l == nil || l.session.ID() == "" || !l.config.Own() {
		s.Unlock()
		return false
	}
	conn, id := l.conn.Lane, l.session.ID()
	s.Unlock()
	return conn.Call(ctx, againMethod, map[string]any{"sessionId": id, "tool": tool, "input": input}, nil) == nil
}

// Retried notes that the gateway makes a call once more by itself, at the call that the agent shows.
func (ts Tools) Retried(from MemberKey, tool string, sent jsontext.Value) {
	s, _, err := ts.runIn(from)
	if err != nil {
		return
	}
	s.Lock()
	defer s.Unlock()
	l := s.life.Live()
	if l == nil {
		return
	}
	if found := l.calls.Drafts.Latest(tool, sent); found != nil {
		yes := true
		s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: found.ID, WasRetried: &yes}}, ts.m.now())
	}
}
