package service

import (
	"os"
	"path/filepath"
)

// ownFolders is where spaces without a folder of the person's have one of their own.
func (s *Service) ownFolders() string { return filepath.Join(s.opt.DataDir, "spaces") }

// makeOwnFolder makes the folder of a space that has none of the person's.
func (s *Service) makeOwnFolder(id string) (string, error) {
	dir := filepath.Join(s.ownFolders(), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &Error{Code: "io", Message: "A folder for the space could not be made: " + err.Error(), Err: err}
	}
	return dir, nil
}

// ownsFolder reports whether a folder is one that Weft has made for a space.
func (s *Service) ownsFolder(dir string) bool { return filepath.Dir(dir) == s.ownFolders() }

// leaveOwnFolder removes the folder of a space that is gone for ever, if nothing is in it.
func (s *Service) leaveOwnFolder(dir string) {
	if s.ownsFolder(dir) {
		_ = os.Remove(dir) // what is in it stays
	}
}
