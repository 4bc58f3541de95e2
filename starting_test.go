package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/fault"
	"weft/backend/service"
)

func TestPageWaitsUntilTheServiceIsOpen(t *testing.T) {
	t.Parallel()
	st := &starting{done: make(chan struct{})}
	served := make(chan string)
	h := st.whenOpen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
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
	st := failedStart(common{settings: file}, fmt.Errorf("open the database: %w", why))
	if st.open() || st.look().Language != "ja" {
		t.Errorf("open %t, language %q", st.open(), st.look().Language)
	}
	told, served := 0, 0
	h := st.whenOpen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), func() { told++ })
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if told != 1 || served != 1 {
		t.Errorf("told %d, served %d", told, served)
	}
	w := httptest.NewRecorder()
	st.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/blob/x", http.NoBody))
	if w.Code != http.StatusNotFound {
		t.Errorf("a blob: %d", w.Code)
	}
	for _, command := range []string{"Bootstrap", "Watch", "SetWords", "none"} {
		_, err := (&App{begun: st}).Invoke(command, "{}")
		want := `{"code":"not_started","message":"weft.db is newer <b>.","detail":"the detail","said":["{{path}} is newer <b>.","weft.db"]}`
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestSecondServiceFailsBeforeAWindow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := common{data: dir, settings: filepath.Join(dir, "settings.json")}
	open := func(took func()) *starting {
		return startService(context.Background(), c, func() {}, func(*service.Service, zerolog.Logger) { took() })
	}
	taken := false
	first := open(func() { taken = true })
	if err := first.lock(); err != nil {
		t.Fatal(err)
	}
	<-first.done
	if !first.open() || !taken {
		t.Fatal(first.err)
	}
	second := open(func() { t.Error("a second service was opened") })
	if err := second.lock(); err == nil || second.open() {
		t.Error("the folder was locked twice")
	}
	closeService(first.service.Close, first.log, closesIn)
}
