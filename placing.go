package main

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"
	"github.com/wailsapp/wails/v2/pkg/options"
	desktop "github.com/wailsapp/wails/v2/pkg/runtime"

	panel "weft/backend/desktop"
)

// placing remembers from one start to the next where the window is, and how large. The zero value remembers nothing.
type placing struct {
	mu    sync.Mutex
	path  string
	last  panel.Place
	known bool
}

// begin reads where the window was, before there is one.
func (p *placing) begin(dataDir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.path = filepath.Join(dataDir, "window.json")
	p.last, p.known = panel.ReadPlace(p.path)
}

// size gives the options the size that the window had.
func (p *placing) size(o *options.App) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known {
		o.Width, o.Height = max(p.last.Width, o.MinWidth), max(p.last.Height, o.MinHeight)
	}
}

// put puts the window where it was, as far as its screen has room for it, and else into the middle. It may return before the window is there.
func (p *placing) put(window context.Context, o *options.App) {
	p.mu.Lock()
	last := p.last
	last.Middle = last.Middle || !p.known
	p.mu.Unlock()
	last.Width, last.Height = o.Width, o.Height
	placeWindow(window, last)
}

// remember keeps where the window is now. It waits for the window, which must be on the screen, and for the disk.
func (p *placing) remember(window context.Context, log zerolog.Logger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path == "" || desktop.WindowIsMinimised(window) {
		return
	}
	now := p.last
	switch {
	case desktop.WindowIsFullscreen(window):
		return
	case desktop.WindowIsMaximised(window):
		if now.Maximized = true; !p.known {
			usual := windowOptions()
			now.Width, now.Height, now.Middle = usual.Width, usual.Height, true
		}
	default:
		now.Maximized, now.Middle = false, false
		now.X, now.Y = desktop.WindowGetPosition(window)
		now.Width, now.Height = desktop.WindowGetSize(window)
	}
	if p.known && now == p.last {
		return
	}
	if err := now.Write(p.path); err != nil {
		log.Warn().Err(err).Msg("where the window is could not be remembered")
		return
	}
	p.last, p.known = now, true
}
