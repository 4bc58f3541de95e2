package editor

import (
	"context"
	"path/filepath"
	"runtime"
)

// Reveal shows a file in the desktop's file manager: selected if the system supports that, otherwise its folder. It
// returns like [Start].
func Reveal(ctx context.Context, path string) error {
	folder := filepath.Dir(path)
	c := Command{Program: "xdg-open", Args: []string{folder}}
	switch runtime.GOOS {
	case "darwin":
		c = Command{Program: "open", Args: []string{"-R", path}}
	case "windows":
		c = Command{Program: "explorer.exe", Args: []string{folder}}
	}
	return Start(ctx, c, folder)
}
