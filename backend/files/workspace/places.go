package workspace

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/files/regular"
)

// maxPlaces limits how many paths [Files.Exist] checks.
const maxPlaces = 200

// Locate returns the absolute path of a regular file, in the spelling with which the folder was opened. Symbolic links
// are followed as long as they stay inside. Errors are those of [Files.ReadText].
//
// A link may change afterwards, so another program that opens the path may get another file.
func (f *Files) Locate(path string) (string, error) {
	return withDeadline(f, path, func() (string, error) {
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

// Exist returns those of the paths, unchanged, that are regular files inside of the folder. It checks only the first
// 200.
func (f *Files) Exist(paths []string) ([]string, error) {
	return withDeadline(f, f.dirs[0], func() ([]string, error) {
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

// Bytes returns the content of a regular file. Errors: too_large if it is larger than limit bytes, and those of
// [Files.ReadText].
func (f *Files) Bytes(path string, limit int64) ([]byte, error) {
	return withDeadline(f, path, func() ([]byte, error) {
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

// images are the media types of images that every browser can show and that can't contain scripts.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// imageType returns the media type of an image by its first bytes, or "".
func imageType(head []byte) string {
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if slices.Contains(images, sniffed) {
		return sniffed
	}
	return ""
}
