package runs

import (
	"weft/backend/permission"
	"weft/backend/transcript"
)

// What is remembered of tool calls, for the permission requests about them.
const (
	maxCalls = 1024      // calls that have not ended
	maxInput = 128 << 10 // bytes of the arguments of one, and of the changes that it shows
	maxAsked = 1 << 20   // the same, while a permission request about it is open
)

// calls is what the agent has told of its open tool calls: a permission request often repeats only a part.
type calls map[string]*openCall

// openCall is a call that has not ended.
type openCall struct {
	permission.Call
	nth   int  // in the order in which the agent has shown them
	named bool // the agent has told the name of its tool
}

// update notes what a report says; nth counts the reports.
func (c calls) update(p *transcript.ToolPatch, nth int) {
	if p.Status != nil && p.Status.Ended() {
		delete(c, p.ID)
		return
	}
	call := c[p.ID]
	if call == nil || p.Announced {
		if call == nil && len(c) >= maxCalls {
			return
		}
		call = &openCall{nth: nth}
		c[p.ID] = call
	}
	call.named = call.named || p.Name != nil && *p.Name != ""
	patchCall(&call.Call, p, maxInput)
}

// asked answers a call as a permission request presents it, on top of what was told before.
func (c calls) asked(p *transcript.ToolPatch) permission.Call {
	var call permission.Call
	if told := c[p.ID]; told != nil {
		call = told.Call
	}
	patchCall(&call, p, maxAsked)
	return call
}

func patchCall(c *permission.Call, p *transcript.ToolPatch, limit int) {
	if p.Kind != nil {
		c.Kind = *p.Kind
	}
	if p.Title != nil {
		c.Title, c.Titled = *p.Title, p.Called != ""
	}
	if p.Input != nil {
		c.Input, c.Long = p.Input, false
		if len(p.Input) > limit {
			c.Input, c.Long = nil, true
		}
	}
	if p.Locations != nil {
		c.Paths = make([]string, len(*p.Locations))
		for i, l := range *p.Locations {
			c.Paths[i] = l.Path
		}
	}
	if p.Content != nil {
		c.Diffs, c.Texts = nil, nil
		size := 0
		for i := range *p.Content {
			if d := &(*p.Content)[i]; d.Type == "diff" {
				c.Diffs = append(c.Diffs, d.Path)
				if size += len(d.OldText) + len(d.NewText); size <= limit {
					c.Texts = append(c.Texts, d.OldText, d.NewText)
				}
			}
		}
	}
}
