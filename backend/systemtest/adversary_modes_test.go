//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ownModes is the mode that a session of the hostile agent is in, and what the agent does when Weft sets another one: take it (""), take it and
// change it again ("flips") or not answer ("silent"). One that refuses would have the user asked before each prompt.
type ownModes struct {
	now    string
	trusts bool // a switch beside the mode is on: it acts by itself in each mode
	none   bool // it offers no modes any more
	stance string
	unsaid []message // requests that it hasn't answered
}

// acts reports whether the agent does without a question what the user has forbidden.
func (m *ownModes) acts() bool {
	return m != nil && (m.none || m.trusts || m.now != "default" && m.now != "plan")
}

// options are the modes as an option, with a switch beside them.
func (m *ownModes) options() string {
	if m.none {
		return "[]"
	}
	return `[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":` + quote(m.now) + `,"options":[{"value":"default","name":"Default","description":"Always ask before making changes"},` +
		`{"value":"plan","name":"Plan","description":"Create a plan before making changes"},{"value":"acceptEdits","name":"Accept edits","description":"Automatically accept all file edits"},{"value":"auto","name":"Auto","description":"The agent handles permission decisions"}]},` +
		`{"id":"trust","name":"Auto-approve tools","description":"Run all tools without asking","type":"boolean","currentValue":` + fmt.Sprint(m.trusts) + `}]`
}

// offers is what a new session has, and the update that says it.
func (h *hostile) offers(session string) string {
	class := append(h.args, "")[0]
	m := &ownModes{now: "auto"}
	if class != "modes" && class != "options" {
		m.now = "default"
	}
	h.mu.Lock()
	h.modes[session] = m
	h.mu.Unlock()
	switch class {
	case "options":
		return `"configOptions":` + m.options()
	case "modes":
	default:
		return askingModes
	}
	return strings.Replace(askingModes, `"currentModeId":"default","availableModes":[`, `"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto","description":"The agent handles permission decisions"},`+
		`{"id":"acceptEdits","name":"Accept edits","description":"Automatically accept all file edits"},{"id":"plan","name":"Plan","description":"Create a plan before making changes"},`, 1)
}

// saysMode tells Weft which mode is in force. h.mu is held.
func (h *hostile) saysMode(session string) {
	m := h.modes[session]
	if h.args[0] == "options" {
		h.raw(updateOf(session, `{"sessionUpdate":"config_option_update","configOptions":`+m.options()+`}`))
		return
	}
	h.raw(updateOf(session, `{"sessionUpdate":"current_mode_update","currentModeId":`+quote(m.now)+`}`))
}

// set answers Weft, which sets a mode.
func (h *hostile) set(r message) {
	var p struct {
		Params struct {
			ModeID, ConfigID string
			Value            any
		}
	}
	_ = json.Unmarshal([]byte(r.line), &p) // then it is refused
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.modes[r.Params.SessionID]
	switch {
	case m == nil:
		h.refuse(r.ID, -32603, "not today")
		return
	case m.stance == "silent":
		m.unsaid = append(m.unsaid, r)
		return
	}
	switch value := p.Params.Value.(type) {
	case bool:
		m.trusts = value
	case string:
		m.now = value
	default:
		m.now = p.Params.ModeID
	}
	if slices.Contains(h.args, "options") {
		h.respond(r.ID, `{"configOptions":`+m.options()+`}`)
	} else {
		h.respond(r.ID, `{}`)
	}
	if m.stance == "flips" {
		m.now = "auto"
		h.saysMode(r.Params.SessionID)
	}
}

// changes has the agent change its mode, and waits for Weft to set another one or to stop the turn. After a turn that may come with the next prompt.
func (h *hostile) changes(session string, fr frame, stop chan struct{}, after bool) (answer string, frozen bool) {
	h.mu.Lock()
	m := h.modes[session]
	if m.stance = fr.Stance; h.args[0] == "options" && (fr.Mode == "trust" || fr.Mode == "none") {
		m.trusts, m.none = fr.Mode == "trust", fr.Mode == "none"
	} else {
		m.now = fr.Mode
	}
	h.saysMode(session)
	h.mu.Unlock()
	for deadline := time.Now().Add(adversaryPatience); !after; <-time.After(2 * time.Millisecond) {
		h.mu.Lock()
		acts := m.acts()
		h.mu.Unlock()
		select {
		case <-stop:
			return "stopped", false
		default:
		}
		switch {
		case !acts && fr.Stance != "flips":
			return "held", false
		case time.Now().After(deadline):
			return "stays in mode " + fr.Mode, true
		}
	}
	return "", false
}

// restMode has the agent behave again, because its turn ends: what it doesn't take before a prompt, the user is asked about.
func (h *hostile) restMode(session string) {
	h.mu.Lock()
	m := h.modes[session]
	if m == nil {
		h.mu.Unlock()
		return
	}
	unsaid := m.unsaid
	m.unsaid, m.stance = nil, ""
	if m.none {
		m.none = false
		h.saysMode(session)
	}
	h.mu.Unlock()
	for _, r := range unsaid {
		h.set(r)
	}
}

// inMode returns what is wrong with the mode in which a prompt has come.
func (h *hostile) inMode(session string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.modes[session]; m.acts() {
		return []string{fmt.Sprintf("the prompt came in mode %q, trusting %v", m.now, m.trusts)}
	}
	return nil
}

// modeMove has the agent change its mode by itself, before it asks for something, in the middle of that or after its turn.
func (g *grammar) modeMove() move {
	line := g.fill("{P}")
	change := frame{Mode: g.one("auto", "auto", "acceptEdits", "bypassPermissions", "yolo", "Default", "default ", "DEFAULT", "plan\u200b", "trust", "none", "plan", "default"), Stance: g.one("", "", "", "", "", "flips", "flips", "silent")}
	if change.Mode == "plan" || change.Mode == "default" {
		change.Stance = "" // Weft sets nothing
	}
	does := []frame{
		{Method: "fs/write_text_file", Params: object("sessionId", "$SESSION", "path", g.w.dir+"/notes.txt", "content", "x")},
		g.executes(line), g.terminal("command", line), g.request(object("title", "Switch to auto", "kind", "switch_mode"), g.options(), act{Line: line, Dir: g.w.dir}),
	}
	g.rand.Shuffle(len(does), func(i, k int) { does[i], does[k] = does[k], does[i] })
	v := move{Name: fmt.Sprintf("mode %q, %s", change.Mode, change.Stance), Deny: true, Ends: true}
	if change.Mode != "none" && g.often(30) { // without any mode, the user would be asked before the next prompt
		change.Stance = ""
		v.Name, v.After, v.Frames = fmt.Sprintf("mode %q after the turn", change.Mode), true, append([]frame{change}, does[:1+g.rand.IntN(2)]...)
		return v
	}
	v.Frames = slices.Concat(does[:g.rand.IntN(2)], []frame{change}, does[1:2+g.rand.IntN(3)])
	for i := range v.Frames {
		v.Frames[i].Nowait = g.often(40)
	}
	return v
}
