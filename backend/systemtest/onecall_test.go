//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/conversation/transcript"
)

func init() { addScript("retitles", retitles) }

// gateOrder is a call of the gateway in the way in which some agent shows it: $ID stands for its id, $ARGS for its arguments, $JSON for these as a text.
type gateOrder struct {
	Shows string         `json:"shows"` // members of the tool_call behind its id; "": it is not shown before it is made
	Asks  string         `json:"asks"`  // members of the call in the permission request behind its id; "": it does not ask
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
	Other string         `json:"other"` // a call of something else that is shown before, by the members of its tool_call
	Late  bool           `json:"late"`  // it is shown once the gateway has answered
}

// retitles is an agent that calls the gateway's tools and shows these calls in any way.
func retitles(a *scripted) {
	session, err := a.gateway()
	if err != nil {
		a.prompt()
		a.say("cannot connect: " + err.Error())
		a.end("end_turn")
		return
	}
	for n := 0; ; {
		var list []gateOrder
		text := a.prompt()
		if json.Unmarshal([]byte(text), &list) != nil {
			a.say("heard: " + text)
			a.end("end_turn")
			continue
		}
		for _, o := range list {
			n++
			a.order(fmt.Sprint("call", n), o, func() (string, bool) { return a.calls(context.Background(), session, o.Tool, o.Args) })
		}
		a.end("end_turn")
	}
}

func (a *scripted) order(id string, o gateOrder, call func() (string, bool)) {
	args, _ := json.Marshal(o.Args)
	fill := func(members string) string {
		return `"toolCallId":` + quote(id) + `,` + strings.NewReplacer("$ID", id, "$ARGS", string(args), "$JSON", quote(string(args))).Replace(members)
	}
	show := func() {
		if o.Shows != "" {
			a.update(`{"sessionUpdate":"tool_call",` + fill(o.Shows) + `}`)
		}
	}
	if o.Other != "" {
		a.update(`{"sessionUpdate":"tool_call","toolCallId":"other-` + id + `",` + o.Other + `}`)
	}
	if !o.Late {
		show()
	}
	if o.Asks != "" {
		got := a.request("77", "session/request_permission", `{"sessionId":`+quote(a.session)+`,"toolCall":{`+fill(o.Asks)+`},"options":`+yesNo+`}`)
		if !strings.Contains(string(got.Result), `"yes"`) {
			a.callUpdate(id, "failed", content("not allowed"))
			a.say("{not allowed}")
			return
		}
	}
	got, failed := call()
	if o.Late {
		show()
	}
	if failed {
		a.callUpdate(id, "failed", content(got))
	} else {
		a.callUpdate(id, "completed", content(got))
	}
	if o.Other != "" {
		a.callUpdate("other-"+id, "completed", "")
	}
	a.say("{" + got + "}")
}

func orders(list ...gateOrder) string {
	b, _ := json.Marshal(list)
	return string(b)
}

// The ways in which published agents show a call of a tool of an MCP server, and ask about it.
var callForms = []struct{ agent, shows, asks string }{
	{
		"codex-acp of Zed", `"title":"Tool: weft/$TOOL","status":"in_progress","rawInput":{"server":"weft","tool":"$TOOL","arguments":$ARGS}`,
		`"status":"pending","title":"Approve MCP tool call","content":[{"type":"content","content":{"type":"text","text":"Allow the weft MCP server to run tool \"$TOOL\"?"}}],` +
			`"rawInput":{"turn_id":"t1","server_name":"weft","id":"mcp_tool_call_approval_$ID","request":{"mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session","always"],"tool_params":$ARGS},` +
			`"message":"Allow the weft MCP server to run tool \"$TOOL\"?","requested_schema":{"type":"object","properties":{}}}}`,
	},
	{
		"codex-acp", `"kind":"execute","title":"mcp.weft.$TOOL","status":"in_progress","rawInput":{"server":"weft","tool":"$TOOL","arguments":$ARGS},"_meta":{"is_mcp_tool_call":true}`,
		`"kind":"execute","status":"pending"`,
	},
	{
		"copilot", `"title":"weft-$TOOL","kind":"other","status":"pending","rawInput":$ARGS`,
		`"title":"$TOOL","kind":"other","status":"pending","rawInput":$ARGS`,
	},
	{
		"qwen", `"status":"pending","title":"$TOOL (weft MCP Server)","content":[],"locations":[],"kind":"other","rawInput":{},"_meta":{"toolName":"mcp__weft__$TOOL","provenance":"mcp","serverId":"weft","phase":"preparing"}`,
		`"status":"pending","title":$JSON,"content":[],"locations":[],"kind":"other","rawInput":$ARGS,"_meta":{"toolName":"mcp__weft__$TOOL"}`,
	},
	{
		"a title of JSON and a kind of its own", `"status":"pending","title":"$TOOL (weft MCP Server)","kind":"mcp","rawInput":$ARGS`,
		`"status":"pending","title":$JSON,"kind":"mcp","rawInput":$ARGS`,
	},
	{
		"cline with its own tool for all servers", `"title":"use_mcp_tool","kind":"other","status":"pending","rawInput":{"server_name":"weft","tool_name":"$TOOL","arguments":$JSON}`,
		`"title":"use_mcp_tool","kind":"other","rawInput":{"server_name":"weft","tool_name":"$TOOL","arguments":$JSON}`,
	},
	{"asks with an id only", `"title":"mcp__weft__$TOOL","kind":"execute","status":"pending","rawInput":$ARGS`, `"kind":"execute"`},
}

func formOf(members, tool string) string { return strings.ReplaceAll(members, "$TOOL", tool) }

// permissions is how often the user was asked about calls of the agent's last message, or someone answered for them.
func (r *room) permissions() (n int) {
	r.st.now(func(v *seen) {
		for _, s := range v.message().Segments {
			for _, it := range s.Items {
				if it.Call != nil {
					n += len(it.Call.Permissions)
				}
			}
		}
	})
	return n
}

// TestGatewayCallsOfEachAgentAreShownOnce: nobody is asked about Weft's own tools, a card is one card, and a message is once, however the agent names
// its calls in its requests.
func TestGatewayCallsOfEachAgentAreShownOnce(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "retitles")
	to := a.reenter(t, r.folder, a.like(t, r).ID)
	const long = "A longer sentence, so that its arguments are more than a hundred bytes as JSON — größe 日本 — and more."
	for _, form := range callForms {
		t.Run(form.agent, func(t *testing.T) { //nolint:paralleltest // they share a room
			order := func(tool string, args map[string]any) gateOrder {
				return gateOrder{Shows: formOf(form.shows, tool), Asks: formOf(form.asks, tool), Tool: tool, Args: args}
			}
			r.st.reset()
			to.st.reset()
			r.turn(t, orders(
				order("listSpaces", map[string]any{}),
				order("showCard", map[string]any{"title": "MacBook Pro", "text": long, "targetSpaceId": r.id}),
				order("sendSpaceMessage", map[string]any{"spaceId": to.id, "text": long}),
				order("sendSpaceMessage", map[string]any{"spaceId": r.id, "text": long + " Here."}),
			), "end_turn")
			if n := r.permissions(); n != 0 {
				t.Errorf("%d requests are shown", n)
			}
			displays, rows := r.calls()
			if len(displays) != 1 || displays[0].Title != "MacBook Pro" || displays[0].Status != transcript.StatusCompleted || strings.Contains(string(displays[0].Input), "targetSpaceId") {
				t.Errorf("displays %+v", displays)
			}
			titles := []string{}
			for _, row := range rows {
				titles = append(titles, row.Title)
			}
			if len(rows) != 2 || strings.Contains(fmt.Sprint(titles), "Approve") || !strings.HasPrefix(rows[len(rows)-1].Title, "Write to ") {
				t.Errorf("rows %q", titles)
			}
			if text := r.agentText(); strings.Count(text, long+" Here.") != 1 || strings.Contains(text, "not sent") {
				t.Errorf("it says %s", text)
			}
			to.st.until(t, "the end of the message", func(v *seen) bool { return v.message().EndedAt > 0 })
			if text := to.agentText(); text != long {
				t.Errorf("in the other space stands %q", text)
			}
		})
	}
	r.check(t)
	to.check(t)
}

// TestGatewayCallsAreFoundByTheirArguments: a call whose title says nothing is where the agent has it all the same.
func TestGatewayCallsAreFoundByTheirArguments(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "retitles")
	to := a.reenter(t, r.folder, a.like(t, r).ID)
	for _, one := range []struct {
		what, shows, other string
		late               bool
	}{
		{what: "words", shows: `"title":"Using a tool","kind":"other","status":"in_progress","rawInput":$ARGS`},
		{what: "words beside another call", shows: `"title":"Using a tool","kind":"other","status":"in_progress","rawInput":$ARGS`, other: `"title":"Using a tool","kind":"other","status":"in_progress","rawInput":{"title":"Another"}`},
		{what: "wrapped in something else", shows: `"title":"Call","status":"in_progress","rawInput":{"request":{"name":"x","params":$ARGS}}`},
		{what: "as a text", shows: `"title":"Call","status":"in_progress","rawInput":{"payload":$JSON}`},
		{what: "no arguments, the only call", shows: `"title":"Working","kind":"other","status":"in_progress"`},
		{what: "afterwards", shows: `"title":"Using a tool","kind":"other","status":"in_progress","rawInput":$ARGS`, late: true},
		{what: "afterwards beside another call", shows: `"title":"mcp__weft__$TOOL","kind":"other","status":"in_progress","rawInput":$ARGS`, other: `"title":"mcp__weft__showCard","kind":"other","status":"in_progress","rawInput":{"title":"Never made"}`, late: true},
	} {
		t.Run(one.what, func(t *testing.T) { //nolint:paralleltest // they share a room
			order := func(tool string, args map[string]any) gateOrder {
				return gateOrder{Shows: formOf(one.shows, tool), Other: one.other, Late: one.late, Tool: tool, Args: args}
			}
			r.st.reset()
			to.st.reset()
			r.turn(t, orders(
				order("showCard", map[string]any{"title": "MacBook Pro", "targetSpaceId": r.id}),
				order("sendSpaceMessage", map[string]any{"spaceId": to.id, "text": "Over there."}),
			), "end_turn")
			var cards, others, rows []string
			r.st.now(func(v *seen) {
				for _, s := range v.message().Segments {
					for _, it := range s.Items {
						switch {
						case it.Call == nil:
						case strings.HasPrefix(it.Call.ID, "other-"):
							others = append(others, it.Call.Kind)
						case it.Call.Kind == transcript.KindDisplay:
							cards = append(cards, it.Call.Title)
						default:
							rows = append(rows, it.Call.Title)
						}
					}
				}
			})
			if len(cards) != 1 || len(rows) != 1 || strings.Contains(fmt.Sprint(others), transcript.KindDisplay) {
				t.Errorf("cards %q, rows %q, others %q", cards, rows, others)
			}
			if !one.late && !strings.HasPrefix(rows[0], "Write to ") {
				t.Errorf("rows %q", rows)
			}
			if text := r.agentText(); strings.Contains(text, "not sent") {
				t.Errorf("it says %s", text)
			}
		})
	}
	r.check(t)
	to.check(t)
}

// TestRowsOfWeftsToolsHaveTheirTitles: whatever kind and title an agent gives to a call of Weft's, the row has the tool's name, no kind
// that would make it a command, its arguments without where it is shown, and what came of it.
func TestRowsOfWeftsToolsHaveTheirTitles(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "retitles")
	to := a.reenter(t, r.folder, a.like(t, r).ID)
	for _, one := range []struct{ what, shows string }{
		{"a command (codex)", `"title":"mcp.weft.$TOOL","kind":"execute","status":"in_progress","rawInput":{"server":"weft","tool":"$TOOL","arguments":$ARGS}`},
		{"reading (qwen)", `"title":"$TOOL (weft MCP Server)","kind":"read","status":"pending","rawInput":$ARGS,"_meta":{"toolName":"mcp__weft__$TOOL"}`},
		{"words of the arguments (copilot)", `"title":"For the team","kind":"other","status":"pending","rawInput":$ARGS`},
		{"words and a command", `"title":"For the team","kind":"execute","status":"in_progress","rawInput":$ARGS`},
	} {
		t.Run(one.what, func(t *testing.T) { //nolint:paralleltest // they share a room
			r.st.reset()
			r.turn(t, orders(
				gateOrder{Shows: formOf(one.shows, "showCard"), Tool: "showCard", Args: map[string]any{"title": "MacBook Pro", "targetSpaceId": to.id}},
				gateOrder{Shows: formOf(one.shows, "readSpaceMessages"), Tool: "readSpaceMessages", Args: map[string]any{"spaceId": to.id}},
			), "end_turn")
			var rows []*transcript.ToolCall
			r.st.now(func(v *seen) {
				for _, s := range v.message().Segments {
					for _, it := range s.Items {
						if it.Call != nil {
							rows = append(rows, it.Call)
						}
					}
				}
			})
			for i, c := range rows {
				tool := []string{"showCard", "readSpaceMessages"}[i]
				if c.Kind != "other" || c.Name != tool || i == 1 && c.Title != "Read messages" || strings.Contains(string(c.Input), "targetSpaceId") || strings.Contains(c.Summary, "line") {
					t.Errorf("%s: kind %q, name %q, input %s, %q", c.Title, c.Kind, c.Name, c.Input, c.Summary)
				}
			}
			if len(rows) != 2 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
	r.check(t)
	to.check(t)
}

// TestToolsBehindTheGatewayAreAskedAboutOnce: the user answers for a tool that Weft runs at the gateway only.
func TestToolsBehindTheGatewayAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"greet.json": `{"name":"greet","description":"Greets.","inputSchema":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]},"execution":{"mode":"command","command":"/bin/echo","args":["hello","{{who}}"]}}`,
	})
	a := launch(t, home)
	r := a.scripted(t, "retitles")
	for _, form := range callForms {
		t.Run(form.agent, func(t *testing.T) { //nolint:paralleltest // they share a room
			r.st.reset()
			r.send(t, orders(gateOrder{Shows: formOf(form.shows, "greet"), Asks: formOf(form.asks, "greet"), Tool: "greet", Args: map[string]any{"who": "you"}}))
			r.allow(t, 0, "once")
			r.ended(t, "end_turn")
			if n := r.permissions(); n != 1 || !strings.Contains(r.agentText(), "hello you") {
				t.Errorf("asked %d times, and the agent heard %s", n, r.agentText())
			}
			if displays, rows := r.calls(); len(displays) != 0 || len(rows) != 1 {
				t.Errorf("displays %+v, rows %+v", displays, rows)
			}
		})
	}
	r.check(t)
}

// TestRequestWithABorrowedCallIsAsked: what is asked at a call that was shown as one of Weft's own counts as that call only if it is about
// nothing else.
func TestRequestWithABorrowedCallIsAsked(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "retitles")
	const card = `"title":"mcp__weft__showCard","kind":"other","status":"pending"`
	args := map[string]any{"title": "MacBook Pro", "targetSpaceId": r.id}
	for _, one := range []gateOrder{
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"rm -rf /","kind":"execute"`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"Approve","kind":"other","rawInput":{"command":"rm -rf /"}`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"Approve","rawInput":{"command":"rm -rf /","request":{"tool_params":$ARGS}}`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"mcp__other__showCard","kind":"other","rawInput":$ARGS`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"Tool: other/showCard","kind":"other"`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"Approve","kind":"other","rawInput":{"server":"other","tool":"showCard","arguments":$ARGS}`},
		{Shows: card, Asks: `"title":"Approve","kind":"other","rawInput":{"title":"x"}`},
		{Shows: card + `,"rawInput":$ARGS`, Asks: `"title":"showCard","kind":"edit","content":[{"type":"diff","path":"notes.txt","oldText":"a","newText":"b"}]`},
		{Shows: `"title":"weft/showCard","kind":"execute","status":"pending"`, Asks: `"title":"weft/showCard","kind":"execute"`},
		{Asks: `"title":"Run showCard","kind":"other","rawInput":$ARGS`},
	} {
		one.Tool, one.Args = "showCard", args
		r.st.reset()
		r.send(t, orders(one))
		r.do(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: r.asked(t), OptionID: "no"}, nil)
		r.ended(t, "end_turn")
		if text := r.agentText(); text != "{not allowed}" {
			t.Errorf("%s: the agent heard %s", one.Asks, text)
		}
	}
	r.check(t)
}
