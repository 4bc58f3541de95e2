package runs

import (
	"path/filepath"
	"testing"

	"weft/backend/acp"
	"weft/backend/workspace"
)

// Only a file that is not there is empty, and only for the one agent that needs it.
func TestMissingFilesAreEmptyForGeminiOnly(t *testing.T) {
	dir := t.TempDir()
	files, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	for path, want := range map[string]bool{"new.txt": true, filepath.Join("in", "new.txt"): true, ".": false, "../out.txt": false, "/etc/hostname": false} {
		if _, err := files.ReadText(path, 0, 0); missing(err) != want {
			t.Errorf("%s: %v counts as missing: %v", path, err, !want)
		}
	}
	for name, want := range map[string]bool{"gemini-cli": true, "Gemini CLI": true, "opencode": false, "": false} {
		l := &link{caps: acp.InitializeResult{Name: name}}
		if l.wantsEmptyForMissing() != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
