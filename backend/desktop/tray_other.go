//go:build !linux

package desktop

import "errors"

// Tray is an icon in the desktop's panel.
type Tray struct{}

// NewTray always fails: only desktops with a session bus can show an icon without a window.
func NewTray(TrayOptions) (*Tray, error) { return nil, errors.ErrUnsupported }

// Shown returns false.
func (*Tray) Shown() bool { return false }

// Close does nothing.
func (*Tray) Close() {}

// Rename does nothing.
func (*Tray) Rename(string, string) {}
