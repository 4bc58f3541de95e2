package spaces

import (
	"os"
	"path/filepath"

	"weft/backend/base/fault"
)

// ownFolders returns the folder that contains the folders made by Weft, for spaces without a folder of the user.
func (s *Spaces) ownFolders() string { return filepath.Join(s.dataDir, "spaces") }

// makeOwnFolder makes the folder of a space without a folder of the user.
func (s *Spaces) makeOwnFolder(id string) (string, error) {
	dir := filepath.Join(s.ownFolders(), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.New("io", "Couldn't create a folder for the space: {{reason}}", err).Because(err)
	}
	return dir, nil
}

// ownsFolder reports whether Weft made a folder for a space.
func (s *Spaces) ownsFolder(dir string) bool { return filepath.Dir(dir) == s.ownFolders() }

// leaveOwnFolder removes the folder of a purged space if it is empty.
func (s *Spaces) leaveOwnFolder(dir string) {
	if s.ownsFolder(dir) {
		_ = os.Remove(dir) // keeps a folder with files
	}
}
