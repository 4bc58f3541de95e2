package recording

import (
	"os"
	"os/exec"
	"strconv"
)

var endSignals []os.Signal

func ownGroup(*exec.Cmd) {}

func signalGroup(p *os.Process, _ os.Signal) { killGroup(p) }

// killGroup kills a process and its children.
func killGroup(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
