//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent/sandbox"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/permissions"
	"weft/backend/space/requests"
	stored "weft/backend/store/permissions"
)

func init() { addScript("modal", modal) }

// offering is what the agent modal offers, in a file that the test changes.
type offering struct {
	Mode    string            // in force when the session begins
	Modes   map[string]string // descriptions of the modes by their ids
	Model   string
	Models  []string
	Config  bool   // the modes are a config option
	Refuses string // the value that it doesn't set
	Flips   bool   // it changes the mode back by itself
	Silent  bool   // it doesn't answer where a mode is set in a turn
}

// claude are the modes of an agent that has a mode for each thing.
var claudeModes = map[string]string{
	"default": "Always ask before making changes", "acceptEdits": "Automatically accept all file edits", "plan": "Create a plan before making changes", "auto": "The agent handles permission decisions",
}

// modal has modes, and tells the test which one is set, and in which one it gets a prompt. "turn MODE" has it change the mode in the turn; "offer" has it read
// again what it offers.
func modal(a *scripted) {
	var o offering
	read := func() {
		o = offering{}
		text, err := os.ReadFile(a.args[0])
		if err != nil || json.Unmarshal(text, &o) != nil {
			os.Exit(6)
		}
	}
	read()
	choices := func(key string) string {
		var list []string
		for _, id := range []string{"default", "acceptEdits", "plan", "auto", "code", "low", "high"} {
			if d, ok := o.Modes[id]; ok {
				list = append(list, fmt.Sprintf(`{%q:%q,"name":%q,"description":%q}`, key, id, strings.ToUpper(id[:1])+id[1:], d))
			}
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	config := func() string {
		var list []string
		if o.Config && len(o.Modes) > 0 {
			list = append(list, fmt.Sprintf(`{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":%q,"options":%s}`, o.Mode, choices("value")))
		}
		if o.Model != "" {
			models := make([]string, len(o.Models))
			for i, m := range o.Models {
				models[i] = fmt.Sprintf(`{"value":%q,"name":%q}`, m, strings.ToUpper(m))
			}
			list = append(list, fmt.Sprintf(`{"id":"model","name":"Model","category":"model","type":"select","currentValue":%q,"options":[%s]}`, o.Model, strings.Join(models, ",")))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	a.initialize(`{}`)
	said := `{"sessionId":"s1","configOptions":` + config()
	if !o.Config && len(o.Modes) > 0 {
		said += fmt.Sprintf(`,"modes":{"currentModeId":%q,"availableModes":%s}`, o.Mode, choices("id"))
	}
	a.respond(a.method("session/new").ID, said+"}")
	change := func(to string) {
		if to == "none" {
			o.Modes = nil
		}
		if o.Mode = to; o.Config || o.Model != "" {
			a.update(`{"sessionUpdate":"config_option_update","configOptions":` + config() + `}`)
		} else {
			a.update(`{"sessionUpdate":"current_mode_update","currentModeId":"` + to + `"}`)
		}
	}
	canceled := true
	for {
		m := a.next(func(m message) bool { return strings.HasPrefix(m.Method, "session/") })
		var p struct {
			Params struct {
				ModeID string `json:"modeId"`
				Value  any    `json:"value"`
			} `json:"params"`
		}
		_ = json.Unmarshal([]byte(m.line), &p)
		switch m.Method {
		case "session/set_mode", "session/set_config_option":
			to := p.Params.ModeID
			if s, ok := p.Params.Value.(string); ok {
				to = s
			}
			a.tell("set " + to)
			switch {
			case o.Silent && !canceled:
				continue
			case to == o.Refuses:
				a.refuse(m.ID, -32603, "not today")
				continue
			case strings.HasPrefix(to, "m"):
				o.Model = to
			default:
				o.Mode = to
			}
			a.respond(m.ID, `{"configOptions":`+config()+`}`)
			if o.Flips {
				change("auto")
			}
		case "session/prompt":
			a.turn, canceled = m.ID, false
			a.tell("prompt in " + o.Mode + o.Model)
			text := m.text()
			switch to, turns := strings.CutPrefix(text, "turn "); {
			case turns:
				change(to)
				continue // until the test says "end", or the turn is stopped
			case text == "offer":
				read()
				change(o.Mode)
			}
			a.say("done")
			a.end("end_turn")
		case "session/cancel":
			if !canceled {
				canceled = true
				a.tell("canceled")
				a.end("cancelled")
			}
		}
	}
}

// modal makes a space with an agent that has modes; offer changes what it offers the next time that it looks.
func (a *app) modal(t *testing.T, o offering) (r *room, offer func(offering)) {
	t.Helper()
	r, offer, _ = a.modalAt(t, o)
	return r, offer
}

// modalAt is modal; path is where the agent reads what it offers.
func (a *app) modalAt(t *testing.T, o offering) (r *room, offer func(offering), path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "offering.json")
	offer = func(o offering) {
		t.Helper()
		text, err := json.Marshal(o)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	offer(o)
	return a.scripted(t, "modal", path), offer, path
}

// heard sends a prompt that ends, and checks what the agent told before it ended. It returns the notes of the turn.
func (r *room) heard(t *testing.T, text string, want ...string) (notes string) {
	t.Helper()
	r.st.reset()
	r.send(t, text)
	for i, line := range want {
		got := r.ctl.hear(t)
		for i > 0 && got == want[i-1] && strings.HasPrefix(got, "set ") { // in the process that began before the agent was sealed as well
			got = r.ctl.hear(t)
		}
		if got != line {
			t.Fatalf("the agent told %q, want %q", got, line)
		}
	}
	r.ended(t, "end_turn")
	return r.notes()
}

// notes returns what Weft has said in the last message.
func (r *room) notes() (notes string) {
	r.st.now(func(v *seen) { notes = notesIn(v) })
	return notes
}

func notesIn(v *seen) string {
	var out []string
	for _, s := range v.message().Segments {
		if s.Author == "app" {
			out = append(out, s.Text)
		}
	}
	return strings.Join(out, "\n")
}

// held waits for a question of Weft's own, and returns its id, its title and the values and titles of its ways.
func (r *room) held(t *testing.T) (id, title string, ways map[string]string) {
	t.Helper()
	r.st.until(t, "Weft asks before the prompt", func(v *seen) bool {
		for _, ask := range v.asks {
			c := v.call(ask.tool)
			if ask.outcome != "" || c == nil || c.Name != requests.HoldTool {
				continue
			}
			id, title = ask.id, c.Title
			var in struct {
				Schema struct {
					Properties struct {
						Choice struct {
							OneOf []struct{ Const, Title string } `json:"oneOf"`
						} `json:"choice"`
					} `json:"properties"`
				} `json:"requestedSchema"`
			}
			if err := json.Unmarshal(c.Input, &in); err != nil {
				t.Error(err)
			}
			ways = map[string]string{}
			for _, w := range in.Schema.Properties.Choice.OneOf {
				ways[w.Const] = w.Title
			}
			return true
		}
		return false
	})
	return id, title, ways
}

func (r *room) decide(t *testing.T, id, action, choice string) {
	t.Helper()
	content := jsontext.Value(`null`)
	if choice != "" {
		content = jsontext.Value(fmt.Sprintf(`{"choice":%q}`, choice))
	}
	r.do(t, "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: id, Action: action, Content: content}, nil)
}

func contains(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q, want %q in it", what, text, w)
		}
	}
	if len(want) == 0 && text != "" {
		t.Errorf("%s: %q", what, text)
	}
}

func TestAgentIsSetToAskWhereTheSpaceNeedsIt(t *testing.T) {
	t.Parallel()
	for _, config := range []bool{false, true} {
		a := launch(t, t.TempDir())
		r, _ := a.modal(t, offering{Mode: "auto", Modes: claudeModes, Config: config})
		contains(t, "nothing is needed", r.heard(t, "1", "prompt in auto"))

		r.mode(t, "read-only")
		contains(t, "read-only", r.heard(t, "2", "set default", "prompt in default"), "Weft changed “Mode” of Scripted modal from “Auto” to “Default”, because this space is read-only.")
		contains(t, "read-only again", r.heard(t, "3", "prompt in default"))
		byHand := conversation.SetOptionRequest{SpaceID: r.id, OptionID: "mode", Value: jsontext.Value(`"auto"`)}
		if why := a.refused(t, "SetOption", byHand, "refused"); why != "Scripted modal would act without asking, but this space is read-only." {
			t.Error(why)
		}
		r.choose(t, "mode", `"plan"`)
		r.ctl.expect(t, "set plan")
		contains(t, "a mode that only reads", r.heard(t, "4", "prompt in plan"))

		r.choose(t, "mode", `"default"`)
		r.ctl.expect(t, "set default")
		r.mode(t, "rules")
		r.choose(t, "mode", `"auto"`)
		if sandbox.CanSeal() == nil {
			r.ctl.expect(t, "set default") // it was started again, because the folder can be written
		}
		r.ctl.expect(t, "set auto")
		ids := a.rule(t, stored.Rule{Effect: "reject", Command: "rm"})
		contains(t, "a rule about commands", r.heard(t, "5", "set default", "prompt in default"), "so that Scripted modal asks before it does what your rules reject")
		if why := a.refused(t, "SetOption", byHand, "refused"); why != "Scripted modal would act without asking, but your rules reject some of what it could do." {
			t.Error(why)
		}
		r.choose(t, "mode", `"acceptEdits"`)
		r.ctl.expect(t, "set acceptEdits")
		contains(t, "the user's mode asks about commands", r.heard(t, "6", "prompt in acceptEdits"))
		more := a.rule(t, stored.Rule{Effect: "reject", Path: "src/**"})
		contains(t, "a rule about files", r.heard(t, "7", "set default", "prompt in default"), "from “AcceptEdits” to “Default”")
		for _, id := range append(ids, more...) {
			a.do(t, "RemovePermissionRule", permissions.RuleRef{RuleID: id}, nil)
		}
		contains(t, "no rules any more", r.heard(t, "8", "set acceptEdits", "prompt in acceptEdits"), "Weft set “Mode” of Scripted modal back from “Default” to “AcceptEdits”")

		r.mode(t, "ask")
		contains(t, "the user's own mode in a space that always asks", r.heard(t, "9", "prompt in acceptEdits"))
		r.kept(t)
		a.stop(t)
	}
}

func TestSpaceThatAlwaysAsksSetsTheAgentsOwnModeOnly(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r, _ := a.modal(t, offering{Mode: "auto", Modes: claudeModes})
	r.mode(t, "ask")
	contains(t, "the agent's mode", r.heard(t, "1", "set default", "prompt in default"), "because this space always asks")
	r.mode(t, "rules")
	contains(t, "the mode that the agent began with", r.heard(t, "2", "set auto", "prompt in auto"), "back from “Default” to “Auto”")
	r.mode(t, "ask")
	r.heard(t, "3", "set default", "prompt in default")
	r.choose(t, "mode", `"auto"`)
	r.ctl.expect(t, "set auto")
	contains(t, "the user's mode", r.heard(t, "4", "prompt in auto"))
	r.kept(t)
}

func TestUserIsAskedBeforeAPromptThatCannotBeHeld(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r, _ := a.modal(t, offering{Mode: "high", Modes: map[string]string{"low": "Thinks little", "high": "Thinks long"}})
	a.rule(t, stored.Rule{Effect: "reject", Command: "rm"})
	r.send(t, "first")
	id, title, ways := r.held(t)
	contains(t, "the question", title, "Scripted modal doesn't say that it asks", "“rm”")
	if len(ways) != 1 || ways["send"] == "" {
		t.Errorf("the ways are %v", ways)
	}
	r.decide(t, id, "decline", "")
	r.ended(t, "cancelled")
	r.st.reset()
	r.send(t, "second")
	id, _, _ = r.held(t)
	r.decide(t, id, "accept", "send")
	r.ctl.expect(t, "prompt in high") // the first prompt was not sent
	r.ended(t, "end_turn")
	contains(t, "the user knows", r.heard(t, "third", "prompt in high"))
	a.kill()
	a = launch(t, home)
	again := a.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	t.Cleanup(again.st.close)
	again.heard(t, "after a restart", "prompt in high")
	a.rule(t, stored.Rule{Effect: "reject", Command: "curl"})
	again.st.reset()
	again.send(t, "another rule")
	_, title, _ = again.held(t)
	contains(t, "another rule", title, "“curl”, “rm”")
	again.stop(t)
	again.ended(t, "cancelled")
}

func TestModeThatReadsOnlyIsOfferedWhereNoneAsks(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r, _ := a.modal(t, offering{Mode: "code", Modes: map[string]string{"code": "Executes tools based on configured permissions.", "plan": "Plan mode. Disallows all edit tools."}, Config: true})
	a.rule(t, stored.Rule{Effect: "reject", Path: "src/**"})
	r.send(t, "first")
	id, _, ways := r.held(t)
	if len(ways) != 2 || ways["set:mode:plan"] != "Set “Mode” to “Plan” and send" {
		t.Errorf("the ways are %v", ways)
	}
	r.decide(t, id, "accept", "set:mode:plan")
	r.ctl.expect(t, "set plan")
	id, _, _ = r.held(t) // it doesn't say that it runs no commands
	r.decide(t, id, "accept", "send")
	r.ctl.expect(t, "prompt in plan")
	r.ended(t, "end_turn")
	r.kept(t)
}

func TestModeThatTheAgentLeavesIsSetBack(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, stored.Rule{Effect: "reject", Command: "rm"})
	r, offer, path := a.modalAt(t, offering{Mode: "default", Modes: claudeModes})
	r.st.reset()
	r.send(t, "turn auto")
	r.ctl.expect(t, "prompt in default")
	r.ctl.expect(t, "set default")
	r.st.until(t, "a note", func(v *seen) bool { return strings.Contains(notesIn(v), "from “Auto” to “Default”") })
	r.stop(t)
	r.ctl.expect(t, "canceled")
	r.ended(t, "cancelled")

	// A mode that it doesn't offer is one in which it may do anything.
	for _, config := range []bool{false, true} {
		offer(offering{Mode: "default", Modes: claudeModes, Config: config})
		other := a.scripted(t, "modal", path)
		other.send(t, "turn yolo")
		other.ctl.expect(t, "prompt in default")
		other.ctl.expect(t, "set default")
		other.st.until(t, "a note", func(v *seen) bool { return strings.Contains(notesIn(v), "from “yolo” to “Default”") })
		other.stop(t)
		other.ended(t, "cancelled")
		other.kept(t)
	}
	offer(offering{Mode: "default", Modes: claudeModes, Config: true})
	without := a.scripted(t, "modal", path)
	without.send(t, "turn none")
	without.ctl.expect(t, "prompt in default")
	without.ctl.expect(t, "canceled")
	without.ended(t, "cancelled")
	contains(t, "no modes any more", without.notes(), "Scripted modal no longer says that it asks before it acts, so the turn was stopped.")

	two := map[string]string{"default": claudeModes["default"], "auto": claudeModes["auto"]}
	for name, o := range map[string]offering{
		"refuses": {Mode: "default", Modes: two, Refuses: "default"},
		"flips":   {Mode: "default", Modes: two, Flips: true},
		"silent":  {Mode: "default", Modes: two, Silent: true},
	} {
		offer(o)
		other := a.scripted(t, "modal", path)
		other.st.reset()
		other.send(t, "turn auto")
		other.ctl.expect(t, "prompt in default")
		for line := other.ctl.hear(t); line != "canceled"; line = other.ctl.hear(t) {
			if !strings.HasPrefix(line, "set ") {
				t.Errorf("%s: the agent told %q", name, line)
			}
		}
		other.ended(t, "cancelled")
		contains(t, name, other.notes(), "Scripted modal changed “Mode” to “Auto”, in which it acts without asking")
		other.kept(t)
	}
}

// A read-only sandbox holds an agent that leaves its mode, but knows nothing of rules that reject.
func TestModeCountsInASandboxWhereRulesReject(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	for _, rejects := range []bool{false, true} {
		a := launch(t, t.TempDir())
		r, _ := a.modal(t, offering{Mode: "default", Modes: map[string]string{"default": claudeModes["default"], "auto": claudeModes["auto"]}, Refuses: "default"})
		r.mode(t, "read-only")
		if rejects {
			a.rule(t, stored.Rule{Effect: "reject", Command: "rm"})
		}
		r.st.reset()
		r.send(t, "turn auto")
		r.ctl.expect(t, "prompt in default")
		const broke = "changed “Mode” to “Auto”, in which it acts without asking"
		if !rejects {
			r.stop(t)
		}
		for line := r.ctl.hear(t); line != "canceled"; line = r.ctl.hear(t) {
			if line != "set default" { // it is set back in any case, where it can be
				t.Errorf("rules that reject %t: the agent told %q", rejects, line)
			}
		}
		r.ended(t, "cancelled")
		if notes := r.notes(); strings.Contains(notes, broke) != rejects {
			t.Errorf("rules that reject %t: the notes are %q", rejects, notes)
		}
		r.kept(t)
	}
}

func TestModeThatCannotBeSetAgainIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		after offering
		title string
	}{
		{"not offered", offering{Mode: "code", Modes: map[string]string{"code": "Writes code", "default": "Asks"}}, "Scripted modal no longer offers “Plan” for “Mode”, which you chose, so the prompt was not sent."},
		{"refused", offering{Mode: "code", Modes: map[string]string{"code": "Writes code", "plan": "Plans", "default": "Asks"}, Refuses: "plan"}, "not today."},
		{"no modes", offering{}, "no longer offers “Plan” for “Mode”"},
	} {
		for _, config := range []bool{false, true} {
			home := t.TempDir()
			a := launch(t, home)
			before := offering{Mode: "code", Modes: map[string]string{"code": "Writes code", "plan": "Plans"}, Config: config}
			r, offer := a.modal(t, before)
			a.do(t, "PrepareAgent", r.ref(), nil)
			r.choose(t, "mode", `"plan"`)
			r.ctl.expect(t, "set plan")
			r.heard(t, "first", "prompt in plan")
			a.kill()
			c.after.Config = config
			offer(c.after)
			a = launch(t, home)
			ctl := r.ctl
			r = a.reenter(t, r.folder, r.id)
			r.steer(ctl)
			t.Cleanup(r.st.close)
			r.send(t, "second")
			if c.after.Refuses != "" {
				r.ctl.expect(t, "set plan")
			}
			id, title, ways := r.held(t)
			contains(t, c.name, title, c.title)
			if c.after.Modes != nil && (ways["set:mode:code"] != "Code" || ways["set:mode:default"] == "" || ways["set:mode:plan"] != "" || ways["send"] != "") || c.after.Modes == nil && len(ways) != 1 {
				t.Errorf("%s: the ways are %v", c.name, ways)
			}
			r.decide(t, id, "cancel", "")
			r.ended(t, "cancelled")

			// The wish is kept, and set as soon as it can be.
			offer(before)
			r.st.reset()
			r.send(t, "third")
			id, _, _ = r.held(t)
			if c.after.Modes == nil {
				r.decide(t, id, "accept", "send")
				r.ctl.expect(t, "prompt in ")
				r.ended(t, "end_turn")
				r.heard(t, "fourth", "prompt in ")
			} else {
				r.decide(t, id, "accept", "set:mode:code")
				r.ctl.expect(t, "set code")
				r.ctl.expect(t, "prompt in code")
				r.ended(t, "end_turn")
				r.heard(t, "fourth", "prompt in code")
			}
			a.stop(t)
		}
	}
}

func TestModelThatCannotBeSetAgainIsNotedAndSetLater(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r, offer := a.modal(t, offering{Model: "m1", Models: []string{"m1", "m2"}})
	a.do(t, "PrepareAgent", r.ref(), nil)
	r.choose(t, "model", `"m2"`)
	r.ctl.expect(t, "set m2")
	r.heard(t, "first", "prompt in m2")
	a.kill()
	offer(offering{Model: "m1", Models: []string{"m1"}})
	a = launch(t, home)
	again := a.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	t.Cleanup(again.st.close)
	contains(t, "not offered", again.heard(t, "second", "prompt in m1"), "no longer offers “M2” for “Model”, which you chose. Weft sets it as soon as it is offered again.")
	contains(t, "said once", again.heard(t, "third", "prompt in m1"))
	offer(offering{Model: "m1", Models: []string{"m1", "m2"}})
	again.heard(t, "offer", "prompt in m1")
	again.ctl.expect(t, "set m2")
	again.heard(t, "fourth", "prompt in m2")

	a.kill()
	offer(offering{Model: "m1", Models: []string{"m1", "m2"}, Refuses: "m2"})
	a = launch(t, home)
	last := a.reenter(t, r.folder, r.id)
	last.ctl = r.ctl
	t.Cleanup(last.st.close)
	contains(t, "refused", last.heard(t, "fifth", "set m2", "prompt in m1"), "couldn't set “Model” to “M2”, which you chose: not today.")
}

// TestChoiceThatCannotBeSetIsKeptOverRestarts restarts Weft while a choice of the user can't be set, and offers it again only then.
func TestChoiceThatCannotBeSetIsKeptOverRestarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option, wanted string
		with, without  offering
	}{
		"a mode":  {"mode", "plan", offering{Mode: "code", Modes: map[string]string{"code": "Writes code", "plan": "Plans"}}, offering{Mode: "code", Modes: map[string]string{"code": "Writes code"}}},
		"a model": {"model", "m2", offering{Model: "m1", Models: []string{"m1", "m2"}}, offering{Model: "m1", Models: []string{"m1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			a := launch(t, home)
			r, offer := a.modal(t, c.with)
			restarted := func(o offering) {
				t.Helper()
				a.kill()
				offer(o)
				a = launch(t, home)
				ctl := r.ctl
				r = a.reenter(t, r.folder, r.id)
				r.steer(ctl)
				t.Cleanup(r.st.close)
			}
			a.do(t, "PrepareAgent", r.ref(), nil)
			r.choose(t, c.option, `"`+c.wanted+`"`)
			r.ctl.expect(t, "set "+c.wanted)
			r.heard(t, "first", "prompt in "+c.wanted)
			for range 2 {
				restarted(c.without)
				if c.option == "model" {
					r.heard(t, "without it", "prompt in m1")
					continue
				}
				r.st.reset()
				r.send(t, "without it")
				id, title, _ := r.held(t)
				contains(t, "it isn't there", title, "no longer offers “Plan” for “Mode”, which you chose")
				r.decide(t, id, "cancel", "")
				r.ended(t, "cancelled")
			}
			restarted(c.with)
			r.heard(t, "with it", "set "+c.wanted, "prompt in "+c.wanted)
		})
	}
}
