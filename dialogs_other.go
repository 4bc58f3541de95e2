//go:build !linux || !production

package main

// nameButtons does nothing: the system names the buttons of its dialogs in its language.
func nameButtons(string, string) {}

// endDialogs does nothing: dialogs end with the window.
func endDialogs() {}
