package settings

import (
	"slices"
	"strconv"
	"strings"
)

// Preset is a set of members for a new space.
type Preset struct {
	Name    string         `json:"name"`
	Members []PresetMember `json:"members"`
}

// PresetMember is a member of a preset; see store.Member.
type PresetMember struct {
	Name    string `json:"name"`
	AgentID string `json:"agent"`
	Role    string `json:"role,omitempty"`
	Speaks  string `json:"speaks,omitempty"` // direct (also if empty), tool
	Reads   string `json:"reads,omitempty"`  // all (also if empty), joined
}

// Mentions limits what one prompt can start when agents ask each other. 0 means the default.
type Mentions struct {
	Depth   int `json:"depth,omitempty"`   // how deep mentions may be nested
	Runs    int `json:"runs,omitempty"`    // maximum number of runs
	Minutes int `json:"minutes,omitempty"` // how long after the prompt agents may ask others
}

// maxMentions is the upper bound of each limit.
const maxMentions = 10_000

func clonePresets(list []Preset) []Preset {
	out := make([]Preset, len(list))
	for i, p := range list {
		p.Members = append([]PresetMember{}, p.Members...)
		out[i] = p
	}
	return out
}

func (p Preset) equal(o Preset) bool { return p.Name == o.Name && slices.Equal(p.Members, o.Members) }

func (d *decoder) presets(n *node, into *[]Preset) {
	if !d.array(n, "memberPresets") {
		return
	}
	for _, item := range n.items {
		p := Preset{Members: []PresetMember{}}
		if d.object(item, field{"memberPresets", true}) {
			d.text(item.get("name"), "name", &p.Name)
			if members := item.get("members"); d.array(members, "members") {
				for _, one := range members.items {
					var m PresetMember
					if d.object(one, field{"members", true}) {
						d.text(one.get("name"), "name", &m.Name)
						d.text(one.get("agent"), "agent", &m.AgentID)
						d.text(one.get("role"), "role", &m.Role)
						d.text(one.get("speaks"), "speaks", &m.Speaks)
						d.text(one.get("reads"), "reads", &m.Reads)
						d.oneOf(one.get("speaks"), "speaks", m.Speaks, []string{"", "direct", "tool"})
						d.oneOf(one.get("reads"), "reads", m.Reads, []string{"", "all", "joined"})
					}
					p.Members = append(p.Members, m)
				}
			}
		}
		*into = append(*into, p)
	}
}

func (d *decoder) mentions(n *node, into *Mentions) {
	if !d.object(n, field{key: "mentions"}) {
		return
	}
	for key, v := range map[string]*int{"depth": &into.Depth, "runs": &into.Runs, "minutes": &into.Minutes} {
		at := n.get(key)
		if at == nil {
			continue
		}
		number, err := strconv.Atoi(string(at.raw))
		if err != nil || number < 1 || number > maxMentions {
			d.fail(at, "“{{key}}” must be a whole number from 1 to {{max}}.", key, maxMentions)
			return
		}
		*v = number
	}
}

func (d *decoder) checkPresets(list []Preset, n *node) {
	seen := map[string]bool{}
	for i, p := range list {
		at := n
		if n != nil && i < len(n.items) {
			at = n.items[i]
		}
		names, preset := map[string]bool{}, strconv.Quote(p.Name)
		switch {
		case strings.TrimSpace(p.Name) == "":
			d.fail(at, "This preset of members needs a name.")
		case seen[strings.ToLower(p.Name)]:
			d.fail(at, "Two presets of members have the name {{name}}. Give one of them another name.", preset)
		case len(p.Members) == 0:
			d.fail(at, "The preset {{name}} needs at least one member.", preset)
		}
		seen[strings.ToLower(p.Name)] = true
		for _, m := range p.Members {
			switch {
			case strings.TrimSpace(m.Name) == "" || strings.TrimSpace(m.AgentID) == "":
				d.fail(at, "Each member of the preset {{name}} needs a name and an agent.", preset)
			case names[strings.ToLower(m.Name)]:
				d.fail(at, "Two members of the preset {{preset}} have the name {{name}}.", preset, strconv.Quote(m.Name))
			}
			names[strings.ToLower(m.Name)] = true
		}
	}
}
