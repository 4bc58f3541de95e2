package requests

import (
	"errors"
	"testing"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/owner"
)

// carryOut executes a command like the owner of a space.
func carryOut(c owner.Command) error {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return err
		}
	}
	_, _, err := c.Change()
	return err
}

func TestCommandsEndOpenRequests(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 0, t.TempDir())
	h.next()
	none := func() Inboxes { return nil }
	all := func() Inboxes { return Inboxes{h.inbox} }
	ask := func(id string) {
		a := &Permission{ID: id, Tool: id, At: 2, Call: permission.Call{Kind: "execute", Title: id}, Options: ownOptions, Tell: func(Outcome) {}}
		a.Describe(h.inbox.Permissions.session.Place)
		h.inbox.Permissions.Ask(a, &transcript.ToolPatch{ID: id, Announced: true, Title: &id})
	}
	ask("one")
	q := NewQuestion(h, &acp.Request{}, &Elicitation{Mode: "url", URL: "https://example.org", Message: "What?"})
	h.inbox.Questions.Ask(q, false)
	ask("two")
	waiting := all().Waiting()
	if len(waiting) != 3 || waiting[0].RequestID != "one" || waiting[1].RequestID != "two" || waiting[2].Kind != "question" {
		t.Fatalf("waiting for the user are %+v", waiting)
	}
	invalid := errors.New("invalid")
	refuse := func(*Permission) (transcript.Resolution, error) { return transcript.Resolution{}, invalid }
	for name, c := range map[string]struct {
		command owner.Command
		want    error
	}{
		"another request":  {AnswerCommand(all, "three", refuse), ErrNotWaiting},
		"another space":    {AnswerCommand(none, "one", refuse), ErrNotWaiting},
		"invalid":          {AnswerCommand(all, "one", refuse), invalid},
		"another question": {AnswerQuestionCommand(all, "three", "decline", nil), ErrNotWaiting},
	} {
		if err := carryOut(c.command); !errors.Is(err, c.want) || !c.command.Final || h.inbox.Open() != 3 {
			t.Errorf("%s: %v, %d requests are open", name, err, h.inbox.Open())
		}
	}
	n := 0
	for _, c := range []struct {
		command owner.Command
		open    int
	}{
		{AnswerCommand(all, "one", WithEffect(permission.Allow)), 2},
		{AnswerQuestionCommand(all, q.ID, "decline", nil), 1},
		{RefuseAllCommand(all, &n), 0},
	} {
		if err := carryOut(c.command); err != nil || h.inbox.Open() != c.open {
			t.Errorf("%v, %d requests are open, want %d", err, h.inbox.Open(), c.open)
		}
	}
	if n != 1 {
		t.Errorf("%d requests were refused", n)
	}
}
