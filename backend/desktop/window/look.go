package window

import (
	"image/color"
	"os"
	"path/filepath"
)

// PageColor returns the color of the window before its page has loaded: --page of frontend/src/theme/tokens.css. theme
// is the one that the user chose. A window that follows the system begins light.
func PageColor(theme string) color.RGBA {
	if theme == "dark" {
		return color.RGBA{R: 19, G: 20, B: 26, A: 255}
	}
	return color.RGBA{R: 253, G: 253, B: 254, A: 255}
}

// GPUHelps reports whether the web view should use the GPU. Without a GPU the processor does its work, and the window
// takes a fifth longer to open. With NVIDIA's own driver, WebKitGTK draws empty windows.
func GPUHelps() bool {
	found, _ := filepath.Glob("/dev/dri/renderD*")
	_, err := os.Stat("/proc/driver/nvidia")
	return err != nil && len(found) > 0
}
