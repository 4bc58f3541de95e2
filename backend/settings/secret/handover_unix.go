//go:build unix

package secret

import (
	"io"
	"os"
	"strings"
)

// HandedVariable tells a program that its descriptor HandedFD is a pipe with secrets, as NAME=value, each ended by a
// NUL.
const (
	HandedVariable = "WEFT_SECRETS_FD"
	HandedFD       = 3
)

// handed reads the secrets that a parent has handed over. What the program starts has neither the pipe nor the
// variable.
func handed() []string {
	if os.Getenv(HandedVariable) != "3" {
		return nil
	}
	_ = os.Unsetenv(HandedVariable)
	pipe := os.NewFile(HandedFD, "secrets")
	if pipe == nil {
		return nil
	}
	defer pipe.Close()
	text, err := io.ReadAll(pipe)
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
