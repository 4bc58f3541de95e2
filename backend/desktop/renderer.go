package desktop

import (
	"os"
	"sync"

	"github.com/go-json-experiment/json"
)

// Renderer remembers how WebKitGTK draws on this machine. It hands its pictures over through the memory of the GPU (DMABUF), which some drivers
// don't do right: then the window stays empty. It is tried without that once, and what came of it holds until the machine is another one. It is safe for
// concurrent use.
type Renderer struct {
	path, machine string
	mu            sync.Mutex
	last          rendererState
}

// rendererState is what the file holds.
type rendererState struct {
	Machine       string `json:"machine"`
	WithoutDMABUF string `json:"withoutDMABUF"`
	// Drawn: a first picture has come, without it or not. Begun: a start has not come so far, and not ended either.
	Drawn bool `json:"drawn,omitzero"`
	Begun bool `json:"begun,omitzero"`
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

// Begin is called before the window is made, which will be shown. A start before that has neither come to its first picture nor ended as it should counts
// like one whose window stayed empty: it has died in the driver. Where that can't be remembered, nothing is made of it.
func (r *Renderer) Begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.Drawn || !r.last.open() {
		return nil
	}
	next := r.last
	if next.Begun {
		if next.WithoutDMABUF == rendererTrying {
			next.WithoutDMABUF = rendererUseless
		} else {
			next.WithoutDMABUF = rendererTrying
		}
	}
	next.Begun = next.WithoutDMABUF != rendererUseless
	return r.save(next)
}

// End is called when Weft ends as it should.
func (r *Renderer) End() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.Begun {
		return nil
	}
	next := r.last
	next.Begun = false
	return r.save(next)
}

// WithoutDMABUF reports whether this start has to do without it.
func (r *Renderer) WithoutDMABUF() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.WithoutDMABUF == rendererTrying || r.last.WithoutDMABUF == rendererHelps
}

// Open reports whether the first picture has to be waited for: what draws right isn't known yet.
func (r *Renderer) Open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.open()
}

func (s *rendererState) open() bool {
	return s.WithoutDMABUF != rendererHelps && s.WithoutDMABUF != rendererUseless
}

// Drawn is called when the first picture has come.
func (r *Renderer) Drawn() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.last
	if next.Drawn, next.Begun = true, false; next.WithoutDMABUF == rendererTrying {
		next.WithoutDMABUF = rendererHelps
	}
	if next == r.last {
		return nil
	}
	return r.save(next)
}

// Empty is called when the window stays empty. again says that Weft must start once more, without DMABUF. It is false where that can't be
// remembered: then it would start again forever.
func (r *Renderer) Empty() (again bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.last
	next.Begun, again = false, next.WithoutDMABUF != rendererTrying
	if next.WithoutDMABUF = rendererUseless; again {
		next.WithoutDMABUF = rendererTrying
	}
	err = r.save(next)
	return again && err == nil, err
}

// save remembers a state. The lock is held.
func (r *Renderer) save(next rendererState) error {
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
