package sessionoptions

import (
	"strings"

	"weft/backend/acp"
)

// trusted are modes of known agents that act without asking, by their id in lower case without signs: "edit" for file
// changes, "all" for commands too. A mode that isn't listed isn't trusted with anything: here, doubt means that the
// agent should ask, in [Autonomy] that it acts.
var trusted = map[string]string{
	"acceptedits": "edit", "autoedit": "edit", "autoaccept": "edit", "autoacceptedits": "edit",
	"auto": "all", "autoapprove": "all", "autopilot": "all", "yolo": "all", "bypasspermissions": "all", "bypass": "all", "fullaccess": "all",
	"agentfullaccess": "all", "dangerfullaccess": "all",
}

// Trusts returns the name of the agent's mode in which the user lets it do actions of a kind ("edit", "execute")
// without asking, or "". A mode counts only if the user chose it: in the composer, or by answering "always" to an
// edit.
func (o *Options) Trusts(kind string) string {
	for _, op := range o.offer.List() {
		if !isMode(op) {
			continue
		}
		value, _ := text(op.Current)
		if chosen, ok := text(o.chosen[op.ID]); !ok || chosen != value {
			continue
		}
		if how := trusted[modeKey(value)]; how == "all" && (kind == "edit" || kind == "execute") || how == "edit" && kind == "edit" {
			for _, c := range op.Choices {
				if c.Value == value && c.Name != "" {
					return c.Name
				}
			}
			return value
		}
	}
	if kind == "edit" && o.alwaysEdits {
		return "always"
	}
	return ""
}

// TrustEdits records that the user answered an edit with the agent's "always". It applies until [Options.Closed].
func (o *Options) TrustEdits() { o.alwaysEdits = true }

// modeKey returns a mode's id in the form of trusted. Some agents use addresses with the mode after a "#".
func modeKey(id string) string {
	id = id[strings.LastIndexByte(id, '#')+1:]
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(id))
}

func isMode(op acp.Option) bool { return op.Category == "mode" || op.ID == "mode" }
