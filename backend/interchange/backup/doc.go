// Package backup writes all that Weft keeps to one file, and puts it back.
//
// The file is a ZIP archive, so that it can be read without Weft:
//
//	weft.db        the conversations, a SQLite database
//	review.db      what files were before agents changed them
//	settings.json  the settings, without what looks like a key or a token
//	backup.json    what the others are: sizes and SHA-256, versions, the time. It is the last entry
//
// Logs (also those of the protocol) and worktrees are not in it, nor what the keychain or secrets.json keep. What was
// written in conversations, and the files that agents changed, are in it as they are.
//
// Package settings leaves secrets out (secrets.go), package store/file copies and checks the database (copy.go,
// take.go).
package backup

import (
	"time"

	"weft/backend/base/fault"
)

const (
	format  = "weft-backup"
	version = 1

	databaseName = "weft.db"
	reviewsName  = "review.db"
	settingsName = "settings.json"
	manifestName = "backup.json"
)

// Manifest says what is in a backup.
type Manifest struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Weft     string    `json:"weft"`     // the version that made it
	Database int       `json:"database"` // version of the tables
	At       time.Time `json:"at"`
	Spaces   int       `json:"spaces"`
	Messages int       `json:"messages"`
	Files    []Entry   `json:"files"`
	// LeftOut are the places of the settings that looked like secrets, see [settings.WithoutSecrets]; settings.json itself
	// if it couldn't be read.
	LeftOut []string `json:"leftOut,omitempty"`
}

// Entry is a file of a backup.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes, before it was compressed
	SHA256 string `json:"sha256"`
}

func failed(err error, code string, template fault.Template, values ...any) error {
	return fault.New(code, template, values...).Because(err)
}
