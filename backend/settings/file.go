package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"weft/backend/fault"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// DefaultPath is where the settings file lives when nobody says otherwise:
// weft/settings.json in the OS's folder for configuration.
func DefaultPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration folder: %w", err)
	}
	return filepath.Join(dir, "weft", "settings.json"), nil
}

// File is an open settings file. All methods may be called from any goroutine.
type File struct {
	path string
	log  zerolog.Logger

	mu      sync.Mutex // guards everything below; also held over a read-change-write
	text    []byte     // what the file said when last read or written; nil if there was no file
	good    Settings   // last good settings, in force
	problem *Problem   // what is wrong with text, or nil
	changes int        // counts changes of good and problem
	subs    map[int]func(Settings, *Problem)
	nextSub int

	wake    chan struct{} // capacity 1: something changed, tell the subscribers
	stop    chan struct{}
	stopped chan struct{}
	watcher *fsnotify.Watcher // nil if the OS has none to give
}

// Open reads the settings file and starts to watch it. With path "" that is
// [DefaultPath]. A missing file is written with the defaults, so that there is
// something to edit. A file that is broken or cannot be read is not an error of
// Open but a [File.Problem], with the defaults in force. Close it after use.
func Open(path string, log zerolog.Logger) (*File, error) {
	if path == "" {
		var err error
		if path, err = DefaultPath(); err != nil {
			return nil, err
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("settings path: %w", err)
	}
	f := &File{
		path: path, log: log, good: Default(),
		subs: map[int]func(Settings, *Problem){},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		log.Warn().Err(err).Msg("settings folder cannot be made")
	} else if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		log.Warn().Msg("the settings file isn't a regular file")
	} else if err := writeSchema(filepath.Dir(path)); err != nil {
		log.Warn().Err(err).Msg("settings schema cannot be written")
	}
	// Watch first, then read: an edit in between is then seen, not missed.
	f.watcher = watch(path, log)
	f.mu.Lock()
	f.reload()
	if f.text == nil && f.problem == nil {
		if err := f.write(Default(), nil); err != nil {
			log.Warn().Err(err).Msg("default settings cannot be written")
		}
	}
	f.mu.Unlock()
	go f.run()
	return f, nil
}

// ReadAppearance reads how the window looks from the settings file at path, as [Open] takes it, and changes nothing. It is the default where the
// file can't be read.
func ReadAppearance(path string) Appearance {
	var err error
	if path == "" {
		path, err = DefaultPath()
	}
	if err == nil {
		f := &File{path: path, good: Default(), wake: make(chan struct{}, 1)}
		f.reload()
		return f.good.Appearance
	}
	return Default().Appearance
}

// Path is the absolute path of the settings file.
func (f *File) Path() string { return f.path }

// Get gives a copy of the settings in force.
func (f *File) Get() Settings {
	now, _ := f.Now()
	return now
}

// Now gives a copy of the settings in force, and how often they have changed since [Open]: of two, the ones with more changes are newer.
func (f *File) Now() (now Settings, changes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.good.clone(), f.changes
}

// Problem gives what is wrong with the file now, or nil.
func (f *File) Problem() *Problem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// Update changes the settings and writes the file. change gets a copy of what the
// file says at this moment and may return an error to call it off. It must not
// call back into f. Updates from several goroutines happen one after the other.
//
// Errors: settings_broken when the file on disk is broken (nothing is written),
// *Problem when the changed settings cannot be (nothing is written), change's own
// error, or the file system's.
func (f *File) Update(change func(*Settings) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reload()
	if f.problem != nil {
		return Refused(f.problem)
	}
	next := f.good.clone()
	if err := change(&next); err != nil {
		return err
	}
	d := &decoder{}
	if d.check(next, nil); d.problem != nil {
		return invalid(d.problem.without(f.path))
	}
	if next.equal(f.good) && f.text != nil {
		return nil
	}
	var old *node
	if f.text != nil {
		old, _ = parse(f.text) // f.problem is nil, so it parses
	}
	if err := f.write(next, old); err != nil {
		return writeError(f.path, err)
	}
	return nil
}

// Subscribe has fn called after every change of the settings or of the problem,
// with the newest of both; changes in quick succession may be told as one. Calls
// come one at a time from one goroutine. fn may call Get, Update and the cancel
// function, not Close. After cancel no new call begins.
func (f *File) Subscribe(fn func(Settings, *Problem)) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.nextSub
	f.nextSub++
	f.subs[id] = fn
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.subs, id)
	}
}

// Close stops watching and waits for a running subscriber call. Get keeps answering.
func (f *File) Close() {
	f.mu.Lock()
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
	f.mu.Unlock()
	<-f.stopped
}

// MaxFile is the largest settings file that is read, in bytes.
const MaxFile = 16 << 20

// reload takes over what the file says now. f.mu is held.
func (f *File) reload() {
	text, err := Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.take(nil, Default(), nil)
		return
	case err != nil:
		f.take(f.text, f.good, unreadable(f.path, fault.Say("The settings file can't be read: {{reason}}.", err)))
		return
	case bytes.Equal(text, f.text) && f.text != nil && (f.problem == nil || f.problem.Line > 0):
		return
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	next, _, problem := decode(text)
	if problem != nil {
		problem.File = f.path
		next = f.good
	}
	f.take(text, next, problem)
}

// write puts s into the file and in force. f.mu is held.
func (f *File) write(s Settings, old *node) error {
	text := encode(s, old)
	if err := writeAtomic(f.path, text, 0o600); err != nil {
		return err
	}
	f.take(text, s.clone(), nil)
	return nil
}

// take sets the state and tells the run loop if it is a change. f.mu is held.
func (f *File) take(text []byte, s Settings, p *Problem) {
	same := s.equal(f.good) && (p == nil) == (f.problem == nil) && (p == nil || *p == *f.problem)
	f.text, f.good, f.problem = text, s, p
	if same {
		return
	}
	f.changes++
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
