package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/base/fault"
	"weft/backend/settings"
)

func TestPageWaitsUntilTheServiceIsOpen(t *testing.T) {
	t.Parallel()
	st := &Starting{done: make(chan struct{})}
	served := make(chan string)
	h := st.WhenOpen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case <-st.done:
		default:
			t.Error("served before the service was open")
		}
	}), func() { t.Error("told of a failure") })
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		served <- w.Body.String()
	}()
	close(st.done)
	if body := <-served; body != "" {
		t.Error(body)
	}
}

// The page itself says why the service can't be opened, in its language.
func TestPageOfAServiceThatCantBeOpened(t *testing.T) {
	t.Parallel()
	file := settingsFile(t, t.TempDir(), `{"appearance": {"language": "ja"}}`)
	why := fault.New("newer_version", "{{path}} is newer <b>.", "weft.db").With("the detail")
	st := FailedStart(Common{Settings: file}, fmt.Errorf("open the database: %w", why))
	if st.Opened() || st.Appearance().Language != "ja" {
		t.Errorf("open %t, language %q", st.Opened(), st.Appearance().Language)
	}
	told, served := 0, 0
	h := st.WhenOpen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), func() { told++ })
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if told != 1 || served != 1 {
		t.Errorf("told %d, served %d", told, served)
	}
	w := httptest.NewRecorder()
	st.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/blob/x", http.NoBody))
	if w.Code != http.StatusNotFound {
		t.Errorf("a blob: %d", w.Code)
	}
}

func TestLookIsThatOfTheSettingsOnceTheServiceIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := settingsFile(t, dir, `{"appearance": {"theme": "dark", "language": "de"}}`)
	st := StartService(t.Context(), Common{Data: dir, Settings: file}, func() {}, func(*service.Service, zerolog.Logger) {})
	if got := st.Appearance(); got.Theme != "dark" || got.Language != "de" {
		t.Errorf("while it is opened: %+v", got)
	}
	if err := st.Wait(); err != nil {
		t.Fatal(err)
	}
	defer CloseService(st.service.Close, st.log)
	st.appearance = settings.Appearance{}
	if got := st.Appearance(); got.Theme != "dark" || got.Language != "de" {
		t.Errorf("%+v", got)
	}
}

func TestSecondServiceFailsBeforeAWindow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Common{Data: dir, Settings: filepath.Join(dir, "settings.json")}
	open := func(took func()) *Starting {
		return StartService(context.Background(), c, func() {}, func(*service.Service, zerolog.Logger) { took() })
	}
	taken := false
	first := open(func() { taken = true })
	if err := first.WaitLocked(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err != nil || !first.Opened() || !taken {
		t.Fatal(err, taken)
	}
	second := open(func() { t.Error("a second service was opened") })
	if err := second.WaitLocked(); err == nil || second.Opened() {
		t.Error("the folder was locked twice")
	}
	CloseService(first.service.Close, first.log)
}

// settingsFile writes a settings file into dir.
func settingsFile(t *testing.T, dir, text string) string {
	t.Helper()
	file := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
