//go:build unix

package private

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOfTheDataFolderAreNarrowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	outside := filepath.Join(t.TempDir(), "outside")
	for path, mode := range map[string]fs.FileMode{
		"weft.db": 0o644, "weft.db-wal": 0o664, "weft.db.damaged-1": 0o666, "secrets.key": 0o400, "registry.json": 0o604,
		"logs/weft.log": 0o644, "logs/weft-1.log": 0o640, "protocol/a.jsonl": 0o644, "processes/7": 0o644,
		"agents/tool/1/bin/tool": 0o755, "spaces/s1/mine.txt": 0o644, "worktrees/w/main.go": 0o644,
	} {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "linked.db")); err != nil {
		t.Fatal(err)
	}
	if err := Tidy(dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		"": 0o755, "weft.db": 0o600, "weft.db-wal": 0o600, "weft.db.damaged-1": 0o600, "secrets.key": 0o400, "registry.json": 0o600,
		"logs": 0o700, "logs/weft.log": 0o600, "logs/weft-1.log": 0o600, "protocol": 0o700, "protocol/a.jsonl": 0o600, "processes/7": 0o600,
		"agents": 0o755, "agents/tool/1/bin/tool": 0o755, "spaces/s1/mine.txt": 0o644, "worktrees/w/main.go": 0o644,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", path, info.Mode(), err, want)
		}
	}
	if info, _ := os.Stat(outside); info.Mode().Perm() != 0o644 {
		t.Errorf("what a link leads to is now %o", info.Mode().Perm())
	}
	if err := Tidy(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}
