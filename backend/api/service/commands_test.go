package service

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/base/command"
)

func TestACommandThatPanicsIsAnError(t *testing.T) {
	t.Setenv("SHELL", "/bin/false") // so that nobody's start-up files run
	dir := t.TempDir()
	var log strings.Builder
	s, err := Open(t.Context(), Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Log: zerolog.New(&log)})
	if err != nil {
		t.Fatal(err)
	}
	s.commands["Panic"] = command.New(func(context.Context, none) (none, error) { panic("boom") })
	_, err = s.Call(t.Context(), "Panic", nil)
	if code, message, _ := Explain(err); code != "internal" || !strings.HasSuffix(message, ".") {
		t.Errorf("the error is %q %q", code, message)
	}
	if _, err := s.Call(t.Context(), "ListSpaces", nil); err != nil {
		t.Errorf("the service does not go on: %v", err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "Panic") {
		t.Errorf("the log has no trace of it: %s", &log)
	}
}
