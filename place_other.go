//go:build !linux || !production

package main

import (
	"context"
	"runtime"

	desktop "github.com/wailsapp/wails/v2/pkg/runtime"

	panel "weft/backend/desktop"
)

// taskbar is what the system keeps of the height of a screen, in pixels at 100 %.
const taskbar = 48

// placeWindow makes the window no larger than its screen has room for, which macOS does by itself, and maximizes it if it was so. It is in the middle of the
// screen. It waits for the window.
func placeWindow(window context.Context, p panel.Place) {
	if p.Maximized {
		desktop.WindowMaximise(window)
		return
	}
	if runtime.GOOS != "windows" {
		return
	}
	screens, err := desktop.ScreenGetAll(window)
	if err != nil {
		return // it keeps its size
	}
	for _, screen := range screens {
		w, h := min(p.Width, screen.Size.Width), min(p.Height, screen.Size.Height-taskbar)
		if screen.IsCurrent && (w < p.Width || h < p.Height) {
			desktop.WindowSetSize(window, w, h)
			desktop.WindowCenter(window)
		}
	}
}
