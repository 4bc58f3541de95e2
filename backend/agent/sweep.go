package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// record describes a running agent, in one file each, so that the next start of Weft can clean up after a crash that
// also killed the supervisor.
type record struct {
	Tag        string   `json:"tag"`
	Boot       string   `json:"boot"` // see bootID
	Agent      identity `json:"agent"`
	Supervisor identity `json:"supervisor"`
	Owner      identity `json:"owner"` // the Weft that started it
	Command    string   `json:"command"`
}

// identity identifies one process permanently: pids are reused, but not with the same start time.
type identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

func identify(pid int) identity {
	start, _ := startTime(pid)
	return identity{PID: pid, Start: start}
}

// alive reports whether exactly this process is still running.
func (id identity) alive() bool {
	start, err := startTime(id.PID)
	return err == nil && id.Start != "" && start == id.Start
}

// writeRecord writes the record of a process and returns the file's path. The record is only a fallback, so an error
// doesn't stop the agent; it then returns "".
func writeRecord(dir string, p *Process) string {
	r := record{
		Tag: p.tag, Boot: bootID(), Command: p.spec.Command,
		Agent: identity{PID: p.pid, Start: p.tree.start}, Supervisor: p.tree.watcher(), Owner: identify(os.Getpid()),
	}
	text, err := json.Marshal(r)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	path := filepath.Join(dir, p.tag+".json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return ""
	}
	return path
}

// Sweep kills the remaining processes of agents whose Weft is gone, and returns their commands. Call it once at
// startup with the PidDir of the Specs. It doesn't touch agents of another running Weft, or processes that only have
// the pid of a recorded one. It blocks for milliseconds. A missing folder isn't an error.
func Sweep(dir string) (swept []string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("sweep %s: %w", dir, err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".json") {
			continue
		}
		path := filepath.Join(dir, file.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var r record
		if json.Unmarshal(text, &r) == nil && r.Tag != "" && r.Boot == bootID() {
			if r.Owner.alive() {
				continue
			}
			if killLeftovers(r) {
				swept = append(swept, r.Command)
			}
		}
		_ = os.Remove(path)
	}
	return swept, nil
}
