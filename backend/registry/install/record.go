package install

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/registry"
)

// recordName is the file that makes a folder an installed agent.
const recordName = "weft.json"

// filesName is the folder beside it.
const filesName = "files"

// Record is what is known of an installed agent.
type Record struct {
	ID          string            `json:"id"` // the registry's
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Kind        registry.Kind     `json:"kind"`
	Origin      string            `json:"origin"`           // the address of the archive, or package@version
	SHA256      string            `json:"sha256,omitempty"` // of the archive, as it was computed
	Vouched     bool              `json:"vouched"`          // the registry told the same checksum
	Bytes       int64             `json:"bytes"`            // of the download (binary), else of what was installed
	Program     string            `json:"program"`          // relative to the folder, with slashes
	Args        []string          `json:"args"`             // what the registry starts it with
	Env         map[string]string `json:"env"`
	InstalledAt int64             `json:"installedAt"`       // unix ms
	Warning     string            `json:"warning,omitempty"` // why it may not work, as a sentence
	Retired     bool              `json:"retired,omitempty"` // to be removed when nothing runs from it

	Folder string `json:"-"` // absolute
}

// Command is the absolute path of the program.
func (r Record) Command() string { return filepath.Join(r.Folder, filepath.FromSlash(r.Program)) }

// Holds reports whether a path is inside of the installed agent.
func (r Record) Holds(path string) bool {
	return strings.HasPrefix(path, r.Folder+string(filepath.Separator))
}

func readRecord(folder string) (Record, error) {
	raw, err := os.ReadFile(filepath.Join(folder, recordName))
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return Record{}, err
	}
	if r.ID == "" || !filepath.IsLocal(filepath.FromSlash(r.Program)) {
		return Record{}, errors.New("not a record")
	}
	r.Folder = folder
	return r, nil
}

// writeRecord makes the folder an installed agent, in one step.
func writeRecord(folder string, r Record) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(folder, "."+recordName)
	if err := writeSynced(tmp, append(raw, '\n')); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(folder, recordName))
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
