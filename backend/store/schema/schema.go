// Package schema defines the tables of the database, as migrations: the file 0003_x.sql brings a database from version
// 2 to version 3. The version is SQLite's user_version.
//
// A released migration must never change, not even its comments: SQLite stores the text of each statement in the first
// pages of the file, and the recovery of a damaged file expects the same text there (backend/store/file).
//
// In all tables, times are unix milliseconds. Text from agents is stored as BLOB, because it is addressed by byte
// offset and may contain any byte. Content of a message is keyed by mid (message), seg (segment) and item.
package schema

import (
	"embed"
	"fmt"

	"weft/backend/store/db"
)

//go:embed *.sql
var files embed.FS

// Migrations returns the migrations, oldest first. Its length is the version of a database that this program writes.
func Migrations() []string {
	entries, err := files.ReadDir(".") // sorted by name
	if err != nil {
		panic(err) // the files are part of the program
	}
	list := make([]string, len(entries))
	for i, e := range entries {
		b, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		list[i] = string(b)
	}
	return list
}

// Version returns the version of the database on c, 0 for one without tables.
func Version(c *db.Conn) (v int, err error) {
	_, err = c.One("PRAGMA user_version", nil, &v)
	return v, err
}

// Apply runs the migrations after version from, each in its own transaction.
func Apply(c *db.Conn, migrations []string, from int) error {
	for v := from; v < len(migrations); v++ {
		err := c.Script("BEGIN IMMEDIATE;" + migrations[v] + fmt.Sprintf(";PRAGMA user_version=%d;COMMIT", v+1))
		if err != nil {
			_ = c.Script("ROLLBACK")
			return fmt.Errorf("version %d: %w", v+1, err)
		}
	}
	return nil
}

// RenewEpochs is the meta key that makes the next start renew all epochs. After a recovery, the sequence numbers of a
// space may belong to other events, so frontends must not continue from them.
const RenewEpochs = "renew_epochs"
