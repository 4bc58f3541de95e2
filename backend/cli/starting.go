package cli

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/httpapi"
	"weft/backend/api/service"
	"weft/backend/base/fault"
	"weft/backend/settings"
)

// Starting is a service that opens in the background while the window comes up (decision 0058). It is the
// [http.Handler] of what is not a file of the frontend. It is safe for concurrent use.
type Starting struct {
	locked chan struct{} // closed when the data folder is locked
	done   chan struct{} // closed when the service is open or couldn't be opened; only then may the next four be read
	quiet  chan struct{} // closed when work that is not part of the start may begin

	service  *service.Service
	log      zerolog.Logger
	payloads http.Handler
	err      error
	loaded   sync.Once

	appearance settings.Appearance // in the settings file when Weft started
}

// StartService opens the service on another goroutine, and doesn't block. opened is called there with the open service,
// before [Starting.Wait] returns. restart is called when an update asks Weft to restart. The caller must close the
// service.
func StartService(ctx context.Context, c Common, restart func(), opened func(*service.Service, zerolog.Logger)) *Starting {
	st := &Starting{locked: make(chan struct{}), done: make(chan struct{}), quiet: make(chan struct{}), appearance: settings.ReadAppearance(c.Settings)}
	go func() {
		defer close(st.done)
		st.service, st.log, st.err = OpenService(ctx, c, Mode{Name: "window", Restart: restart, Locked: func() { close(st.locked) }, Quiet: st.quiet})
		if st.err != nil {
			return
		}
		st.payloads = httpapi.Payloads(st.service)
		opened(st.service, st.log)
	}()
	return st
}

// FailedStart returns a service that couldn't be opened because of why.
func FailedStart(c Common, why error) *Starting {
	st := &Starting{done: make(chan struct{}), err: why, appearance: settings.ReadAppearance(c.Settings)}
	close(st.done)
	return st
}

// WaitLocked blocks until the data folder is locked, or returns why it couldn't be. Only then is a window worth
// opening.
func (st *Starting) WaitLocked() error {
	select {
	case <-st.locked:
		return nil
	case <-st.done:
		return st.err
	}
}

// Wait blocks until the service is open, or returns why it couldn't be opened.
func (st *Starting) Wait() error {
	<-st.done
	return st.err
}

// Opened reports whether the service is open. It doesn't block.
func (st *Starting) Opened() bool {
	select {
	case <-st.done:
		return st.err == nil
	default:
		return false
	}
}

// Appearance returns the user's settings for the look of the window: of the service once it is open, and of the
// settings file as it was at the start until then. It doesn't block.
func (st *Starting) Appearance() settings.Appearance {
	if st.Opened() {
		return st.service.Appearance()
	}
	return st.appearance
}

// codeNotStarted is the code of the error of every command if the service couldn't be opened. The page then shows why.
const codeNotStarted = "not_started"

// NotStarted returns the error for the page's commands if [Starting.Wait] returned why.
func NotStarted(why error) error {
	f := service.Fault(why)
	return fault.Told(codeNotStarted, f.Message, f.Said()).With(f.Detail).Because(why)
}

// paintsIn is the time from a page's first command until its first screen is painted.
const paintsIn = 400 * time.Millisecond

// PageLoaded must be called when the page has loaded. Work that is not part of the start begins soon after.
func (st *Starting) PageLoaded() {
	st.loaded.Do(func() { time.AfterFunc(paintsIn, func() { close(st.quiet) }) })
}

// WhenOpen returns a handler that passes requests to next when the service is open or couldn't be opened. Then it also
// calls failed, after each request.
func (st *Starting) WhenOpen(next http.Handler, failed func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-st.done
		next.ServeHTTP(w, r)
		if st.err != nil {
			failed()
		}
	})
}

// ServeHTTP serves what is not a file of the frontend. It must not be called before [Starting.Wait] returns.
func (st *Starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if st.payloads == nil {
		http.NotFound(w, r) // the service couldn't be opened
		return
	}
	st.payloads.ServeHTTP(w, r)
}
