package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/fault"
	"weft/backend/httpapi"
	"weft/backend/service"
	"weft/backend/settings"
)

// starting is a service that is opened while the window comes up: for most of that time, Weft would only wait for the system.
type starting struct {
	locked chan struct{} // closed when the data folder is locked
	done   chan struct{} // closed when the service is open or can't be opened; only then may the rest be read
	quiet  chan struct{} // closed when what is no part of the start may begin

	service  *service.Service
	log      zerolog.Logger
	payloads http.Handler
	err      error
	calm     sync.Once

	appearance settings.Appearance // as the user chose it, when Weft started
}

// startService opens the service and calls opened with it, on a goroutine, before anyone else has it.
func startService(ctx context.Context, c common, restart func(), opened func(*service.Service, zerolog.Logger)) *starting {
	st := &starting{locked: make(chan struct{}), done: make(chan struct{}), quiet: make(chan struct{}), appearance: settings.ReadAppearance(c.settings)}
	go func() {
		defer close(st.done)
		st.service, st.log, st.err = openService(ctx, c, serviceMode{name: "window", restart: restart, locked: func() { close(st.locked) }, quiet: st.quiet})
		if st.err != nil {
			return
		}
		st.payloads = httpapi.Payloads(st.service)
		opened(st.service, st.log)
	}()
	return st
}

// failedStart is a service that can't be opened.
func failedStart(c common, why error) *starting {
	st := &starting{done: make(chan struct{}), err: why, appearance: settings.ReadAppearance(c.settings)}
	close(st.done)
	return st
}

// lock blocks until the data folder is locked, and returns why it can't be. A window is worth opening only after that.
func (st *starting) lock() error {
	select {
	case <-st.locked:
		return nil
	case <-st.done:
		return st.err
	}
}

// open reports whether the service is open, without waiting for it.
func (st *starting) open() bool {
	select {
	case <-st.done:
		return st.err == nil
	default:
		return false
	}
}

// look is how the user wants the window to look.
func (st *starting) look() settings.Appearance {
	if st.open() {
		return st.service.Appearance()
	}
	return st.appearance
}

// codeNotStarted is the code of every command of a page whose service can't be opened: the page says why.
const codeNotStarted = "not_started"

// notStarted returns why the service can't be opened, for the page.
func notStarted(why error) error {
	f := service.Fault(why)
	return fault.Told(codeNotStarted, f.Message, f.Said()).With(f.Detail).Because(why)
}

// paintsIn is how long a page may take from its first command until its first screen is painted.
const paintsIn = 400 * time.Millisecond

// pageBegins is called when a page runs: what is no part of the start begins soon.
func (st *starting) pageBegins() {
	st.calm.Do(func() { time.AfterFunc(paintsIn, func() { close(st.quiet) }) })
}

// whenOpen holds requests back until the service is open, or can't be opened: then failed is called.
func (st *starting) whenOpen(next http.Handler, failed func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-st.done
		next.ServeHTTP(w, r)
		if st.err != nil {
			failed()
		}
	})
}

// ServeHTTP serves what is no file of the frontend.
func (st *starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if st.payloads == nil {
		http.NotFound(w, r) // the service can't be opened
		return
	}
	st.payloads.ServeHTTP(w, r)
}
