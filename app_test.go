package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"
	"github.com/wailsapp/wails/v2/pkg/options"

	"weft/backend/api/service"
	"weft/backend/base/fault"
	"weft/backend/cli"
	"weft/backend/desktop/window"
)

func TestWindowBeginsInTheThemeOfItsPage(t *testing.T) {
	t.Parallel()
	for text, theme := range map[string]string{
		`{"appearance": {"theme": "dark"}}`:  "dark",
		`{"appearance": {"theme": "light"}}`: "light",
		`{}`:                                 "light",
		`{`:                                  "light",
	} {
		file := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a := &App{begun: cli.FailedStart(cli.Common{Settings: file}, errors.New("it failed"))}
		if got, want := *a.options().BackgroundColour, options.RGBA(window.PageColor(theme)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// The page shows why the service couldn't be opened, in its language.
func TestEachCommandReturnsWhyTheServiceCouldNotBeOpened(t *testing.T) {
	t.Parallel()
	why := fault.New("newer_version", "{{path}} is newer <b>.", "weft.db").With("the detail")
	a := &App{begun: cli.FailedStart(cli.Common{}, fmt.Errorf("open the database: %w", why))}
	for _, command := range []string{"Bootstrap", "Watch", "SetWords", "none"} {
		_, err := a.Invoke(command, "{}")
		want := `{"code":"not_started","message":"weft.db is newer <b>.","detail":"the detail","said":["{{path}} is newer <b>.","weft.db"]}`
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestASecondStartWaitsForOneThatIsStarting(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "window", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	// The first one has the data folder, and takes commands a moment later.
	fronts := make(chan struct{}, 1)
	done := make(chan int, 1)
	go func() {
		done <- openWindow(t.Context(), cli.Common{Data: data, Settings: settings}, cli.Opening{}, nil)
	}()
	defer cli.TakeCommands(s, cli.Shows{Front: func() { fronts <- struct{}{} }}, zerolog.Nop())()
	if code := <-done; code != 0 {
		t.Fatalf("exit code %d", code)
	}
	<-fronts
}
