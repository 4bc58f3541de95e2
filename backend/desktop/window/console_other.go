//go:build !windows

package window

// LeaveConsole does nothing: only Windows opens a console for a program that has a window.
func LeaveConsole() {}
