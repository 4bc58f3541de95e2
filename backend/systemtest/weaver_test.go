//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { addScript("weaver", weaver) }

const weaveOrder = "weave "

// weaver is an agent that does what is in the file that it is prompted with. To everything else it answers with the tag that it was
// told.
func weaver(a *scripted) {
	session, err := a.gateway()
	for n := 0; ; n++ {
		text := a.prompt()
		if err != nil {
			text, err = "cannot connect: "+err.Error(), nil
		}
		path, ok := strings.CutPrefix(text, weaveOrder)
		if !ok {
			_, text, _ = strings.Cut(text, "⟨")
			text, _, _ = strings.Cut(text, "⟩")
			a.say("heard ⟨" + text + "⟩")
			a.end("end_turn")
			continue
		}
		raw, err := os.ReadFile(path)
		var ops []weaveOp
		if err = errors.Join(err, json.Unmarshal(raw, &ops)); err != nil {
			a.say("no plan: " + err.Error())
		}
		for i, o := range ops {
			a.weave(session, fmt.Sprintf("%d%d", n, i), o)
		}
		a.end("end_turn")
	}
}

func (a *scripted) weave(session *sdk.ClientSession, n string, o weaveOp) {
	switch o.Do {
	case "say":
		a.say(o.Text)
	case "think":
		a.update(thought(o.Text))
	case "begin":
		a.call(o.ID, "Look", "in_progress")
	case "end":
		a.callUpdate(o.ID, "completed", content("seen"))
	case "open":
		a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(o.ID) + `,"title":` + quote("mcp__weft__"+o.Tool) + `,"kind":"other","status":"pending"}`)
	case "write":
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(o.ID) + `,"_meta":{"weft/inputDelta":` + quote(o.Text) + `}}`)
	case "tell":
		a.tell(a.url + " " + a.token)
	case "send":
		if o.Whole && !o.Hide {
			a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(o.ID) + `,"status":"in_progress","rawInput":` + o.Text + `}`)
		}
		if o.Sync { // Weft takes a request behind all that came before
			a.request(strconv.Quote("sync"+n), "fs/read_text_file", `{"sessionId":`+quote(a.session)+`,"path":"no such file"}`)
		}
		if got, failed := a.calls(context.Background(), session, o.Tool, json.RawMessage(o.Text)); failed || !strings.Contains(got, o.Heard) {
			a.say("FAILED: " + got)
		}
		if !o.Hide {
			a.callUpdate(o.ID, "completed", content("done"))
		}
	}
}

// calls calls a tool of the gateway.
func (a *scripted) calls(ctx context.Context, session *sdk.ClientSession, tool string, args any) (got string, failed bool) {
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "error: " + err.Error(), true
	}
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			got += t.Text
		}
	}
	return got, res.IsError
}
