package window

import (
	"os"
	"sync"

	"github.com/go-json-experiment/json"
)

// renderer stores how WebKitGTK draws correctly on this machine. WebKitGTK passes its frames through GPU memory
// (DMABUF), which some drivers handle incorrectly, so that the window stays empty. Weft then tries once without DMABUF,
// and keeps the result until the machine changes. It is safe for concurrent use.
type renderer struct {
	path, machine string
	mu            sync.Mutex
	last          rendererState
}

// rendererState is the content of the file.
type rendererState struct {
	Machine       string `json:"machine"`
	WithoutDMABUF string `json:"withoutDMABUF"`
	// Drawn: a first frame was drawn, with or without DMABUF. Begun: a start has neither drawn a frame nor ended
	// properly yet.
	Drawn bool `json:"drawn,omitzero"`
	Begun bool `json:"begun,omitzero"`
}

const (
	rendererTrying  = "trying"  // a start without DMABUF has begun
	rendererHelps   = "helps"   // the window was drawn
	rendererUseless = "useless" // the window was not drawn
)

// readRenderer reads the state in the file at path. machine identifies what the drawing depends on; the state of
// another machine is ignored.
func readRenderer(path, machine string) *renderer {
	r := &renderer{path: path, machine: machine}
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &r.last) != nil || r.last.Machine != machine {
		r.last = rendererState{Machine: machine}
	}
	return r
}

// Begin must be called before the window is created, if the window will be shown. If the previous start neither drew a
// frame nor ended properly, it probably crashed in the driver, and counts as one whose window stayed empty. If the
// state can't be saved, Begin changes nothing.
func (r *renderer) Begin() error {
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

// End must be called when Weft ends properly.
func (r *renderer) End() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.Begun {
		return nil
	}
	next := r.last
	next.Begun = false
	return r.save(next)
}

// WithoutDMABUF reports whether this start must not use DMABUF.
func (r *renderer) WithoutDMABUF() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.WithoutDMABUF == rendererTrying || r.last.WithoutDMABUF == rendererHelps
}

// Open reports whether it is unknown what draws correctly, so that the caller must wait for the first frame.
func (r *renderer) Open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.open()
}

func (s *rendererState) open() bool {
	return s.WithoutDMABUF != rendererHelps && s.WithoutDMABUF != rendererUseless
}

// Drawn must be called when the first frame was drawn.
func (r *renderer) Drawn() error {
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

// Empty must be called when the window stays empty. again reports whether Weft must restart without DMABUF. It is false
// if the state can't be saved, because Weft would then restart forever.
func (r *renderer) Empty() (again bool, err error) {
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

// save stores a state. The caller holds the lock.
func (r *renderer) save(next rendererState) error {
	err := remember(r.path, next)
	if err == nil {
		r.last = next
	}
	return err
}

// look is the result of one check of a window that has not drawn its first frame.
type look struct {
	Drawn bool // the window shows something
	// Idle is true if the window is on the screen and nothing is left to do for a frame: the page has begun and waits
	// for nothing, and the processes that draw it sleep or have ended. A slow or busy machine isn't idle.
	Idle bool
}

// Checks run once per second. A window that is idle in looksUntilEmpty checks in a row counts as empty.
const (
	looksUntilEmpty = 10
	mostLooks       = 300
)

// waitForPicture blocks until a window has drawn its first frame or counts as empty. next blocks until the next check
// is due, and reports whether there is one. known is false if the result is unclear.
func waitForPicture(next func() bool, check func() look) (drawn, known bool) {
	idle := 0
	for range mostLooks {
		if !next() {
			return false, false
		}
		switch l := check(); {
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
