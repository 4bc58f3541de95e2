package file

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/store/db"
)

// A table is salvaged, or made again from others.
func TestEachTableIsSalvaged(t *testing.T) {
	f, c, _, err := Open(t.Context(), t.TempDir(), Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}()
	names, err := db.List[string](c, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		again := name == "group_count" || strings.HasPrefix(name, "search_")
		if slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) == again {
			t.Errorf("the table %s is lost, or salvaged and made again", name)
		}
	}
	for _, table := range tables {
		if !slices.Contains(names, table.name) {
			t.Errorf("there is no table %s", table.name)
		}
	}
}
