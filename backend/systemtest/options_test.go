//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
	"weft/backend/space/sessionoptions"
)

func init() {
	addScript("offers", offers)
	addScript("legacy", legacyOffers)
	addScript("loops", loopsModes)
	addScript("hesitates", hesitates)
}

// offers has config options, and tells the test what was set. Choosing the large model takes the
// thinking option away.
func offers(a *scripted) {
	model, think, fast := "small", "low", false
	list := func() string {
		out := fmt.Sprintf(`[{"id":"model","name":"Model","category":"model","type":"select","currentValue":%q,"options":[{"value":"small","name":"Small"},{"value":"large","name":"Large"}]},
			{"id":"fast","name":"Fast","type":"boolean","currentValue":%t}`, model, fast)
		if model == "small" {
			out += fmt.Sprintf(`,{"id":"think","name":"Thinking","category":"thought_level","type":"select","currentValue":%q,"options":[{"value":"low","name":"Low"},{"value":"high","name":"High"}]}`, think)
		}
		return strings.ReplaceAll(out, "\n", "") + "]"
	}
	a.initialize(`{"promptCapabilities":{"image":true}}`)
	m := a.method("session/new")
	a.respond(m.ID, `{"sessionId":"s1","configOptions":`+list()+`}`)
	a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":"Make a plan","input":{"hint":"what for"}}]}`)
	a.tell("new")
	for {
		m := a.next(func(m message) bool {
			return m.Method == "session/set_config_option" || m.Method == "session/prompt" || m.Method == "session/new"
		})
		if m.Method == "session/new" {
			a.refuse(m.ID, -32603, "one session at a time")
			continue
		}
		if m.Method == "session/prompt" {
			a.turn = m.ID
			a.say("with " + model)
			a.end("end_turn")
			continue
		}
		var p struct {
			Params struct {
				ConfigID string          `json:"configId"`
				Type     string          `json:"type"`
				Value    json.RawMessage `json:"value"`
			} `json:"params"`
		}
		_ = json.Unmarshal([]byte(m.line), &p)
		a.tell(fmt.Sprintf("%s=%s%s", p.Params.ConfigID, p.Params.Value, p.Params.Type))
		if string(p.Params.Value) == `"high"` && len(a.args) > 0 {
			a.refuse(m.ID, -32603, "too expensive")
			continue
		}
		switch p.Params.ConfigID {
		case "model":
			_ = json.Unmarshal(p.Params.Value, &model)
		case "think":
			_ = json.Unmarshal(p.Params.Value, &think)
		case "fast":
			fast = string(p.Params.Value) == "true"
		}
		a.respond(m.ID, `{"configOptions":`+list()+`}`)
	}
}

// legacyOffers has modes and models, and changes its mode by itself in a turn.
func legacyOffers(a *scripted) {
	a.initialize(`{}`)
	a.respond(a.method("session/new").ID, `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]},"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"One"},{"modelId":"m2","name":"Two"}]}}`)
	for {
		m := a.next(func(m message) bool { return strings.HasPrefix(m.Method, "session/") })
		switch m.Method {
		case "session/prompt":
			a.turn = m.ID
			a.update(`{"sessionUpdate":"current_mode_update","currentModeId":"code"}`)
			a.say("done")
			a.end("end_turn")
		default:
			a.tell(m.Method)
			a.respond(m.ID, `{}`)
		}
	}
}

// loopsModes changes its mode without an end in sight.
func loopsModes(a *scripted) {
	a.initialize(`{}`)
	a.respond(a.method("session/new").ID, `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"code"}]}}`)
	a.prompt()
	for i := range 20_000 {
		a.buffered(a.updateLine(`{"sessionUpdate":"current_mode_update","currentModeId":"` + []string{"ask", "code"}[i%2] + `"}`))
	}
	a.say("enough")
	a.end("end_turn")
	a.prompt()
}

// hesitates sets its model when the test lets it.
func hesitates(a *scripted) {
	model := "small"
	list := func() string {
		return fmt.Sprintf(`[{"id":"model","name":"Model","category":"model","type":"select","currentValue":%q,"options":[{"value":"small"},{"value":"large"}]}]`, model)
	}
	a.initialize(`{}`)
	a.respond(a.method("session/new").ID, `{"sessionId":"s1","configOptions":`+list()+`}`)
	for {
		m := a.next(func(m message) bool {
			return m.Method == "session/set_config_option" || m.Method == "session/prompt" || m.Method == "session/new"
		})
		switch m.Method {
		case "session/new":
			a.refuse(m.ID, -32603, "one session at a time")
		case "session/prompt":
			a.turn = m.ID
			a.tell("prompt with " + model)
			a.end("end_turn")
		default:
			a.tell("set")
			a.await()
			model = "large"
			a.respond(m.ID, `{"configOptions":`+list()+`}`)
		}
	}
}

// offered returns what the space says its session offers, as id=value.
func (r *room) offered(t *testing.T) (text string, o sessionoptions.Offered) {
	t.Helper()
	var snap conversation.Snapshot
	r.do(t, "OpenSpace", r.ref(), &snap)
	if raw := snap.State["session"]; raw != nil {
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, op := range o.Options {
		out = append(out, op.ID+"="+string(op.Current))
	}
	return strings.Join(out, " "), o
}

func (r *room) choose(t *testing.T, option, value string) {
	t.Helper()
	r.do(t, "SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: option, Value: jsontext.Value(value)}, nil)
}

func TestOptionsAreOfferedSetAndKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "offers")
	a.do(t, "PrepareAgent", r.ref(), nil)
	r.ctl.expect(t, "new")
	text, o := r.offered(t)
	if text != `model="small" fast=false think="low"` || !o.Can.Image || o.Can.Audio {
		t.Fatalf("offered: %s, %+v", text, o.Can)
	}
	r.st.until(t, "commands before the first prompt", func(v *seen) bool {
		return strings.Contains(string(v.conv.State[transcript.StateCommands].Value), "what for")
	})
	r.choose(t, "think", `"high"`)
	r.ctl.expect(t, `think="high"`)
	r.choose(t, "fast", `true`)
	r.ctl.expect(t, `fast=trueboolean`)
	if text, _ := r.offered(t); text != `model="small" fast=true think="high"` {
		t.Errorf("after choosing: %s", text)
	}
	a.refused(t, "SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: "think", Value: jsontext.Value(`"huge"`)}, "invalid")
	a.refused(t, "SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: "mood", Value: jsontext.Value(`"good"`)}, "not_found")
	a.refused(t, "SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: "think", Value: jsontext.Value(`[1]`)}, "invalid")

	// A session in which nothing was said is not one to go back to.
	a.kill()
	a = launch(t, home)
	again := a.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	t.Cleanup(again.st.close)
	if text, _ := again.offered(t); text != `model="small" fast=true think="high"` {
		t.Errorf("after a crash: %s", text)
	}
	// What was in force is restored before the prompt goes out.
	again.turn(t, "go", "end_turn")
	again.ctl.expect(t, "new")
	again.ctl.expect(t, "fast=trueboolean")
	again.ctl.expect(t, `think="high"`)
	again.st.now(func(v *seen) {
		if said := dump(v.conv.Messages); strings.Contains(said, "received the conversation so far") {
			t.Errorf("nothing was said before, and yet:\n%s", said)
		}
		if v.message().Model != "small" {
			t.Errorf("the model is %q", v.message().Model)
		}
	})
	// A new space of the agent begins with what the user chose.
	var sp spaces.Space
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", again.ref(), &snap)
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: snap.Space.AgentID, Folder: r.folder}, &sp)
	other := a.reenter(t, r.folder, sp.ID)
	t.Cleanup(other.st.close)
	a.do(t, "PrepareAgent", other.ref(), nil)
	if text, _ := other.offered(t); text != `model="small" fast=true think="high"` {
		t.Errorf("a new space: %s", text)
	}
	// One option may take away another.
	other.choose(t, "model", `"large"`)
	if text, _ := other.offered(t); text != `model="large" fast=true` {
		t.Errorf("with the large model: %s", text)
	}
	a.stop(t)
}

func TestRefusedOptionKeepsItsValue(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "offers", "refuses")
	a.do(t, "PrepareAgent", r.ref(), nil)
	r.ctl.expect(t, "new")
	a.refused(t, "SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: "think", Value: jsontext.Value(`"high"`)}, "refused")
	if text, _ := r.offered(t); text != `model="small" fast=false think="low"` {
		t.Errorf("after a refusal: %s", text)
	}
	r.turn(t, "go", "end_turn")
	r.kept(t)
}

// A start that is given up while options are restored leaves what the user chose.
func TestStopWhileOptionsAreRestored(t *testing.T) {
	a := launch(t, t.TempDir())
	r := a.scripted(t, "hesitates")
	chosen := make(chan error, 1)
	go func() {
		chosen <- a.try("SetOption", conversation.SetOptionRequest{SpaceID: r.id, OptionID: "model", Value: jsontext.Value(`"large"`)}, nil)
	}()
	r.ctl.expect(t, "set")
	r.ctl.say(t, "go on")
	if err := <-chosen; err != nil {
		t.Fatal(err)
	}
	var sp spaces.Space
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: snap.Space.AgentID, Folder: r.folder}, &sp)
	other := a.reenter(t, r.folder, sp.ID)
	t.Cleanup(other.st.close)
	other.send(t, "go")
	r.ctl.expect(t, "set")
	a.do(t, "StopRun", other.ref(), nil)
	other.ended(t, "cancelled")
	other.st.reset()
	other.send(t, "go")
	r.ctl.expect(t, "set")
	r.ctl.say(t, "go on")
	r.ctl.expect(t, "prompt with large")
	other.ended(t, "end_turn")
	if text, _ := other.offered(t); text != `model="large"` {
		t.Errorf("after a start that was given up: %s", text)
	}
}

func TestModesAndModels(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "legacy")
	r.choose(t, "model", `"m2"`) // starts the agent
	r.ctl.expect(t, "session/set_model")
	if text, _ := r.offered(t); text != `mode="ask" model="m2"` {
		t.Errorf("offered: %s", text)
	}
	r.turn(t, "go", "end_turn")
	if text, _ := r.offered(t); text != `mode="code" model="m2"` {
		t.Errorf("after the agent changed its mode: %s", text)
	}
	r.kept(t)
	r = a.scripted(t, "loops")
	r.turn(t, "go", "end_turn")
	if text, _ := r.offered(t); text != `mode="code"` {
		t.Errorf("after a loop: %s", text)
	}
	a.alive(t)
}

// A start that nobody waits for any more is given up; one start serves all who wait.
func TestPreparing(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "offers")
	done := make(chan error, 8)
	for range cap(done) {
		go func() { done <- a.try("PrepareAgent", r.ref(), nil) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.ctl.expect(t, "new")
	r.turn(t, "go", "end_turn")
	a.do(t, "RestartAgent", r.ref(), nil)
	r.ctl.expect(t, "new") // and not one of the eight
	broken := a.scripted(t, "exits")
	a.refused(t, "PrepareAgent", broken.ref(), "agent_exited")
	a.do(t, "DeleteSpace", r.ref(), nil)
	a.stop(t)
}
