// Package schematest provides databases of other versions of Weft for tests.
package schematest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/backend/store/db"
	"weft/backend/store/schema"
)

// Newer changes the database of a data folder as a newer Weft does at startup, which leaves a copy of the old one next
// to it.
func Newer(t testing.TB, dir string) {
	t.Helper()
	path := filepath.Join(dir, "weft.db")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	now := schema.Migrations()
	c, err := db.Dial(path, db.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	newer := append(now, "CREATE TABLE later (x INTEGER) STRICT")
	if err := errors.Join(schema.Apply(c, newer, len(now)), c.Close(), os.WriteFile(filepath.Join(dir, fmt.Sprintf("weft-v%d.backup.db", len(now))), old, 0o600)); err != nil {
		t.Fatal(err)
	}
}
