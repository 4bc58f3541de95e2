package install

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/agent/registry"
)

// recordName is the name of the file that marks a folder as an installed agent.
const recordName = "weft.json"

// filesName is the name of the folder next to it.
const filesName = "files"

// Record describes an installed agent.
type Record struct {
	ID          string            `json:"id"` // the registry's
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Kind        registry.Kind     `json:"kind"`
	Origin      string            `json:"origin"`           // the address of the archive, or package@version
	SHA256      string            `json:"sha256,omitempty"` // computed from the archive
	Vouched     bool              `json:"vouched"`          // the checksum is the same as in the registry
	Bytes       int64             `json:"bytes"`            // of the download (binary), else of the installed files
	Program     string            `json:"program"`          // relative to the folder, with slashes
	Args        []string          `json:"args"`             // from the registry
	Env         map[string]string `json:"env"`
	InstalledAt int64             `json:"installedAt"`       // unix ms
	Warning     string            `json:"warning,omitempty"` // why it may not work, as a sentence
	Retired     bool              `json:"retired,omitempty"` // remove it once none of its programs run

	Folder string `json:"-"` // absolute
}

// Command returns the absolute path of the program.
func (r Record) Command() string { return filepath.Join(r.Folder, filepath.FromSlash(r.Program)) }

// Holds reports whether a path is inside the agent's folder.
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

// writeRecord turns a folder into an installed agent, in one step.
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
