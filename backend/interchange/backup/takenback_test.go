package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/store/db"
	"weft/backend/store/schema"
	"weft/backend/store/schema/schematest"
)

// TestBackupOfADatabaseThatANewerWeftChanged: a newer version has migrated it and was taken back, and no start has put the database back yet.
func TestBackupOfADatabaseThatANewerWeftChanged(t *testing.T) {
	for name, takenBack := range map[string]time.Time{"taken back": time.Now().Add(-time.Minute), "in use": {}} {
		t.Run(name, func(t *testing.T) {
			dir, out := t.TempDir(), t.TempDir()
			s := openStore(t, dir)
			newSpace(t, s, "s")
			say(t, s, "s", "m", "Said before")
			if err := s.Close(ctx); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, databaseName)
			schematest.Newer(t, dir)
			file := filepath.Join(out, "b.zip")
			m, err := Write(ctx, Source{DataDir: dir, Settings: filepath.Join(dir, "none"), Weft: "1", Now: time.Now, TakenBack: takenBack}, file)
			if takenBack.IsZero() {
				code(t, err, db.CodeNewerVersion)
				if !strings.Contains(err.Error(), path+" was created by a newer version") || !strings.Contains(err.Error(), "rename it to weft.db") {
					t.Error(err)
				}
			} else if err != nil || m.Spaces != 1 || m.Messages != 1 || m.Database != len(schema.Migrations()) {
				t.Errorf("%+v, %v", m, err)
			}
			left, err := os.ReadDir(out)
			if err != nil || len(left) != map[bool]int{true: 0, false: 1}[takenBack.IsZero()] {
				t.Errorf("left: %v, %v", left, err)
			}
			kept, err := filepath.Glob(path + ".replaced-*")
			if err != nil || (len(kept) == 1) == takenBack.IsZero() {
				t.Errorf("the changed database: %v, %v", kept, err)
			}
		})
	}
}
