package runs

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/partialjson"
	"weft/backend/transcript"
)

// KindDisplay is the kind of the calls that are drawn as a component (decision 0014).
const KindDisplay = "display"

// Names of the gateway's tools that this room knows.
const postTool = "sendSpaceMessage"

// gateCall is a call of one of the gateway's tools as the agent's own session shows it, until the same call has arrived at
// the gateway and has ended.
type gateCall struct {
	id, tool string
	input    partialjson.Reader
	whole    jsontext.Value // as the agent told it last
	taken    bool           // it has arrived at the gateway
	display  bool           // it is drawn: what the agent tells of it from now on is not

	// Of a message to a space, as far as it was shown while it was written.
	space string
	text  strings.Builder
	sent  int // bytes of text
	to    *composite
}

// gateTool finds the name of a gateway tool in what an agent calls it: mcp__weft__showCard, weft_showCard, showCard (weft).
var gateTool = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(sendSpaceMessage|listSpaces|readSpaceMessages|getMyRuns|show[A-Z][A-Za-z0-9]*)(?:$|[^A-Za-z0-9])`)

func toolOfGate(p *transcript.ToolPatch) string {
	for _, name := range []*string{p.Name, p.Title} {
		if name == nil {
			continue
		}
		if m := gateTool.FindStringSubmatch(*name); m != nil {
			return m[1]
		}
	}
	return ""
}

// gated notes what an agent tells of its calls of the gateway, and answers the update as the conversation is to have it. The
// mutex is held.
func (l *link) gated(u *transcript.Update) *transcript.Update {
	p := u.Tool
	g := l.gate[p.ID]
	if g == nil || p.Announced && g.taken {
		tool := toolOfGate(p)
		if tool == "" || l.s.run == nil || len(l.gate) >= maxCalls {
			return u
		}
		if l.gate == nil {
			l.gate = map[string]*gateCall{}
		}
		g = &gateCall{id: p.ID, tool: tool}
		l.gate[p.ID] = g
		l.arrived(g)
	}
	if g.display {
		return nil // the display says what became of it
	}
	if p.Input != nil {
		g.whole = p.Input
	}
	if g.tool == postTool && !g.taken {
		l.written(g, p)
	}
	return u
}

// arrival is a call that came to the gateway before the agent's own session has shown it: the two come on different ways.
type arrival struct {
	tool    string
	display bool // it stands in the own space already
}

// arrived looks whether a call that the agent shows now has come already. The mutex is held.
func (l *link) arrived(g *gateCall) {
	for i, a := range l.arrivals {
		if a.tool == g.tool {
			l.arrivals = slices.Delete(l.arrivals, i, i+1)
			g.taken, g.display = true, a.display
			return
		}
	}
}

// written shows what an agent writes to another space while it writes it. Until the space is known, the text waits.
func (l *link) written(g *gateCall, p *transcript.ToolPatch) {
	if p.InputDelta != "" {
		changes, _ := g.input.Write(p.InputDelta) // what is broken is refused by the gateway
		for _, ch := range changes {
			if ch.Kind == partialjson.Text && ch.Field == "text" && ch.Path == "" {
				g.text.WriteString(ch.Text)
			}
			if ch.Kind == partialjson.Complete && ch.Field == "spaceId" {
				g.space = g.input.Text("spaceId")
			}
		}
	} else if p.Input != nil {
		var in struct{ SpaceID, Text string }
		if json.Unmarshal(p.Input, &in, json.MatchCaseInsensitiveNames(true)) != nil {
			return
		}
		g.space = in.SpaceID
		if rest, ok := strings.CutPrefix(in.Text, g.text.String()); ok {
			g.text.WriteString(rest)
		}
	}
	if g.space == "" || g.space == l.s.space.ID || g.text.Len() == g.sent {
		return
	}
	if g.to == nil {
		if l.s.m.member(l.s.space.AgentID, g.space) != nil {
			g.space = ""
			return
		}
		g.to = l.s.run.in(l.s, g.space)
	}
	g.to.add(step{text: g.text.String()[g.sent:], part: g.id})
	g.sent = g.text.Len()
}

// claim finds the agent's own call for one that has arrived at the gateway: of the tool and with the input, else the oldest of
// the tool whose input is not known. here tells that it is drawn in the own space. The mutex is held.
func (l *link) claim(tool string, sent []byte, here bool) *gateCall {
	var oldest *gateCall
	for _, g := range l.gate {
		if g.tool != tool || g.taken {
			continue
		}
		if sameJSON(g.whole, sent) {
			g.taken = true
			return g
		}
		if (len(g.whole) == 0 || bytes.Equal(bytes.TrimSpace(g.whole), []byte("{}"))) && (oldest == nil || g.id < oldest.id) {
			oldest = g
		}
	}
	if oldest != nil {
		oldest.taken = true
	} else if len(l.arrivals) < maxCalls {
		l.arrivals = append(l.arrivals, arrival{tool: tool, display: here})
	}
	return oldest
}

func sameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := append(jsontext.Value(nil), a...), append(jsontext.Value(nil), b...)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// member answers nil if an agent is a member of a space. It blocks for a read.
func (m *Manager) member(agentID, spaceID string) error {
	space, err := m.opt.Store.Space(context.Background(), spaceID)
	if err != nil {
		return &Error{Code: "no_space", Message: "There is no space " + spaceID + ". listSpaces tells those that there are."}
	}
	if space.AgentID != agentID {
		return &Error{Code: "not_member", Message: "You are not a member of the space " + spaceID + ". listSpaces tells those that you are a member of."}
	}
	return nil
}
