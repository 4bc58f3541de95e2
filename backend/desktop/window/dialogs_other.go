//go:build !linux || !production

package window

// NameButtons does nothing: the system labels the buttons of its dialogs in its own language.
func NameButtons(string, string) {}

// EndDialogs does nothing: dialogs close with the window.
func EndDialogs() {}
