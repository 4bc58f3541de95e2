package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/store/spaces"
)

// TestImportIsHandedOverToTheRunningWeft runs the command while the data folder has an owner, and afterwards.
func TestImportIsHandedOverToTheRunningWeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "QWEN_RUNTIME_DIR"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.json", `{"title":"Handed over","messages":[{"role":"user","content":"a"}]}`)
	bad := write("bad.json", `{"title":"Bad","messages":[{"role":"wizard","content":"a"}]}`)
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	imports := func(files ...string) int {
		return run(append([]string{"import", "--data", data, "--settings", settings}, files...))
	}
	spaces := func() int {
		list, err := s.Store().Spaces.List(t.Context(), spaces.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if code := imports(good); code != 1 || spaces() != 0 {
		t.Errorf("where the owner takes nothing: %d, %d spaces", code, spaces())
	}
	done := TakeCommands(s, Shows{}, zerolog.Nop())
	if code := imports("--dry-run", good); code != 0 || spaces() != 0 {
		t.Errorf("dry run: %d, %d spaces", code, spaces())
	}
	if code := imports(good); code != 0 || spaces() != 1 {
		t.Errorf("handed over: %d, %d spaces", code, spaces())
	}
	if code := imports(good, bad); code != 1 || spaces() != 1 {
		t.Errorf("again, and one that is refused: %d, %d spaces", code, spaces())
	}
	// So are the conversations of other programs. There are none in an empty home folder.
	if code := imports("--from", "all"); code != 0 {
		t.Errorf("from programs: %d", code)
	}
	if code := imports("--from", "nobody"); code != 1 {
		t.Errorf("from an unknown program: %d", code)
	}
	done()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := imports(good); code != 0 {
		t.Errorf("after it was closed: %d", code)
	}
}

func TestFlagsOfImportsFromProgramsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--folder", "/"}, {"--since", "2026-01-01"}, {"--deleted", "a.json"}, {"--from", "all", "a.json"}, {"--from", "all", "--since", "yesterday"},
	} {
		if code := run(append([]string{"import", "--data", t.TempDir()}, args...)); code != 2 {
			t.Errorf("%q: %d", args, code)
		}
	}
}
