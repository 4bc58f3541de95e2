//go:build unix

package agent

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"weft/backend/base/simtest"
)

func TestSweepAfterACrashOfEverything(t *testing.T) {
	spec, file := familySpec(t, "while :; do sleep 100; done")
	spec.PidDir = filepath.Join(t.TempDir(), "run")
	app, pids := startApp(t, spec)
	agent, watchers := pids[0], pids[1:]
	family := readPids(t, file)

	// Its owner lives, so it is not a leftover.
	if swept, err := Sweep(spec.PidDir); err != nil || len(swept) > 0 {
		t.Fatalf("swept %v of a running Weft, %v", swept, err)
	}
	if len(alive(pids)) != 3 {
		t.Fatal("the agent of a running Weft was killed")
	}

	// Neither the supervisor nor its guard may see its Weft's end, or each other's.
	for _, pid := range watchers {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	_ = app.Process.Kill()
	_ = app.Wait()
	for _, pid := range watchers {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	simtest.Eventually(t, "the supervisor and the agent are gone", func() bool { return len(alive(pids)) == 0 })
	if len(alive(family)) == 0 {
		t.Fatal("nothing is left to sweep")
	}
	swept, err := Sweep(spec.PidDir)
	if err != nil || !slices.Equal(swept, []string{"sh"}) {
		t.Errorf("swept %v, %v", swept, err)
	}
	if left := alive(append(family, agent)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if files, _ := os.ReadDir(spec.PidDir); len(files) > 0 {
		t.Errorf("records left: %v", files)
	}
}

func TestSweepKillsAStuckSupervisorAndItsTree(t *testing.T) {
	spec, file := familySpec(t, "while :; do sleep 100; done")
	spec.PidDir = filepath.Join(t.TempDir(), "run")
	app, pids := startApp(t, spec)
	for _, pid := range pids[1:] {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	_ = app.Process.Kill()
	_ = app.Wait()
	pids = append(pids, readPids(t, file)...)
	if _, err := Sweep(spec.PidDir); err != nil {
		t.Error(err)
	}
	simtest.Eventually(t, "all are gone, also the one with a wiped environment", func() bool { return len(alive(pids)) == 0 })
}

// A pid that was reused by another process is never killed.
func TestSweepSparesAReusedPid(t *testing.T) {
	innocent := exec.CommandContext(t.Context(), "sleep", "100")
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = innocent.Process.Kill(); _ = innocent.Wait() }()
	pid := innocent.Process.Pid
	start, err := startTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		r    record
		dies bool
	}{
		"another start time": {r: record{Agent: identity{pid, start + "0"}, Supervisor: identity{pid, "1"}}},
		"no start time":      {r: record{Agent: identity{pid, ""}, Supervisor: identity{pid, ""}}},
		"another boot":       {r: record{Agent: identity{pid, start}, Boot: "other"}},
		"no tag":             {r: record{Agent: identity{pid, start}, Tag: "-"}},
		"the very process":   {r: record{Agent: identity{pid, start}}, dies: true},
	} {
		if c.dies {
			continue // last
		}
		t.Run(name, func(t *testing.T) { sweepRecord(t, c.r) })
		if len(alive([]int{pid})) == 0 {
			t.Fatalf("%s: an innocent process was killed", name)
		}
	}
	sweepRecord(t, record{Agent: identity{pid, start}})
	simtest.Eventually(t, "the recorded process is gone", func() bool { return len(alive([]int{pid})) == 0 })
}

// sweepRecord sweeps a folder with one record of an owner that is gone.
func sweepRecord(t *testing.T, r record) {
	t.Helper()
	dir := t.TempDir()
	r.Owner = identity{PID: 1, Start: "never"}
	switch r.Tag {
	case "":
		r.Tag = "NOBODYHASTHISTAG"
	case "-":
		r.Tag = ""
	}
	if r.Boot == "" {
		r.Boot = bootID()
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.json": string(text), "broken.json": "{", "note.txt": "kept"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Sweep(dir); err != nil {
		t.Error(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "note.txt" {
		t.Errorf("left in the folder: %v", left)
	}
}

func TestRecordLivesAsLongAsTheProcess(t *testing.T) {
	spec := fake(t, "echo")
	spec.PidDir = filepath.Join(t.TempDir(), "run")
	p := mustStart(t, spec)
	if files, _ := os.ReadDir(spec.PidDir); len(files) != 1 {
		t.Errorf("records: %v", files)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(spec.PidDir); len(files) != 0 {
		t.Errorf("records after the end: %v", files)
	}
	if _, err := Sweep(filepath.Join(spec.PidDir, "missing")); err != nil {
		t.Error(err)
	}
}
