package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/guide"
)

// maxEdit is the size of the largest file that is edited, in bytes.
const maxEdit = 1 << 20

// The options of a permission request.
const (
	allowOnce   acp.PermissionOptionId = "allow-once"
	allowAlways acp.PermissionOptionId = "allow-always"
	rejectOnce  acp.PermissionOptionId = "reject-once"
)

// Write implements guide.Turn: it shows the change, asks the person, and writes through the client if the
// client offers that, else by itself. The file must still hold what the edit was worked out from.
func (t *turn) Write(_ context.Context, e guide.Edit) error {
	diff := acp.ToolDiffContent(t.absolute(e.Path), e.Content)
	if !e.New {
		diff = acp.ToolDiffContent(t.absolute(e.Path), e.Content, e.Old)
	}
	added, removed := changedLines(e.Old, e.Content)
	granted := t.session.allowsEdits()
	c := toolCall{
		turn: t, tool: "write", title: e.Title, kind: acp.ToolKindEdit, at: t.locations(e.Path, 0), pending: !granted,
		input: map[string]any{"path": e.Path, "content": e.Content}, content: []acp.ToolCallContent{diff},
	}
	err := c.do(func(ctx context.Context) (outcome, error) {
		if err := t.stillAs(e); err != nil {
			return outcome{}, err
		}
		if !granted {
			if err := c.ask(ctx); err != nil {
				return outcome{}, err
			}
			c.running()
			// The person may have taken a while.
			if err := t.stillAs(e); err != nil {
				return outcome{}, err
			}
		}
		if err := t.write(ctx, e); err != nil {
			return outcome{}, err
		}
		summary := fmt.Sprintf("+%d −%d in %s", added, removed, e.Path)
		if e.New {
			summary = fmt.Sprintf("Created %s, %s", e.Path, count(added, "line", "lines"))
		}
		return outcome{summary: summary, count: added + removed, content: c.content, output: map[string]any{
			"path": e.Path, "added": added, "removed": removed, "created": e.New,
		}}, nil
	})
	if errors.Is(err, errRejected) {
		return guide.ErrDeclined
	}
	return err
}

func (t *turn) absolute(name string) string {
	if rel, err := t.folder.Rel(name); err == nil {
		return t.folder.Abs(rel)
	}
	return name
}

// stillAs reports whether an edit can be made: its file is inside the folder and as the edit expects it.
func (t *turn) stillAs(e guide.Edit) error {
	rel, err := t.folder.Rel(e.Path)
	if err != nil {
		return err
	}
	if err := t.folder.CheckWritable(rel); err != nil {
		return err
	}
	text, err := t.folder.ReadAll(rel, maxEdit)
	switch {
	case e.New && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case e.New:
		return fmt.Errorf("%s exists by now, so it was not created", rel)
	case text != e.Old:
		return fmt.Errorf("%s has changed meanwhile, so nothing was written", rel)
	}
	return nil
}

func (t *turn) write(ctx context.Context, e guide.Edit) error {
	rel, err := t.folder.Rel(e.Path)
	if err != nil {
		return err
	}
	if !t.agent.clientWrites() {
		return t.folder.Write(rel, e.Content)
	}
	ctx, release := t.agent.askable(ctx)
	defer release()
	_, err = acp.SendRequest[acp.WriteTextFileResponse](t.agent.conn, ctx, acp.ClientMethodFsWriteTextFile,
		acp.WriteTextFileRequest{SessionId: t.session.id, Path: t.folder.Abs(rel), Content: e.Content})
	if err != nil {
		return fmt.Errorf("the client did not write %s: %s", rel, clientError(err))
	}
	return nil
}

// ask requests the person's permission for a call. It blocks until there is an answer, and returns errRejected
// if the answer is no. A request that the client cancelled cancels the turn.
func (c *toolCall) ask(ctx context.Context) error {
	t := c.turn
	ctx, release := t.agent.askable(ctx)
	defer release()
	answer, err := acp.SendRequest[acp.RequestPermissionResponse](t.agent.conn, ctx, acp.ClientMethodSessionRequestPermission, acp.RequestPermissionRequest{
		SessionId: t.session.id,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: c.id, Title: acp.Ptr(c.title), Kind: acp.Ptr(c.kind), Status: acp.Ptr(acp.ToolCallStatusPending),
			Locations: c.at, RawInput: c.input, Content: c.content,
		},
		Options: []acp.PermissionOption{
			{OptionId: allowOnce, Name: "Allow this edit", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: allowAlways, Name: "Allow all edits in this session", Kind: acp.PermissionOptionKindAllowAlways},
			{OptionId: rejectOnce, Name: "Reject", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	switch {
	case ctx.Err() != nil || answer.Outcome.Cancelled != nil:
		t.stop()
		return context.Canceled
	case err != nil:
		return fmt.Errorf("the client could not be asked for permission, so nothing was written: %s", clientError(err))
	case answer.Outcome.Selected == nil:
		return errRejected
	}
	switch answer.Outcome.Selected.OptionId {
	case allowOnce:
		return nil
	case allowAlways:
		t.session.allowEdits(t)
		return nil
	}
	return errRejected
}

// askable returns a context for a request to the client; it also ends when the client can answer no more.
func (a *agent) askable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(a.asking, cancel)
	return ctx, func() { stop(); cancel() }
}

func (s *session) allowsEdits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.granted
}

func (s *session) allowEdits(t *turn) {
	s.mu.Lock()
	s.granted = true
	s.mu.Unlock()
	t.record(record{Grant: "edit"})
}

// clientError is the message of an error that the client returned.
func clientError(err error) string {
	var rerr *acp.RequestError
	if errors.As(err, &rerr) {
		if data, ok := rerr.Data.(map[string]any); ok {
			if text, ok := data["error"].(string); ok {
				return text
			}
		}
		return rerr.Message
	}
	return err.Error()
}

// changedLines counts the lines an edit adds and removes.
func changedLines(old, text string) (added, removed int) {
	for _, line := range strings.Split(udiff.Unified("", "", old, text), "\n") {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
