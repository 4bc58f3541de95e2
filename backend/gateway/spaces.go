package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/gateway/tools"
)

const (
	defaultPage = 20
	maxPage     = 100

	defaultMatches = 10
	maxMatches     = 30
	defaultAround  = 2
	maxAround      = 10
)

// spaceTools are the tools for reading and writing spaces. Their calls aren't displays.
type spaceTools struct{ host Host }

// list returns the tools.
func (s spaceTools) list() []*tool {
	return []*tool{
		s.tool("listSpaces", true, `{"type":"object","properties":{},"additionalProperties":false}`,
			"Lists the spaces that you are a member of: id, name, folder, the name by which you are known there (you), and those of the other agents (members), who can be mentioned. current is the space in which you were asked. "+
				"Their ids are what spaceId and targetSpaceId take.", s.listSpaces),
		s.tool("readSpaceMessages", true, fmt.Sprintf(`{"type":"object","properties":{
			"spaceId":{"type":"string","minLength":1,"maxLength":200},
			"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"How many messages; %d if left out."},
			"before":{"type":"string","maxLength":500,"description":"The before of an earlier answer, to read what is older."}},
			"required":["spaceId"],"additionalProperties":false}`, maxPage, defaultPage),
			"Reads the latest messages of a space that you are a member of, the oldest first. before in the answer leads to what is older; without it there is nothing older.", s.readSpaceMessages),
		s.tool("getMyRuns", true, `{"type":"object","properties":{},"additionalProperties":false}`,
			"Lists your latest runs, the newest first: where and when you were asked, how it ended, and which message each run wrote in which space.", s.getMyRuns),
		s.tool("searchHistory", true, fmt.Sprintf(`{"type":"object","properties":{
			"query":{"type":"string","minLength":1,"maxLength":1000,"description":"Words, \"exact phrases\", -excluded words, and filters: kind:prompt|answer|thought|call, file:part/of/path, after:2026-01-31, after:7d, before:…, has:error; a - before a filter excludes what fits it."},
			"scope":{"type":"string","enum":["space","folder"],"description":"Only this conversation, or those in this folder. If left out, everything that the user allows."},
			"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"How many results; %d if left out."},
			"next":{"type":"integer","minimum":1,"description":"The next of an earlier answer, for older results."}},
			"required":["query"],"additionalProperties":false}`, maxMatches, defaultMatches),
			"Searches earlier conversations with the user and their tool calls, for instance for what was decided or tried before. more in the answer counts results that were left out: narrow the query to get them. Each result has a link for readConversation. When you refer to a result, include its link in your answer.", s.searchHistory),
		s.tool("readConversation", true, fmt.Sprintf(`{"type":"object","properties":{
			"link":{"type":"string","minLength":1,"maxLength":2000,"description":"A link from searchHistory: weft://space/…"},
			"around":{"type":"integer","minimum":0,"maximum":%d,"description":"How many messages before and behind it to read; %d if left out."}},
			"required":["link"],"additionalProperties":false}`, maxAround, defaultAround),
			"Reads the message that a link leads to, and the messages around it, the oldest first. For a link to a tool call its input and output are returned too.", s.readConversation),
		s.tool("sendSpaceMessage", false, `{"type":"object","properties":{
			"spaceId":{"type":"string","minLength":1,"maxLength":200,"description":"The id of the space, from listSpaces."},
			"text":{"type":"string","minLength":1,"description":"Markdown."},
			"mention":{"type":["string","null"],"minLength":1,"maxLength":200,"description":"The name of an agent in that space, who is then asked with this message. It ends your message there."},
			"wait":{"type":["boolean","null"],"description":"Whether to wait for a reply, which is then in the result: with mention that agent's, without it the first one in that space, from the user or from another agent (from tells who). At most 10 minutes. Your message ends there first."}},
			"required":["spaceId","text"],"additionalProperties":false}`,
			"Says something in a space that you are a member of: the text is added to your message there. With mention another agent of that space is asked.", s.sendSpaceMessage),
	}
}

// tool returns a tool that is executed by run. reads means that it is read-only.
func (s spaceTools) tool(name string, reads bool, schema, description string, run func(context.Context, *call) (*sdk.CallToolResult, error)) *tool {
	d := &tools.Definition{Name: name, Description: description, InputSchema: json.RawMessage(schema), Execution: &tools.Execution{Mode: "weft"}}
	c, err := tools.Compile(d.InputSchema)
	if err != nil {
		panic(err) // a programming error
	}
	offered := d.InputSchema
	if reads { // only read-only tools ignore unknown arguments
		if offered, err = c.Offered(d.InputSchema); err != nil {
			panic(err)
		}
		answer := run
		run = func(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
			s.host.Arrived(c.caller, name, c.sent)
			return answer(ctx, c)
		}
	}
	return &tool{def: d, schema: c, offered: offered, origin: "weft", run: run, hints: &sdk.ToolAnnotations{ReadOnlyHint: reads}, prune: reads}
}

func (s spaceTools) listSpaces(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	list, err := s.host.Spaces(ctx, c.caller)
	if err != nil {
		return nil, err
	}
	return structured(map[string][]Space{"spaces": append([]Space{}, list...)})
}

func (s spaceTools) readSpaceMessages(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	in := struct {
		SpaceID, Before string
		Limit           float64 // float64 because 20.0 is an integer, too
	}{Limit: defaultPage}
	if err := json.Unmarshal(c.input, &in); err != nil {
		return nil, err
	}
	page, err := s.host.Messages(ctx, c.caller, in.SpaceID, int(in.Limit), in.Before)
	if err != nil {
		return nil, err
	}
	page.Messages = append([]Message{}, page.Messages...)
	return structured(page)
}

func (s spaceTools) getMyRuns(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	list, err := s.host.Runs(ctx, c.caller)
	if err != nil {
		return nil, err
	}
	list = append([]Run{}, list...)
	for i := range list {
		list[i].Messages = append([]RunMessage{}, list[i].Messages...)
	}
	return structured(map[string][]Run{"runs": list})
}

func (s spaceTools) searchHistory(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	in := struct {
		Query, Scope string
		Limit, Next  float64
	}{Limit: defaultMatches}
	if err := json.Unmarshal(c.input, &in); err != nil {
		return nil, err
	}
	found, err := s.host.SearchHistory(ctx, c.caller, HistorySearch{Query: in.Query, Scope: in.Scope, Limit: int(in.Limit), Next: int64(in.Next)})
	if err != nil {
		return nil, err
	}
	found.Results = append([]HistoryMatch{}, found.Results...)
	return structured(found)
}

func (s spaceTools) readConversation(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	in := struct {
		Link   string
		Around float64
	}{Around: defaultAround}
	if err := json.Unmarshal(c.input, &in); err != nil {
		return nil, err
	}
	read, err := s.host.ReadConversation(ctx, c.caller, in.Link, int(in.Around))
	if err != nil {
		return nil, err
	}
	read.Messages = append([]LinkedText{}, read.Messages...)
	return structured(read)
}

func (s spaceTools) sendSpaceMessage(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	var in struct {
		SpaceID, Text, Mention string
		Wait                   bool
	}
	if err := json.Unmarshal(c.input, &in); err != nil {
		return nil, err
	}
	posted, err := s.host.Post(ctx, c.caller, Post{SpaceID: in.SpaceID, Text: in.Text, Mention: in.Mention, Wait: in.Wait, Input: c.sent})
	if err != nil {
		return nil, err
	}
	return structured(posted)
}
