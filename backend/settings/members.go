package settings

import (
	"slices"
	"strconv"
	"strings"
)

// Preset is members that a space can be made with.
type Preset struct {
	Name    string         `json:"name"`
	Members []PresetMember `json:"members"`
}

// PresetMember is one of them; see store.Member.
type PresetMember struct {
	Name    string `json:"name"`
	AgentID string `json:"agent"`
	Role    string `json:"role,omitempty"`
	Speaks  string `json:"speaks,omitempty"` // direct (also when empty), tool
	Reads   string `json:"reads,omitempty"`  // all (also when empty), joined
}

// Mentions bounds what comes of one prompt where agents ask each other. 0 is the usual limit.
type Mentions struct {
	Depth   int `json:"depth,omitempty"`   // how deep mentions may follow each other
	Runs    int `json:"runs,omitempty"`    // how many runs there may be
	Minutes int `json:"minutes,omitempty"` // how long after the prompt an agent may still be asked
}

// The most that each of them may be.
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
