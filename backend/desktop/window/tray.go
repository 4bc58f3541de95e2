package window

import (
	"bytes"
	"image/png"
	"sync"

	"github.com/rs/zerolog"

	"weft/backend/desktop"
)

// Tray is the icon in the panel while the window is hidden. The zero value is for a window that is not hidden. It is
// safe for concurrent use.
type Tray struct {
	mu     sync.Mutex
	icon   *desktop.Tray // nil also if the desktop has no panel
	hidden bool          // the window is hidden
	notice bool          // the user was not told yet how the window comes back
}

// Show must be called when the window is hidden. It shows the icon, now or once the desktop has a panel. picture is the
// icon as a PNG file, used in place of o.Icon. A desktop without icons is only logged.
func (t *Tray) Show(picture []byte, o desktop.TrayOptions, log zerolog.Logger) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notice = !t.hidden
	t.hidden = true
	if t.icon != nil {
		return
	}
	icon, err := newIcon(picture, o)
	if err != nil {
		log.Info().Err(err).Msg("the desktop shows no icon")
		return
	}
	t.icon = icon
}

func newIcon(picture []byte, o desktop.TrayOptions) (*desktop.Tray, error) {
	var err error
	if o.Icon, err = png.Decode(bytes.NewReader(picture)); err != nil {
		return nil, err
	}
	return desktop.NewTray(o)
}

// NeedsNotice reports whether the window is hidden and no icon is shown, so that a notification must say how the window
// comes back. It is true at most once each time the window is hidden.
func (t *Tray) NeedsNotice() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	needs := t.notice && (t.icon == nil || !t.icon.Shown())
	t.notice = false
	return needs
}

// Rename changes the labels of the icon's menu.
func (t *Tray) Rename(show, quit string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.icon != nil {
		t.icon.Rename(show, quit)
	}
}

// WindowHidden reports whether the window is hidden.
func (t *Tray) WindowHidden() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hidden
}

// Shown reports whether a panel shows the icon.
func (t *Tray) Shown() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.icon != nil && t.icon.Shown()
}

// Close removes the icon. It must be called when the window is shown again, and when Weft ends.
func (t *Tray) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hidden, t.notice = false, false
	if t.icon != nil {
		t.icon.Close()
		t.icon = nil
	}
}
