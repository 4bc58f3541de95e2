//go:build linux

package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/agent/sandbox"
	"weft/backend/api/service/agents"
	"weft/backend/settings"
	"weft/backend/store/permissions"
)

// shells runs each prompt as a command of its own, without asking anyone, and tells what that wrote.
func shells(a *scripted) {
	if slices.Contains(a.args, "without modes") {
		a.initialize(`{}`)
		a.respond(a.method("session/new").ID, `{"sessionId":"s1"}`)
	} else {
		a.open()
	}
	for {
		out, err := exec.Command("sh", "-c", a.prompt()).CombinedOutput()
		text := strings.ReplaceAll(string(out), "\n", "|")
		if err != nil {
			text += err.Error()
		}
		a.tell(text)
		a.end("end_turn")
	}
}

// An agent that never asks can do in its sandbox what the space allows, and nothing else; and so can the commands that Weft
// runs for it.
func TestSandboxedAgent(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	for name, text := range map[string]string{".ssh/id_x": "PRIVATE", ".bashrc": "alias", "other/file": "other"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := launch(t, home)
	boxed := func(script string) *room {
		ctl := listen(t)
		var saved agents.Agent
		a.do(t, "SaveAgent", agents.SaveAgentRequest{
			Name: "Boxed " + script, Command: scriptedProgram, Args: []string{"scripted", script}, Cwd: "space",
			Env: map[string]string{controlVariable: ctl.l.Addr().String()}, Sandbox: &settings.Sandbox{},
		}, &saved)
		if saved.Sandbox == nil {
			t.Fatal("the sandbox was not saved")
		}
		r := a.enter(t, t.TempDir(), saved.ID)
		r.steer(ctl)
		t.Cleanup(r.st.close)
		return r
	}
	hostile := `echo x > made; cat ` + home + `/.ssh/id_x; echo evil >> ` + home + `/.bashrc; echo evil > ` + home + `/other/file; ls ` + a.home + `/data/weft.db; cat made`

	r := boxed("shells")
	did := func(prompt string) string {
		r.st.reset()
		r.send(t, prompt)
		got := r.ctl.hear(t)
		r.ended(t, "end_turn")
		return got
	}
	if got := did(hostile); !strings.HasSuffix(strings.TrimSpace(got), "x|") || strings.Contains(got, "PRIVATE") || strings.Count(got, "No such file") < 2 {
		t.Errorf("it wrote %q", got)
	}
	// The mode of the space is that of the mount, from the next prompt on.
	r.mode(t, "read-only")
	if got := did("echo y > made; cat made"); !strings.Contains(got, "Read-only file system") || !strings.Contains(got, "x|") {
		t.Errorf("in a read-only space: %q", got)
	}
	r.mode(t, "rules")
	if got := did("echo z > made; cat made"); got != "z|" && strings.TrimSpace(got) != "z|" {
		t.Errorf("writable again: %q", got)
	}

	a.rule(t, permissions.Rule{Effect: "allow", Kind: "execute"})
	r = boxed("terminals")
	if err := os.WriteFile(filepath.Join(r.folder, "hostile.sh"), []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	got := r.does(t, 3, line("sh hostile.sh"), "wait", "output")
	r.ended(t, "end_turn")
	if out := got[2].Output; !strings.HasSuffix(out, "x\n") || strings.Contains(out, "PRIVATE") {
		t.Errorf("a terminal: %q", out)
	}

	for name, want := range map[string]string{".bashrc": "alias", "other/file": "other"} {
		if text, err := os.ReadFile(filepath.Join(home, name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
}

// form is what saves the agent of a space as it is, in that sandbox.
func (r *room) form(t *testing.T, box *settings.Sandbox) agents.SaveAgentRequest {
	t.Helper()
	id := r.agentOf(t, r)
	for _, one := range r.agents(t) {
		if one.ID == id {
			return agents.SaveAgentRequest{ID: id, Name: one.Name, Command: one.Command, Args: one.Args, Env: one.Env, Cwd: one.Cwd, Process: one.Process, Sandbox: box}
		}
	}
	t.Fatal("the agent is gone")
	return agents.SaveAgentRequest{}
}

func TestSandboxHoldsFromTheNextPromptOn(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "shells")
	outside := filepath.Join(home, "outside")
	for i, box := range []*settings.Sandbox{nil, {}, {Writable: []string{home}}, nil} {
		a.do(t, "SaveAgent", r.form(t, box), nil)
		r.st.reset()
		r.send(t, "echo x > "+outside)
		r.ctl.hear(t)
		r.ended(t, "end_turn")
		if did, want := os.Remove(outside) == nil, box == nil || len(box.Writable) > 0; did != want {
			t.Errorf("prompt %d: it wrote outside of the folder: %v", i, did)
		}
	}
}

// An agent in a read-only space neither reads nor writes Weft's settings, wherever they are.
func TestSealedAgentHasNoSettings(t *testing.T) {
	t.Parallel()
	if err := sandbox.CanSeal(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "shells")
	path := settingsPath(home)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.mode(t, "read-only")
	r.send(t, "cat "+path+"; echo evil >> "+path)
	if got := r.ctl.hear(t); strings.Contains(got, "agents") {
		t.Errorf("it read %q", got)
	}
	r.ended(t, "end_turn")
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the settings are %.200q, %v", after, err)
	}
}
