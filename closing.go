package main

import (
	"sync"

	"github.com/rs/zerolog"

	panel "weft/backend/desktop"
)

// whatNext is what happens when the user closes the window.
type whatNext int

const (
	endNow      whatNext = iota
	goBehind             // hide the window and keep running
	askInPage            // the page asks
	askOutside           // a dialog of the desktop asks, because the page doesn't
	comeToFront          // that dialog is open
)

// closing keeps how the window is being closed. The zero value is that of a window whose page isn't there yet.
type closing struct {
	mu       sync.Mutex
	page     bool // the page is there and can ask
	asked    bool // it was asked and has not answered
	outside  bool // the dialog of the desktop is open
	quitting bool
}

func (c *closing) pageIsThere() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.page, c.asked = true, false // a page that was loaded again has forgotten the question
}

// next decides what happens when the user closes the window.
func (c *closing) next(keepsRunning bool, working int) whatNext {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.quitting:
		return endNow
	case keepsRunning && !c.asked:
		return goBehind
	case working == 0:
		return endNow
	case c.page && !c.asked:
		c.asked = true
		return askInPage
	case c.outside:
		return comeToFront
	}
	c.outside = true
	return askOutside
}

// ask reports whether the page is to ask now.
func (c *closing) ask() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ask := c.page && !c.asked && !c.quitting
	c.asked = c.asked || ask
	return ask
}

func (c *closing) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = false
}

func (c *closing) answeredOutside() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outside = false
}

func (c *closing) quit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quitting = true
}

// trayIcon is the icon in the panel, which is there while the window is not.
type trayIcon struct {
	mu   sync.Mutex
	icon *panel.Tray // nil as well where the desktop has none
	away bool        // the window isn't there
	owes bool        // a notice that says how it comes back
}

// show shows the icon, now or once there is a panel.
func (t *trayIcon) show(log zerolog.Logger, open func() (*panel.Tray, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owes = !t.away
	t.away = true
	if t.icon != nil {
		return
	}
	icon, err := open()
	if err != nil {
		log.Info().Err(err).Msg("the desktop shows no icon")
		return
	}
	t.icon = icon
}

// missing reports whether the window is away and no icon says so. It says so once, until the window is there again.
func (t *trayIcon) missing() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	missing := t.owes && (t.icon == nil || !t.icon.Shown())
	t.owes = false
	return missing
}

// rename gives the entries of its menu other names, if it is there.
func (t *trayIcon) rename(show, quit string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.icon != nil {
		t.icon.Rename(show, quit)
	}
}

// gone reports whether the window isn't there.
func (t *trayIcon) gone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.away
}

func (t *trayIcon) shown() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.icon != nil && t.icon.Shown()
}

func (t *trayIcon) hide() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away, t.owes = false, false
	if t.icon != nil {
		t.icon.Close()
		t.icon = nil
	}
}
