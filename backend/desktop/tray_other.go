//go:build !linux

package desktop

import "errors"

// Tray is an icon in the panel of the desktop.
type Tray struct{}

// NewTray always fails: only desktops with a session bus have icons that need no window of their own.
func NewTray(TrayOptions) (*Tray, error) { return nil, errors.ErrUnsupported }

// Shown returns false.
func (*Tray) Shown() bool { return false }

// Close does nothing.
func (*Tray) Close() {}

// Rename does nothing.
func (*Tray) Rename(string, string) {}
