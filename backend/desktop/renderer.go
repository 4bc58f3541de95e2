package desktop

import (
	"os"

	"github.com/go-json-experiment/json"
)

// Renderer remembers how WebKitGTK draws on this machine. It hands its pictures over through the memory of the GPU (DMABUF), which some drivers
// don't do right: then the window stays empty. It is tried without that once, and what came of it holds until the machine is another one.
type Renderer struct {
	path, machine string
	last          rendererState
}

// rendererState is what the file holds.
type rendererState struct {
	Machine       string `json:"machine"`
	WithoutDMABUF string `json:"withoutDMABUF"`
}

const (
	rendererTrying  = "trying"  // a start without it has begun
	rendererHelps   = "helps"   // the window was drawn
	rendererUseless = "useless" // it wasn't
)

// NewRenderer reads what the file at path remembers. machine names what decides how is drawn: what was remembered of another one doesn't count.
func NewRenderer(path, machine string) *Renderer {
	r := &Renderer{path: path, machine: machine}
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &r.last) != nil || r.last.Machine != machine {
		r.last = rendererState{Machine: machine}
	}
	return r
}

// WithoutDMABUF reports whether this start has to do without it.
func (r *Renderer) WithoutDMABUF() bool {
	return r.last.WithoutDMABUF == rendererTrying || r.last.WithoutDMABUF == rendererHelps
}

// Open reports whether the first picture has to be waited for: what draws right isn't known yet.
func (r *Renderer) Open() bool {
	return r.last.WithoutDMABUF != rendererHelps && r.last.WithoutDMABUF != rendererUseless
}

// Drawn is called when the first picture has come.
func (r *Renderer) Drawn() error {
	if r.last.WithoutDMABUF != rendererTrying {
		return nil
	}
	return r.save(rendererHelps)
}

// Empty is called when the window stays empty. again says that Weft must start once more, without DMABUF. It is false where that can't be
// remembered: then it would start again forever.
func (r *Renderer) Empty() (again bool, err error) {
	if r.last.WithoutDMABUF == rendererTrying {
		return false, r.save(rendererUseless)
	}
	err = r.save(rendererTrying)
	return err == nil, err
}

func (r *Renderer) save(what string) error {
	next := rendererState{r.machine, what}
	err := remember(r.path, next)
	if err == nil {
		r.last = next
	}
	return err
}

// Look is what was found at one look at a window whose first picture hasn't come yet.
type Look struct {
	Drawn bool // there is something in the window
	// Idle says that the window is on the screen, and that nothing is left to be done for a picture: the page has begun and waits for nothing, and what
	// draws it sleeps, or has ended. A machine that is slow, or busy with other things, isn't idle.
	Idle bool
}

// The looks that decide: one each second. A window that was idle at so many of them in a row stays empty.
const (
	looksUntilEmpty = 10
	mostLooks       = 300
)

// FirstPicture waits for the first picture of a window. next blocks until the next look is due, and reports whether there is one. known is
// false where it can't be told.
func FirstPicture(next func() bool, look func() Look) (drawn, known bool) {
	idle := 0
	for range mostLooks {
		if !next() {
			return false, false
		}
		switch l := look(); {
		case l.Drawn:
			return true, true
		case l.Idle:
			idle++
		default:
			idle = 0
		}
		if idle == looksUntilEmpty {
			return false, true
		}
	}
	return false, false
}
