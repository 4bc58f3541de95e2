package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

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

func TestPageSaysWhyTheServiceCantBeOpened(t *testing.T) {
	t.Parallel()
	st := &starting{done: make(chan struct{}), err: &service.Error{Code: "newer_version", Message: "It is newer <b>.", Err: errors.New("newer")}}
	close(st.done)
	failed := 0
	h := st.whenOpen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("served") }), func() { failed++ })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if body := w.Body.String(); failed != 1 || !strings.Contains(body, "It is newer &lt;b&gt;.") {
		t.Errorf("%d: %s", failed, body)
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
	closeService(first.service, first.log)
}
