package spaces

import (
	"os"
	"path/filepath"

	"weft/backend/fault"
)

// ownFolders is where spaces without a folder of the user have one of their own.
func (s *Spaces) ownFolders() string { return filepath.Join(s.dataDir, "spaces") }

// makeOwnFolder makes the folder of a space that has none of the user's.
func (s *Spaces) makeOwnFolder(id string) (string, error) {
	dir := filepath.Join(s.ownFolders(), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.New("io", "Couldn't create a folder for the space: {{reason}}", err).Because(err)
	}
	return dir, nil
}

// ownsFolder reports whether a folder is one that Weft has made for a space.
func (s *Spaces) ownsFolder(dir string) bool { return filepath.Dir(dir) == s.ownFolders() }

// leaveOwnFolder removes the folder of a space that is gone forever, if nothing is in it.
func (s *Spaces) leaveOwnFolder(dir string) {
	if s.ownsFolder(dir) {
		_ = os.Remove(dir) // what is in it stays
	}
}
