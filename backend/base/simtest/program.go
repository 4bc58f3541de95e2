package simtest

import (
	"io/fs"
	"os"
	"syscall"
)

// WriteProgram is [os.WriteFile] for a file that is about to be started. Meanwhile this process starts no other: what
// it would start has the file open for writing for a moment, too, and then the system doesn't start the file ("text
// file busy").
func WriteProgram(path string, data []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, mode)
}
