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
		"an agent is answered before that is stored", "../requests/permissions.go",
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
	{
		"a run writes to a space that was deleted", "elsewhere.go",
		"	if t.gone {\n", "	if t.gone && t.Full() {\n",
	},
	{
		"what an agent asks for when its session has ended is left open", "inputs.go",
		"	if s.life.Live() != l {\n		if in.item.Kind", "	if false {\n		if in.item.Kind",
	},
	{
		"the database is read in a step", "../elsewhere/lane.go",
		"m.guest.title = title", "_, m.guest.title = title, l.home.Title()",
	},
	{
		"a request that was answered is answered again when the agent withdraws it", "../requests/permissions.go",
		"		p.withdraw(a)\n		p.step.Effect(func() { from.RespondCanceled(r) })\n	}\n",
		"		p.withdraw(a)\n	}\n	p.step.Effect(func() { from.RespondCanceled(r) })\n",
	},
	{
		"a member that is renamed loses its session", "space.go",
		"found && member.AgentID == s.space.AgentID {", "found && member.AgentID == s.space.AgentID && member.Name == s.member().Name {",
	},
}

var historyOf = regexp.MustCompile(`seed (\d+): (.*)`)

// TestSimulationFindsReintroducedFaults compiles the package with each of the old faults, and expects that the
// simulation fails. Without -faults it only checks that each can still be put back.
func TestSimulationFindsReintroducedFaults(t *testing.T) {
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
			if !*faultsFlag {
				t.Skip("it compiles the package once for each fault: go test ./backend/space/runs -run Reintroduced -v -args -faults")
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
