package window

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/commandline"
)

// FirstPicture restarts Weft with another way of drawing if its window stays empty (decision 0056). It does so only on
// Linux.
type FirstPicture struct {
	// Calls is the number of commands of the page that have not returned yet.
	Calls atomic.Int32

	renderer *renderer   // nil if the first picture need not be awaited
	restart  func() bool // reports whether Weft restarts
	watched  sync.Once
	over     chan struct{}
}

// lookPause is the time between two looks.
const lookPause = time.Second

// Begin must be called once, before the window is created. dataDir is the locked data folder. hidden is true if the
// window isn't shown at first. restart is called, on another goroutine, if Weft must restart, and reports whether it
// does.
func (p *FirstPicture) Begin(dataDir string, hidden bool, restart func() bool) {
	p.over, p.restart = make(chan struct{}), restart
	p.renderer = prepareRenderer(dataDir, hidden)
}

// End must be called once, after Begin, when the window has closed. It blocks for the disk.
func (p *FirstPicture) End() {
	close(p.over)
	if p.renderer != nil {
		_ = p.renderer.End() // if it can't be saved, neither could the beginning
	}
}

// Watch must be called whenever the window was shown. The first call starts to wait for the picture, and doesn't block.
func (p *FirstPicture) Watch(log zerolog.Logger) {
	if p.renderer != nil && p.renderer.Open() {
		p.watched.Do(func() { go p.wait(log) })
	}
}

func (p *FirstPicture) wait(log zerolog.Logger) {
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
	drawn, known := waitForPicture(next, lookAtWindow(func() bool { return p.Calls.Load() > 0 }))
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

func (p *FirstPicture) empty(log zerolog.Logger) {
	again, err := p.renderer.Empty()
	switch {
	case err != nil:
		log.Error().Err(err).Msg("the window stays empty, and how to draw it could not be remembered")
	case !again:
		log.Error().Msg("the window stays empty without DMABUF, too")
		fmt.Fprintln(commandline.Plain(os.Stderr), "weft: the window stays empty. Run `weft serve` to use Weft in a browser.")
	default:
		log.Warn().Msg("the window stays empty: the next start is with WEBKIT_DISABLE_DMABUF_RENDERER=1")
		if !p.restart() {
			log.Warn().Msg("Weft doesn't restart, because agents are working")
		}
	}
}
