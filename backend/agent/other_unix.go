//go:build unix && !linux

package agent

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	readable   = 0x4004667f // FIONREAD on macOS and the BSDs
)

// guardFlag isn't used: a guard is useless without a way to adopt orphans.
const guardFlag = ""

func guardMain([]string) int { return 2 }

// mark does nothing: there is no unused limit here, and the limits of other processes can't be read.
func mark(string) {}
