package window

import (
	"os"

	"github.com/go-json-experiment/json"

	"weft/backend/files/atomicfile"
)

// place is the position and size of a window, in pixels at 100 %. X and Y are of its frame, relative to the upper left
// corner of all screens together.
type place struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximized bool `json:"maximized,omitzero"` // the other fields are from before it was maximized
	Middle    bool `json:"middle,omitzero"`    // center it on its screen, and ignore X and Y
}

// mostPixels is more than the width or height of any screen.
const mostPixels = 1 << 16

// readPlace returns the place in the file at path. known is false if the file has none.
func readPlace(path string) (p place, known bool) {
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &p) != nil || !p.sound() {
		return place{}, false
	}
	return p, true
}

// Write writes p to the file at path. It blocks for the disk.
func (p place) Write(path string) error { return remember(path, p) }

// remember writes a value for the next start to a file.
func remember(path string, what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(raw, '\n'), 0o600)
}

func (p place) sound() bool {
	for _, n := range []int{p.X, p.Y, p.Width, p.Height} {
		if n < -mostPixels || n > mostPixels {
			return false
		}
	}
	return p.Width > 0 && p.Height > 0
}
