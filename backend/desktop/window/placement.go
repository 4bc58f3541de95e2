// Package window implements what Weft's window needs besides its page: where it is, its first picture, what closing it
// does, and the differences between the systems. It doesn't import Wails: package main passes plain values.
package window

import (
	"path/filepath"
	"sync"
)

// The size of a window that was never placed, and the smallest size, in pixels at 100 %.
const (
	Width     = 1280
	Height    = 832
	MinWidth  = 480
	MinHeight = 420
)

// taskbar is what Windows keeps of the height of a screen, in pixels at 100 %.
const taskbar = 48

// Placement remembers the size and the position of the window between two starts. All lengths are in pixels at 100 %.
// The zero value remembers nothing. It is safe for concurrent use.
type Placement struct {
	mu    sync.Mutex
	path  string
	last  place
	known bool
}

// Read reads where the window was last, from the data folder.
func (p *Placement) Read(dataDir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.path = filepath.Join(dataDir, "window.json")
	p.last, p.known = readPlace(p.path)
}

// Size returns the size to create the window with.
func (p *Placement) Size() (width, height int) {
	last := p.wanted()
	return last.Width, last.Height
}

// Put moves the window to where it was, as far as its screen has room for it, and otherwise to the middle. It must be
// called when the window was created, and may return before the window has moved. ok is false on systems where the
// caller must do it: see Maximized and Fit.
func (p *Placement) Put() (ok bool) { return putWindow(p.wanted()) }

// Maximized reports whether the window was maximized.
func (p *Placement) Maximized() bool { return p.wanted().Maximized }

// Fit returns the size that the window can have on a Windows screen of the given size. smaller is false if the window
// fits with the size of Size.
func (p *Placement) Fit(screenWidth, screenHeight int) (width, height int, smaller bool) {
	last := p.wanted()
	width, height = min(last.Width, screenWidth), min(last.Height, screenHeight-taskbar)
	return width, height, width < last.Width || height < last.Height
}

func (p *Placement) wanted() place {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known {
		return place{Width: Width, Height: Height, Middle: true}
	}
	last := p.last
	last.Width, last.Height = max(last.Width, MinWidth), max(last.Height, MinHeight)
	return last
}

// Remember stores where the window is. It blocks for the disk, and returns an error if the file can't be written.
func (p *Placement) Remember(x, y, width, height int) error {
	return p.remember(place{X: x, Y: y, Width: width, Height: height})
}

// RememberMaximized stores that the window is maximized, and keeps where it was before. It blocks for the disk, and
// returns an error if the file can't be written.
func (p *Placement) RememberMaximized() error {
	now := p.wanted()
	now.Maximized = true
	return p.remember(now)
}

func (p *Placement) remember(now place) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path == "" || p.known && now == p.last {
		return nil
	}
	if err := now.Write(p.path); err != nil {
		return err
	}
	p.last, p.known = now, true
	return nil
}
