package builtin

import (
	"context"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
)

// The options of a permission request.
const (
	allowOnce   acp.PermissionOptionId = "allow-once"
	allowAlways acp.PermissionOptionId = "allow-always"
	rejectOnce  acp.PermissionOptionId = "reject-once"
)

// ask requests the user's permission for a call. It blocks until there is an answer, and returns errRejected if the
// answer is no. If the client cancels the request, the turn is canceled.
func (d *doing) ask(ctx context.Context) error {
	t, c := d.turn, d.call
	ctx, release := t.agent.client.askable(ctx)
	defer release()
	answer, err := acp.SendRequest[acp.RequestPermissionResponse](t.agent.client.conn, ctx, acp.ClientMethodSessionRequestPermission, acp.RequestPermissionRequest{
		SessionId: t.session.id,
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: c.id, Title: acp.Ptr(c.look.Title), Kind: acp.Ptr(c.tool.Kind), Status: acp.Ptr(acp.ToolCallStatusPending),
			Locations: c.look.Locations, RawInput: d.input, Content: d.ready.Content,
		},
		Options: d.offers(),
	})
	switch {
	case ctx.Err() != nil || answer.Outcome.Cancelled != nil:
		t.stop()
		return context.Canceled
	case err != nil:
		return fmt.Errorf("the client couldn't be asked for permission, so this wasn't done: %s", clientError(err))
	case answer.Outcome.Selected == nil:
		return errRejected
	}
	switch answer.Outcome.Selected.OptionId {
	case allowOnce:
		return nil
	case allowAlways:
		if d.ready.Grant != "" {
			t.session.grant(d.ready.Grant)
			t.report.record(record{Grant: d.ready.Grant})
		}
		return nil
	}
	return errRejected
}

func (d *doing) offers() []acp.PermissionOption {
	once := map[tool.Effect]string{
		tool.Edits: fault.Text("Allow this edit"), tool.Fetches: fault.Text("Allow this request"), tool.Executes: fault.Text("Allow this once"),
	}[d.ready.Effect]
	offers := []acp.PermissionOption{{OptionId: allowOnce, Name: once, Kind: acp.PermissionOptionKindAllowOnce}}
	if d.ready.Grant != "" {
		offers = append(offers, acp.PermissionOption{OptionId: allowAlways, Name: d.ready.GrantName.String(), Kind: acp.PermissionOptionKindAllowAlways})
	}
	return append(offers, acp.PermissionOption{OptionId: rejectOnce, Name: fault.Text("Reject"), Kind: acp.PermissionOptionKindRejectOnce})
}
