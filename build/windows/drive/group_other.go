//go:build !windows

package main

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
