package secret

import (
	"os"
	"strings"
	"sync"
)

// withheld are the secrets that were taken out of this process's environment, or handed to it by a pipe.
var withheld struct {
	sync.Mutex
	pairs []string // in the form of os.Environ
}

// Withhold takes the secrets out of this process's environment, so that nothing that it starts inherits them, keeps
// them for [Getenv] and [Withheld], and tells r their values. It also takes what was handed over by [HandOver], and
// seals the process (see Seal). Call it first in main.
func Withhold(r *Redactor) {
	Seal()
	_, secrets := Split(os.Environ(), r)
	for _, pair := range secrets {
		name, _, _ := strings.Cut(pair, "=")
		_ = os.Unsetenv(name) // fails only for names that cannot be set either
	}
	secrets = append(secrets, handed()...)
	for _, pair := range secrets {
		if _, value, _ := strings.Cut(pair, "="); Telling(value) {
			r.Add(value)
		}
	}
	withheld.Lock()
	defer withheld.Unlock()
	withheld.pairs = append(withheld.pairs, secrets...)
}

// Withheld returns the secrets that were taken out of the environment, in the form of os.Environ, for programs that
// are to have them.
func Withheld() []string {
	withheld.Lock()
	defer withheld.Unlock()
	return append([]string(nil), withheld.pairs...)
}

// Getenv is os.Getenv for a variable that may have been withheld.
func Getenv(name string) string {
	list := Withheld()
	for i := len(list) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(list[i], "="); key == name {
			return value
		}
	}
	return os.Getenv(name)
}
