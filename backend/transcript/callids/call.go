package callids

import (
	"hash/maphash"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// call is what is remembered of a call, so that another one with its id is known.
type call struct {
	announced bool                  // the agent has presented it as a new one
	ended     transcript.Status     // as the agent has said, "" if it has not
	repeated  *transcript.ToolPatch // the agent has announced it again since

	titles  []uint64          // that it has had
	kind    string            // "" where that says nothing
	input   jsontext.Value    // until the call has ended: it may be large
	members map[string]uint64 // of the input, nil until they are needed
	places  uint64
	result  uint64
}

// maxTitles is how many titles of a call are remembered.
const maxTitles = 8

var seed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(seed, s) }

// another reports whether p begins another call than this one, which has ended. Asks says that p is of a permission request. In doubt a call that
// the agent announces is another one if anything that tells calls apart is different: two rows for one call are better than one for two.
func (c *call) another(p *transcript.ToolPatch, end transcript.Status, asks bool) bool {
	runs := p.Status != nil && *p.Status == transcript.StatusRunning
	over := c.ended != "" || end == transcript.StatusRejected // and not because its turn is
	switch {
	case asks && over:
		return true
	case p.Announced || asks:
		return c.announced && c.ended != "" && (runs || c.emptied(p)) || c.differs(p)
	case runs && c.repeated != nil:
		return true
	}
	return over && p.Status != nil && !p.Status.Ended() && c.otherInput(p)
}

// hasInput reports whether an input of the call is known.
func (c *call) hasInput() bool { return c.input != nil || c.members != nil }

// emptied reports whether an input that was known is not known any more: it is about to be written.
func (c *call) emptied(p *transcript.ToolPatch) bool {
	return c.hasInput() && p.Input != nil && transcript.NoArguments(p.Input)
}

// differs reports whether p can't be about the call.
func (c *call) differs(p *transcript.ToolPatch) bool {
	titled := p.Title != nil && *p.Title != "" && len(c.titles) > 0 && !slices.Contains(c.titles, hash(*p.Title))
	kind := kindOf(p)
	kinds := kind != "" && c.kind != "" && kind != c.kind
	if c.hasInput() && !transcript.NoArguments(p.Input) {
		return c.otherInput(p) || titled && kinds
	}
	over := p.Status != nil && p.Status.Ended()
	places, result := placesOf(p), resultOf(p)
	return titled || kinds || places != 0 && c.places != 0 && places != c.places || over && result != 0 && c.result != 0 && result != c.result
}

// otherInput reports whether p has another input than the call: not one with more or fewer of its members.
func (c *call) otherInput(p *transcript.ToolPatch) bool {
	if !c.hasInput() || transcript.NoArguments(p.Input) {
		return false
	}
	if c.members == nil {
		c.members = membersOf(c.input)
	}
	members := membersOf(p.Input)
	few, many := members, c.members
	if len(few) > len(many) {
		few, many = many, few
	}
	for name, value := range few {
		if had, ok := many[name]; !ok || had != value {
			return true
		}
	}
	return false
}

// note remembers what is said of the call.
func (c *call) note(p *transcript.ToolPatch, asks bool) {
	c.announced = c.announced || p.Announced && !asks
	if p.Status != nil && !asks {
		if p.Status.Ended() {
			c.ended = *p.Status
		}
		if *p.Status != transcript.StatusPending {
			c.repeated = nil
		}
	}
	if p.Title != nil && *p.Title != "" && !slices.Contains(c.titles, hash(*p.Title)) {
		if len(c.titles) == maxTitles {
			c.titles = slices.Delete(c.titles, 1, 2) // the first one is what it may be announced with again
		}
		c.titles = append(c.titles, hash(*p.Title))
	}
	if kind := kindOf(p); kind != "" {
		c.kind = kind
	}
	if !transcript.NoArguments(p.Input) {
		c.input, c.members = p.Input, nil
	}
	if places := placesOf(p); places != 0 {
		c.places = places
	}
	if result := resultOf(p); result != 0 {
		c.result = result
	}
	if c.ended != "" && c.input != nil {
		c.members, c.input = membersOf(c.input), nil
	}
}

// again returns an announcement that repeats what was said of the call before, as a report that changes nothing of its status. The agent may still
// continue to work on it: then it has begun another call.
func (c *call) again(p *transcript.ToolPatch) *transcript.ToolPatch {
	told := *p
	told.Announced = false
	if p.Status == nil || !p.Status.Ended() {
		told.Status, c.repeated = nil, p
	}
	return &told
}

// begun returns p as the first report of a call that the agent has announced in the form of the one before.
func (c *call) begun(p *transcript.ToolPatch) *transcript.ToolPatch {
	told := *p
	told.Announced = true
	if first := c.repeated; first != nil {
		fill(&told.Name, first.Name)
		fill(&told.Title, first.Title)
		fill(&told.Kind, first.Kind)
		fill(&told.ParentID, first.ParentID)
		fill(&told.Locations, first.Locations)
		if told.Input == nil {
			told.Input = first.Input
		}
		if told.Thread.ID == "" {
			told.Thread = first.Thread
		}
	}
	return &told
}

func fill[T any](to **T, from *T) {
	if *to == nil {
		*to = from
	}
}

// kindOf returns the kind of a call, "" where it says nothing.
func kindOf(p *transcript.ToolPatch) string {
	if p.Kind == nil || *p.Kind == "other" {
		return ""
	}
	return *p.Kind
}

// membersOf returns what tells inputs apart: the members of an object, or all of another value as one. An input may be large, so it isn't copied.
func membersOf(input jsontext.Value) map[string]uint64 {
	members := map[string]uint64{}
	if input.Kind() != '{' {
		members[""] = hashValue(input)
		return members
	}
	for name, value := range scan.Fields(input) {
		members[string(name)] = hashValue(value)
	}
	return members
}

// hashValue hashes a JSON value, however it is indented.
func hashValue(v []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for i := 0; i < len(v); {
		from := i
		if v[i] == '"' {
			i = max(scan.SkipString(v, i), i+1)
		} else {
			for i < len(v) && v[i] > ' ' && v[i] != '"' {
				i++
			}
			if i == from { // a space
				i++
				continue
			}
		}
		_, _ = h.Write(v[from:min(i, len(v))])
	}
	return h.Sum64()
}

// placesOf returns what tells the locations of calls apart, 0 if there are none.
func placesOf(p *transcript.ToolPatch) uint64 {
	if p.Locations == nil || len(*p.Locations) == 0 {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, l := range *p.Locations {
		_, _ = h.WriteString(l.Path)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// resultOf returns what tells the results of calls apart, 0 if there are none.
func resultOf(p *transcript.ToolPatch) uint64 {
	if len(p.Output) == 0 && (p.Content == nil || len(*p.Content) == 0) {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.Write(p.Output)
	if p.Content != nil {
		for i := range *p.Content {
			c := &(*p.Content)[i]
			for _, s := range []string{c.Type, c.Text, c.Path, c.OldText, c.NewText, c.Terminal, string(c.Raw)} {
				_, _ = h.WriteString(s)
				_ = h.WriteByte(0)
			}
		}
	}
	return h.Sum64()
}
