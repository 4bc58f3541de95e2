package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	panel "weft/backend/desktop"
)

// firstPicture starts Weft again, with another way to draw, where its window stays empty (decision 0056).
type firstPicture struct {
	renderer *panel.Renderer // nil where WebKitGTK doesn't draw
	restart  func() bool     // reports whether Weft restarts
	watched  sync.Once
	over     chan struct{}
	calls    atomic.Int32 // commands of the page that aren't answered yet
}

// lookPause is the time between two looks.
const lookPause = time.Second

// begin is called before there is a window, end when there is none any more. Hidden says that the window isn't shown at first.
func (p *firstPicture) begin(dataDir string, hidden bool, restart func() bool) {
	p.over, p.restart = make(chan struct{}), restart
	p.renderer = newRenderer(dataDir, hidden)
}

func (p *firstPicture) end() {
	close(p.over)
	if p.renderer != nil {
		_ = p.renderer.End() // where it can't be written, the beginning couldn't either
	}
}

// watch waits for the first picture, in a goroutine of its own. It is called whenever the window is shown, and does something the first time.
func (p *firstPicture) watch(log zerolog.Logger) {
	if p.renderer != nil && p.renderer.Open() {
		p.watched.Do(func() { go p.wait(log) })
	}
}

func (p *firstPicture) wait(log zerolog.Logger) {
	ticks := time.NewTicker(lookPause)
	defer ticks.Stop()
	next := func() bool {
		select {
		case <-ticks.C:
			return true
		case <-p.over:
			return false
		}
	}
	drawn, known := panel.FirstPicture(next, windowLooks(func() bool { return p.calls.Load() > 0 }))
	switch {
	case !known:
	case drawn:
		if err := p.renderer.Drawn(); err != nil {
			log.Warn().Err(err).Msg("how the window is drawn could not be remembered")
		}
	default:
		p.empty(log)
	}
}

func (p *firstPicture) empty(log zerolog.Logger) {
	again, err := p.renderer.Empty()
	switch {
	case err != nil:
		log.Error().Err(err).Msg("the window stays empty, and how to draw it could not be remembered")
	case !again:
		log.Error().Msg("the window stays empty without DMABUF, too")
		fmt.Fprintln(stderr(), "weft: the window stays empty. Run `weft serve` to use Weft in a browser.")
	default:
		log.Warn().Msg("the window stays empty: the next start is with WEBKIT_DISABLE_DMABUF_RENDERER=1")
		if !p.restart() {
			log.Warn().Msg("Weft doesn't restart, because agents are working")
		}
	}
}
