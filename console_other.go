//go:build !windows

package main

// leaveConsole does nothing: only Windows opens a console for a program that has a window.
func leaveConsole() {}
