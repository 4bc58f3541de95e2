// Package frontend carries the built frontend.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built frontend, index.html at its root. It is empty where the frontend was
// not built (npm run build).
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of this package
	}
	return files
}
