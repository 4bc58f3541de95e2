package settings

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAppearanceIsReadWithoutChangingTheFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"appearance": {"language": "zh"}}`:           "zh",
		"\uFEFF" + `{"appearance": {"language":"es"}}`: "es",
		`{"appearance": {"language": "tlh"}}`:          "system",
		`{"appearance": {"language": "de"`:             "system",
		`{}`:                                           "system",
		``:                                             "system",
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		write(t, path, text)
		if got := ReadAppearance(path).Language; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%q became %q, %v", text, after, err)
		}
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, `{"appearance": {"theme": "dark"}}`)
	if got := ReadAppearance(path); got.Theme != "dark" || got.Language != "system" {
		t.Errorf("%+v", got)
	}
	path = filepath.Join(t.TempDir(), "none", "settings.json")
	if got := ReadAppearance(path).Language; got != "system" {
		t.Errorf("without a file: %s", got)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
	if got := ReadAppearance(filepath.Dir(filepath.Dir(path))).Language; got != "system" {
		t.Errorf("of a folder: %s", got)
	}
}
