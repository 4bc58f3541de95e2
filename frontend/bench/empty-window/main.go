//go:build emptywindow

// Command empty-window is what a new Wails project starts as: a window with a static page, one
// field and one bound method. The start of Weft is measured against it.
package main

import (
	"embed"
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

//go:embed all:page
var page embed.FS

// App has the one method of the template.
type App struct{}

// Greet returns a greeting.
func (a *App) Greet(name string) string { return fmt.Sprintf("Hello %s, It's show time!", name) }

func main() {
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1280, Height: 832,
		AssetServer: &assetserver.Options{Assets: page},
		Bind:        []any{&App{}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
