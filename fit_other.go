//go:build !linux || !production

package main

import (
	"context"
	"runtime"

	desktop "github.com/wailsapp/wails/v2/pkg/runtime"
)

// taskbar is what the system keeps of the height of a screen, in pixels at 100 %.
const taskbar = 48

// fitWindow makes the window no larger than its screen has room for, and puts it into the middle. macOS does so by itself. It waits for the window.
func fitWindow(window context.Context) {
	if runtime.GOOS != "windows" {
		return
	}
	screens, err := desktop.ScreenGetAll(window)
	if err != nil {
		return // it keeps its size
	}
	want := windowOptions()
	for _, screen := range screens {
		w, h := min(want.Width, screen.Size.Width), min(want.Height, screen.Size.Height-taskbar)
		if screen.IsCurrent && (w < want.Width || h < want.Height) {
			desktop.WindowSetSize(window, w, h)
			desktop.WindowCenter(window)
		}
	}
}
