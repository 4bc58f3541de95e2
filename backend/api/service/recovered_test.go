package service

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/base/fault"
	"weft/backend/store"
)

func TestRecoveredDatabaseOffersLastBackup(t *testing.T) {
	t.Parallel()
	from := &store.Recovery{Sentence: fault.Say("Recovered {{number}}.", fault.Number(3)), Aside: "/data/weft.db.damaged"}
	dir := filepath.Join(t.TempDir(), "my data")
	if p := recovered(from, dir); p.Message != "Recovered 3." || p.Said != from.Sentence || p.Path != from.Aside || p.Code != "recovered" {
		t.Errorf("without a backup: %+v", p)
	}
	backup := filepath.Join(dir, "backups", "weft-2026-01-31-150405.zip")
	if err := os.MkdirAll(filepath.Dir(backup), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(backup, make([]byte, 1536), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 31, 15, 4, 5, 0, time.UTC).Local()
	p := recovered(from, dir)
	want := "Recovered 3. If something is missing, restore the backup of " + at.Format("2006-01-02 15:04") + " (1.5 KB): close Weft and run “weft restore '" + backup + "'”."
	if p.Message != want || p.Said.String() != want {
		t.Errorf("got  %s\nwant %s\n%s", p.Message, want, p.Said)
	}
	for _, value := range []fault.Said{fault.At(at), fault.Size(1536), from.Sentence} {
		if !strings.Contains(string(p.Said), string(value)) {
			t.Errorf("%s has not %s", p.Said, value)
		}
	}
}
