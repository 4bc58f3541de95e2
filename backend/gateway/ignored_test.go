package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResultsNameIgnoredArguments(t *testing.T) {
	t.Parallel()
	var shown string
	g := open(t, Options{Host: &fakeHost{show: func(_ context.Context, _ Caller, s Show) (Shown, error) {
		shown = string(s.Input)
		if s.Await {
			return Shown{State: StateAnswered, Answer: json.RawMessage(`{"approved":true}`)}, nil
		}
		return Shown{State: StateShown}, nil
	}}})
	client, _ := dial(t, g, nil)
	res, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "showApprovalForm", Arguments: json.RawMessage(`{"targetSpaceId":"home","title":"Order?","text":"Now"}`)})
	if err != nil || res.IsError || len(res.Content) != 2 {
		t.Fatalf("%+v %v", res, err)
	}
	if shown != `{"title":"Order?"}` {
		t.Errorf("%s is drawn", shown)
	}
	answer, _ := res.Content[0].(*sdk.TextContent)
	note, _ := res.Content[1].(*sdk.TextContent)
	if answer.Text != `{"approved":true}` || !strings.HasPrefix(note.Text, `Ignored, since showApprovalForm has no such arguments: "text". It has approveLabel, comment,`) {
		t.Errorf("%q %q", answer.Text, note.Text)
	}
	if got, _ := json.Marshal(res.StructuredContent); string(got) != `{"approved":true}` {
		t.Errorf("%s", got)
	}
	if res, err = client.CallTool(t.Context(), &sdk.CallToolParams{Name: "listSpaces", Arguments: json.RawMessage(`{"reason":"to look","limit":null}`)}); err != nil || res.IsError || len(res.Content) != 2 {
		t.Errorf("a tool that only reads: %+v %v", res, err)
	}
}
