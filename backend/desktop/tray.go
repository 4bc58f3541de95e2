package desktop

import "image"

// TrayOptions configures an icon in the panel. Its functions are called on goroutines of the session bus.
type TrayOptions struct {
	Title string
	Icon  image.Image
	Show  func() // brings the window to the front
	Quit  func()
	// The labels of the menu items.
	ShowName, QuitName string
}
