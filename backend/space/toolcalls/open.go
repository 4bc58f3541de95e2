package toolcalls

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

// Limits for the calls of one session.
const (
	MaxCalls = 1024      // open calls
	maxInput = 128 << 10 // bytes of one call's arguments, and of the changes that it shows
	maxAsked = 1 << 20   // the same, while a permission request about it is open
)

// Open is what an agent has reported of its open calls, by their ids. A permission request often repeats only a part
// of it. It is not safe for concurrent use.
type Open map[string]*OpenCall

// OpenCall is a call that has not ended.
type OpenCall struct {
	permission.Call
	Order int  // position among the calls, in the order in which the agent has shown them
	Named bool // the agent has sent the name of the tool
	Done  int  // number of operations that Weft was asked to do for it
}

// Update processes a report about a call. order is the position of a new call.
func (o Open) Update(p *transcript.ToolPatch, order int) {
	if p.Status != nil && p.Status.Ended() {
		delete(o, p.ID)
		return
	}
	call := o[p.ID]
	if call == nil || p.Announced {
		if call == nil && len(o) >= MaxCalls {
			return
		}
		call = &OpenCall{Order: order}
		o[p.ID] = call
	}
	call.Named = call.Named || p.Name != nil && *p.Name != ""
	patchCall(&call.Call, p, maxInput)
}

// With returns the call of a permission request: what was reported before, updated with the request.
func (o Open) With(p *transcript.ToolPatch) permission.Call {
	var call permission.Call
	if known := o[p.ID]; known != nil {
		call = known.Call
	}
	patchCall(&call, p, maxAsked)
	return call
}

// Names reports whether a report may reveal which tool its call uses. Most reports only extend the arguments.
func (o Open) Names(p *transcript.ToolPatch) bool {
	known := o[p.ID]
	if known == nil || p.Announced {
		return true
	}
	return p.Title != nil && *p.Title != known.Title || p.Name != nil && !known.Named || p.Input != nil && (len(known.Input) == 0 || IsEmptyObject(known.Input))
}

// IsEmptyObject reports whether an input is an empty object, which many agents show before they know the arguments.
func IsEmptyObject(input jsontext.Value) bool {
	return bytes.Equal(bytes.TrimSpace(input), []byte("{}"))
}

func patchCall(c *permission.Call, p *transcript.ToolPatch, limit int) {
	if p.Kind != nil {
		c.Kind = *p.Kind
	}
	if p.Title != nil {
		c.Title, c.Titled, c.Called = *p.Title, p.Called != "", p.Called
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
