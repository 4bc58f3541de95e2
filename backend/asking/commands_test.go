package asking

import (
	"errors"
	"testing"

	"weft/backend/acp"
	"weft/backend/owner"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// carryOut does what the owner of a space does with a command that can be stored.
func carryOut(c owner.Command) error {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return err
		}
	}
	_, _, err := c.Change()
	return err
}

func TestCommandsEndWhatIsOpenInASpace(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 0, t.TempDir())
	h.next()
	none := func() Desks { return nil }
	all := func() Desks { return Desks{h.desk} }
	ask := func(id string) {
		a := &requests.Permission{ID: id, Tool: id, At: 2, Call: permission.Call{Kind: "execute", Title: id}, Options: requests.Options, Tell: func(requests.Outcome) {}}
		a.Describe(h.desk.Permissions.session.Place)
		h.desk.Permissions.Ask(a, &transcript.ToolPatch{ID: id, Announced: true, Title: &id})
	}
	ask("one")
	q := requests.NewQuestion[Asker](h, &acp.Request{}, &requests.Elicitation{Mode: "url", URL: "https://example.org", Message: "What?"})
	h.desk.Questions.Ask(q, false)
	ask("two")
	waiting := all().Waiting()
	if len(waiting) != 3 || waiting[0].RequestID != "one" || waiting[1].RequestID != "two" || waiting[2].Kind != "question" {
		t.Fatalf("waiting for the user are %+v", waiting)
	}
	invalid := errors.New("invalid")
	refuse := func(*requests.Permission) (transcript.Resolution, error) { return transcript.Resolution{}, invalid }
	for name, c := range map[string]struct {
		command owner.Command
		want    error
	}{
		"another request":  {Answering(all, "three", refuse), ErrNotWaiting},
		"another space":    {Answering(none, "one", refuse), ErrNotWaiting},
		"invalid":          {Answering(all, "one", refuse), invalid},
		"another question": {AnsweringQuestion(all, "three", "decline", nil), ErrNotWaiting},
	} {
		if err := carryOut(c.command); !errors.Is(err, c.want) || !c.command.Final || h.desk.Open() != 3 {
			t.Errorf("%s: %v, %d requests are open", name, err, h.desk.Open())
		}
	}
	n := 0
	for _, c := range []struct {
		command owner.Command
		open    int
	}{
		{Answering(all, "one", WithEffect(permission.Allow)), 2},
		{AnsweringQuestion(all, q.ID, "decline", nil), 1},
		{RefusingAll(all, &n), 0},
	} {
		if err := carryOut(c.command); err != nil || h.desk.Open() != c.open {
			t.Errorf("%v, %d requests are open, want %d", err, h.desk.Open(), c.open)
		}
	}
	if n != 1 {
		t.Errorf("%d requests were refused", n)
	}
}
