package workspace

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/regular"
)

// maxPlaces is how many paths [Files.Exist] looks at.
const maxPlaces = 200

// Locate returns the absolute path of a regular file, in the spelling of the folder that was opened. Links are followed as far as they stay
// inside. The errors are those of [Files.ReadText].
//
// Someone may change a link afterwards, so that another program which opens the path may find another file.
func (f *Files) Locate(path string) (string, error) {
	return quickly(f, path, func() (string, error) {
		rel, err := f.relative(path)
		if err != nil {
			return "", err
		}
		file, _, err := f.openRegular(rel, path)
		if err != nil {
			return "", err
		}
		_ = file.Close()
		return filepath.Join(f.dirs[0], rel), nil
	})
}

// Exist returns those of the paths that are regular files inside of the folder, as they were given. It looks at the first 200.
func (f *Files) Exist(paths []string) ([]string, error) {
	return quickly(f, f.dirs[0], func() ([]string, error) {
		found := []string{}
		for _, path := range paths[:min(len(paths), maxPlaces)] {
			rel, err := f.relative(path)
			if err != nil {
				continue
			}
			if info, err := f.root.Stat(rel); err == nil && info.Mode().IsRegular() {
				found = append(found, path)
			}
		}
		return found, nil
	})
}

// Bytes returns what a regular file holds. Errors: too_large where that is more than limit bytes, and those of [Files.ReadText].
func (f *Files) Bytes(path string, limit int64) ([]byte, error) {
	return quickly(f, path, func() ([]byte, error) {
		rel, err := f.relative(path)
		if err != nil {
			return nil, err
		}
		data, err := regular.Read(f.root, rel, limit)
		if err != nil {
			return nil, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
		}
		return data, nil
	})
}

// images are the media types of pictures that every browser shows and that can hold no script.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// imageType returns the media type of a picture by its first bytes, "" for anything else.
func imageType(head []byte) string {
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if slices.Contains(images, sniffed) {
		return sniffed
	}
	return ""
}
