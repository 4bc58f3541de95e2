package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weft/backend/agent/registry"
	"weft/backend/files/atomicfile"
)

// answers are the user's confirmations for one version of an agent. Each agent has its own file, which only its single
// running install reads and writes.
type answers struct {
	Version string   `json:"version"`
	Tokens  []string `json:"tokens"`           // of confirmed questions
	SHA256  string   `json:"sha256,omitempty"` // of the download that was confirmed without a checksum

	path    string
	changed bool
}

// readAnswers returns the answers for the entry's version. Those for another version don't count.
func (in *Installer) readAnswers(e registry.Entry) *answers {
	a := &answers{}
	if in.opt.Answers != "" {
		a.path = filepath.Join(in.opt.Answers, e.ID+".json")
		if raw, err := os.ReadFile(a.path); err == nil {
			_ = json.Unmarshal(raw, a) // with a damaged file, Weft asks again
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

// downloaded records the checksum of a download that the registry has no checksum for. It reports whether it is the
// first download or the same as the confirmed one.
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
