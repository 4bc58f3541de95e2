package runs

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

// trusting are the modes of known agents in which these do things unasked, by their ids without case and signs: "edit" for changes of files,
// "all" for commands too. A mode that isn't listed trusts with nothing.
var trusting = map[string]string{
	"acceptedits": "edit", "autoedit": "edit", "autoaccept": "edit", "autoacceptedits": "edit",
	"auto": "all", "autoapprove": "all", "autopilot": "all", "yolo": "all", "bypasspermissions": "all", "bypass": "all", "fullaccess": "all",
	"agentfullaccess": "all", "dangerfullaccess": "all",
}

// trusts is the name of the agent's mode in which the user wants a wish of a kind to be fulfilled unasked, "" if they don't. A mode counts only
// if the user chose it: in the composer, or by an answer that says always to an edit. The lock is held.
func (s *Session) trusts(kind string) string {
	for _, o := range s.offer.List() {
		if !isMode(o) {
			continue
		}
		value, _ := textOf(o.Current)
		if chosen, ok := textOf(s.picked[o.ID]); !ok || chosen != value {
			continue
		}
		if how := trusting[modeKey(value)]; how == "all" && (kind == "edit" || kind == "execute") || how == "edit" && kind == "edit" {
			for _, c := range o.Choices {
				if c.Value == value && c.Name != "" {
					return c.Name
				}
			}
			return value
		}
	}
	if kind == "edit" && s.link != nil && s.link.allEdits {
		return "always"
	}
	return ""
}

// modeKey is a mode's id as trusting has it. Some agents use addresses with the mode behind a "#".
func modeKey(id string) string {
	id = id[strings.LastIndexByte(id, '#')+1:]
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(id))
}

func isMode(o acp.Option) bool { return o.Category == "mode" || o.ID == "mode" }

// pick notes what the user chooses; restore takes it back.
func (s *Session) pick(optionID string, value jsontext.Value) (restore func()) {
	s.Lock()
	defer s.Unlock()
	was, had := s.picked[optionID]
	if s.picked == nil {
		s.picked = choices{}
	}
	s.picked[optionID] = slices.Clone(value)
	return func() {
		s.Lock()
		defer s.Unlock()
		if s.picked[optionID] = was; !had {
			delete(s.picked, optionID)
		}
	}
}

// pickedMode is the mode that the user chose, as it is kept with the space. The lock is held.
func (s *Session) pickedMode() string {
	for _, o := range s.offer.List() {
		if isMode(o) {
			value, _ := textOf(s.picked[o.ID])
			return value
		}
	}
	return ""
}

// pickedIn is what the user chose in a session as it was kept.
func pickedIn(was Offered) choices {
	c := choices{}
	for _, o := range was.Options {
		if isMode(o) && was.PickedMode != "" {
			c[o.ID], _ = json.Marshal(was.PickedMode)
			break
		}
	}
	return c
}
