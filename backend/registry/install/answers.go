package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weft/backend/atomicfile"
	"weft/backend/registry"
)

// answers are what the user has confirmed for one version of an agent. Each agent has a file of its own, which only
// its one install at a time reads and writes.
type answers struct {
	Version string   `json:"version"`
	Tokens  []string `json:"tokens"`           // of confirmed questions
	SHA256  string   `json:"sha256,omitempty"` // of the download that was confirmed without a checksum

	path    string
	changed bool
}

// readAnswers gives the answers for the entry's version; those for another version don't count.
func (in *Installer) readAnswers(e registry.Entry) *answers {
	a := &answers{}
	if in.opt.Answers != "" {
		a.path = filepath.Join(in.opt.Answers, e.ID+".json")
		if raw, err := os.ReadFile(a.path); err == nil {
			_ = json.Unmarshal(raw, a) // a damaged file: asked again
		}
	}
	if a.Version != e.Version {
		*a = answers{Version: e.Version, path: a.path}
	}
	return a
}

func (a *answers) has(token string) bool { return slices.Contains(a.Tokens, token) }

func (a *answers) add(token string) {
	a.Tokens, a.changed = append(a.Tokens, token), true
}

// downloaded notes what was downloaded without a checksum. It reports whether that is what was confirmed before, or the
// first download.
func (a *answers) downloaded(sum string) bool {
	if a.SHA256 == "" {
		a.SHA256, a.changed = sum, true
	}
	return a.SHA256 == sum
}

func (a *answers) save() error {
	if a.path == "" || !a.changed {
		return nil
	}
	raw, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(a.path, append(raw, '\n'), 0o600)
}

// forget makes the next install ask again.
func (a *answers) forget() error {
	if err := os.Remove(a.path); a.path != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
