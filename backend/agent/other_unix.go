//go:build unix && !linux

package agent

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	readable   = 0x4004667f // FIONREAD of macOS and the BSDs
)

// guardFlag is not used: without a way to adopt orphans a guard could do nothing.
const guardFlag = ""

func guardMain([]string) int { return 2 }

// mark does nothing: there is no limit here that nobody needs, and processes of others can't be asked for theirs.
func mark(string) {}
