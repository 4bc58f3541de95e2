package desktop

import (
	"os"

	"github.com/go-json-experiment/json"

	"weft/backend/atomicfile"
)

// Place is where a window is, in pixels at 100 %. X and Y are those of its frame, from the upper left corner of all screens together.
type Place struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximized bool `json:"maximized,omitzero"` // the rest is where it was before that
	Middle    bool `json:"middle,omitzero"`    // it belongs into the middle of its screen, whatever X and Y are
}

// mostPixels is more than any screen has.
const mostPixels = 1 << 16

// ReadPlace returns the place that the file at path holds; known is false if it holds none.
func ReadPlace(path string) (p Place, known bool) {
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &p) != nil || !p.sound() {
		return Place{}, false
	}
	return p, true
}

// Write writes it to the file at path. It blocks for as long as the disk does.
func (p Place) Write(path string) error { return remember(path, p) }

// remember writes what the next start has to know.
func remember(path string, what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(raw, '\n'), 0o600)
}

func (p Place) sound() bool {
	for _, n := range []int{p.X, p.Y, p.Width, p.Height} {
		if n < -mostPixels || n > mostPixels {
			return false
		}
	}
	return p.Width > 0 && p.Height > 0
}
