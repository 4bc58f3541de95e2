package desktop

import "image"

// TrayOptions is what an icon in the panel does. The functions are called on goroutines of the session bus.
type TrayOptions struct {
	Title string
	Icon  image.Image
	Show  func() // brings the window to the front
	Quit  func()
	// Names of the entries of its menu.
	ShowName, QuitName string
}
