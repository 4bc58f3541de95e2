package runs

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
	"weft/backend/space/owner"
	"weft/backend/space/toolcalls"
)

// againMethod is the request to Weft's own agent to begin its next prompt by repeating a call.
const againMethod = "_weft/again"

// ToRepeat is a failed call that the user wants to repeat.
type ToRepeat struct {
	Of        MemberKey // the member that made the call
	SpaceID   string    // the space that shows it, which may be another one
	MessageID string
	At        transcript.At
	Call      transcript.ToolCall
}

// RepeatBy repeats a call by calling run in a new goroutine. The call is shown as running until run returns, and then
// with its new result, which Weft also sends to the agent as a prompt. RepeatBy returns once the call is shown as
// running. Errors: *Error.
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
	if f == nil { // else the call is shown as running, even if that isn't stored yet
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

// foldOf returns the fold of the call's message, or a new fold that continues the call. The lock is held.
func (r *spaceRuntime) foldOf(c ToRepeat) *transcript.Fold {
	for _, s := range r.sessions {
		if f := s.turns.With(c.Call.ID); f != nil && f.ID == c.MessageID {
			return f
		}
	}
	return transcript.Reopen(&r.Box, c.MessageID, c.At, &c.Call)
}

// tellRepeated sends the result of a repeated call to the agent.
func (ps Prompts) tellRepeated(c ToRepeat, result jsontext.Value) {
	text := toolcalls.RepeatedNotice(&c.Call, result)
	if _, _, err := ps.Send(context.Background(), c.Of.SpaceID, []string{c.Of.MemberID}, text); err != nil && !errors.Is(err, errNoMember) {
		ps.m.opt.Log.Warn().Err(err).Str("space", c.Of.SpaceID).Msg("couldn't send the result of a repeated call to the agent")
	}
}

// NoteRepeat asks Weft's own agent to begin its next prompt by repeating a call. It returns false if the member's agent
// isn't Weft's own or isn't running.
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

// Retried notes in the agent's call that the gateway retries it.
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
