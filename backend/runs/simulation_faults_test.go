package runs

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var faultsFlag = flag.Bool("faults", false, "puts faults back into the source and has the simulation find them")

// oldFaults are faults that Weft has had, or that the simulation has found, as changes of the source that put them back.
var oldFaults = []struct{ name, file, now, then string }{
	{
		"a session is given to a prompt before it is open", "../lifecycle/need.go",
		"	case g != nil && g.phase == InTurn && n.InTurn:\n",
		"	case g != nil && g.phase == Starting:\n		n.Done(g.session, nil)\n		return\n	case g != nil && g.phase == InTurn && n.InTurn:\n",
	},
	{
		"a space that is deleted while its session opens leaves it", "../lifecycle/leave.go",
		"	if m.live != nil {\n		m.live.End(Ending{Polite: true})\n	}\n	if m.closing != nil {",
		"	if m.live != nil && m.live.phase != Starting {\n		m.live.End(Ending{Polite: true})\n	}\n	if m.closing != nil {",
	},
	{
		"a batch that could not be stored is given up", "../owner/storing.go",
		"	o.trouble = err\n	b := o.flight\n",
		"	o.trouble = err\n	b := o.flight\n	if len(b.req.Bodies) == 1 {\n		o.flight = nil\n	}\n",
	},
	{
		"a member that is leaving is forgotten when its space is deleted", "space.go",
		"append(r.inOrder(), r.leaving...)", "r.inOrder()",
	},
	{
		"who waits for the reply to a queued prompt is forgotten when the space is deleted", "space.go",
		"r.Effect(func() { reply.Give(\"\", errNoMember) })", "_ = reply",
	},
	{
		"an agent is answered before that is stored", "../asking/permissions.go",
		"	p.step.After(func() {\n		for i, a := range asks {\n			a.Tell(a.Outcome(how[i]))\n		}\n	})\n	p.resolveAlike()",
		"	p.step.Effect(func() {\n		for i, a := range asks {\n			a.Tell(a.Outcome(how[i]))\n		}\n	})\n	p.resolveAlike()",
	},
	{
		"a run that was stopped before it was stored begins all the same", "../turn/turn.go",
		"	if t.phase != New {\n		return false\n	}\n	t.to(Waiting)\n", "	t.phase = Waiting\n",
	},
	{
		"what is sent after a stop waits for the user", "run.go",
		"(err == nil || r.turn.Stopping()) && !s.life.Left()", "err == nil && !r.turn.Stopping() && !s.life.Left()",
	},
}

var historyOf = regexp.MustCompile(`seed (\d+): (.*)`)

// TestSimulationFindsReintroducedFaults compiles the package with each of the old faults, and expects that the simulation fails.
func TestSimulationFindsReintroducedFaults(t *testing.T) {
	if !*faultsFlag {
		t.Skip("it compiles the package once for each fault: go test ./backend/runs -run PutBack -v -args -faults")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range oldFaults {
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(dir, f.file)
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(source), f.now) != 1 {
				t.Fatalf("%s has changed: the fault can't be put back", f.file)
			}
			tmp := t.TempDir()
			changed, overlay := filepath.Join(tmp, filepath.Base(f.file)), filepath.Join(tmp, "overlay.json")
			replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{changed: []byte(strings.Replace(string(source), f.now, f.then, 1)), overlay: replace} {
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-run", "^TestSimulation$", ".", "-args", "-histories", "50000").CombinedOutput()
			found := historyOf.FindStringSubmatch(string(out))
			if err == nil || found == nil {
				t.Fatalf("the simulation does not find it: %v\n%.2000s", err, out)
			}
			t.Logf("found in history %s: %.200s", found[1], found[2])
		})
	}
}
