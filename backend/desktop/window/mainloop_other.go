//go:build !linux || !production

package window

// AwaitMainLoop does nothing: the window can be closed from the start.
func AwaitMainLoop() {}
