package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"weft/backend/base/fault"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// DefaultPath returns the default path of the settings file: weft/settings.json in the user's configuration folder.
func DefaultPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration folder: %w", err)
	}
	return filepath.Join(dir, "weft", "settings.json"), nil
}

// File is an open settings file. Its methods are safe for concurrent use.
type File struct {
	path string
	log  zerolog.Logger

	mu      sync.Mutex // guards everything below; also held during a read-change-write
	text    []byte     // text of the file when last read or written; nil if it didn't exist
	good    Settings   // last valid settings, which are in force
	problem *Problem   // what is wrong with text, or nil
	changes int        // counts changes of good and problem
	subs    map[int]func(Settings, *Problem)
	nextSub int

	wake    chan struct{} // capacity 1: something changed, notify the subscribers
	stop    chan struct{}
	stopped chan struct{}
	watcher *fsnotify.Watcher // nil if it couldn't be created
}

// Open reads and watches the settings file. An empty path means [DefaultPath]. A missing file is created with the
// defaults, so that the user can edit it. An invalid or unreadable file isn't an error: it is reported by
// [File.Problem], and the defaults are in force. The caller must close the file.
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
	// Watch before reading, so that an edit in between isn't missed.
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

// ReadAppearance reads the appearance from the settings file at path, like [Open], and changes nothing. If the file
// can't be read, it returns the default.
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

// Path returns the absolute path of the settings file.
func (f *File) Path() string { return f.path }

// Get returns a copy of the settings in force.
func (f *File) Get() Settings {
	now, _ := f.Now()
	return now
}

// Now returns a copy of the settings in force, and the number of changes since [Open], which orders two results.
func (f *File) Now() (now Settings, changes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.good.clone(), f.changes
}

// Problem returns what is wrong with the file now, or nil.
func (f *File) Problem() *Problem {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problem
}

// Update changes the settings and writes the file. change gets a copy of the file's present settings, and may return
// an error to cancel. It must not call methods of f. Concurrent updates run one at a time.
//
// If Update returns an error, nothing is written. Errors: settings_broken if the file on disk is invalid, invalid with
// a *Problem if the changed settings are invalid, the error of change, or one of the file system.
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

// Subscribe calls fn after every change of the settings or of the problem, with the newest of both. Changes in quick
// succession may be combined. The calls come one at a time from one goroutine. fn may call Get, Update and cancel, but
// not Close. After cancel has returned, no new call begins.
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

// Close stops watching and waits for a running subscriber call. Get can still be used.
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

// MaxFile is the size limit of a settings file, in bytes.
const MaxFile = 16 << 20

// reload reads the file. f.mu is held.
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

// write writes s to the file and puts it in force. f.mu is held.
func (f *File) write(s Settings, old *node) error {
	text := encode(s, old)
	if err := writeAtomic(f.path, text, 0o600); err != nil {
		return err
	}
	f.take(text, s.clone(), nil)
	return nil
}

// take sets the state and wakes the run loop if it has changed. f.mu is held.
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
