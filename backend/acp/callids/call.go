package callids

import (
	"hash/maphash"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// call records the reports about a call, to recognize another call with the same id.
type call struct {
	announced bool                  // the agent announced it as new
	ended     transcript.Status     // as the agent reported it, "" if it has not
	repeated  *transcript.ToolPatch // the announcement that repeated the call

	titles  []uint64          // hashes of all its titles
	kind    string            // "" for kinds that say nothing
	input   jsontext.Value    // nil after the end of the call, because it may be large
	members map[string]uint64 // hashes of the input's members, nil until needed
	places  uint64
	result  uint64
}

// maxTitles is the number of titles that are remembered per call.
const maxTitles = 8

var seed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(seed, s) }

// another reports whether p starts another call than c, which has ended with end. asks says that p belongs to a
// permission request. In doubt, an announcement starts another call if anything differs: two rows for one call are
// better than one row for two.
func (c *call) another(p *transcript.ToolPatch, end transcript.Status, asks bool) bool {
	runs := p.Status != nil && *p.Status == transcript.StatusRunning
	over := c.ended != "" || end == transcript.StatusRejected // not merely because its turn ended
	switch {
	case asks && over:
		return true
	case p.Announced || asks:
		return c.announced && c.ended != "" && (runs || c.clearedInput(p)) || c.differs(p)
	case runs && c.repeated != nil:
		return true
	}
	return over && p.Status != nil && !p.Status.Ended() && c.otherInput(p)
}

// hasInput reports whether the input of the call is known.
func (c *call) hasInput() bool { return c.input != nil || c.members != nil }

// clearedInput reports whether p has no input although the call had one: the agent is about to write a new one.
func (c *call) clearedInput(p *transcript.ToolPatch) bool {
	return c.hasInput() && p.Input != nil && transcript.NoArguments(p.Input)
}

// differs reports whether p can't be about this call.
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

// otherInput reports whether p has a different input. An input with more or fewer members of the same object is not
// different.
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

// note records a report about the call.
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
			c.titles = slices.Delete(c.titles, 1, 2) // keep the first one: the agent may announce the call with it again
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

// again turns an announcement that repeats the call into a report that keeps the status. If the agent then works on it,
// it has started another call; see [call.begun].
func (c *call) again(p *transcript.ToolPatch) *transcript.ToolPatch {
	told := *p
	told.Announced = false
	if p.Status == nil || !p.Status.Ended() {
		told.Status, c.repeated = nil, p
	}
	return &told
}

// begun returns p as the first report of a new call, which the agent announced by repeating the last one.
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

// kindOf returns the kind of a call, or "" for kinds that say nothing.
func kindOf(p *transcript.ToolPatch) string {
	if p.Kind == nil || *p.Kind == "other" {
		return ""
	}
	return *p.Kind
}

// membersOf returns hashes that distinguish inputs: of each member of an object, or of any other value as a whole. It
// doesn't copy the input, which may be large.
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

// hashValue hashes a JSON value. Indentation doesn't matter.
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

// placesOf returns a hash of the locations, 0 if there are none.
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

// resultOf returns a hash of the result, 0 if there is none.
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
