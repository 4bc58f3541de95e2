package settings

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// quiet is how long the file must be unchanged before it is read. An editor that truncates, writes and renames it then
// causes one read of the complete file.
const quiet = 30 * time.Millisecond

// watch watches the file's folder, because a watch of the file itself would end when it is replaced, and the folder of
// its target if it is a link. If it can't watch, it returns nil; the file is still read before every update.
func watch(path string, log zerolog.Logger) *fsnotify.Watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn().Err(err).Msg("settings cannot be watched; edits show after a restart")
		return nil
	}
	dirs := []string{filepath.Dir(path), filepath.Dir(followLink(path))}
	for _, dir := range slices.Compact(dirs) {
		if err := w.Add(dir); err != nil {
			log.Warn().Err(err).Str("dir", dir).Msg("settings folder cannot be watched; edits show after a restart")
		}
	}
	return w
}

// run handles the events of the watcher and notifies the subscribers. It ends with Close.
func (f *File) run() {
	defer close(f.stopped)
	var events chan fsnotify.Event
	var errs chan error
	if f.watcher != nil {
		defer func() { _ = f.watcher.Close() }()
		events, errs = f.watcher.Events, f.watcher.Errors
	}
	names := []string{filepath.Base(f.path), filepath.Base(followLink(f.path))}
	settle := time.NewTimer(0)
	settle.Stop()
	var told int
	for {
		select {
		case <-f.stop:
			return
		case e := <-events:
			if slices.Contains(names, filepath.Base(e.Name)) {
				settle.Reset(quiet)
			}
		case err := <-errs:
			// Events may have been lost, so read the file.
			f.log.Warn().Err(err).Msg("watching the settings")
			settle.Reset(quiet)
		case <-settle.C:
			f.mu.Lock()
			f.reload()
			f.mu.Unlock()
		case <-f.wake:
			told = f.tell(told)
		}
	}
}

// tell calls the subscribers if there are changes after told. It returns the number of changes now.
func (f *File) tell(told int) int {
	f.mu.Lock()
	if f.changes == told {
		f.mu.Unlock()
		return told
	}
	told = f.changes
	s, p := f.good, f.problem
	ids := make([]int, 0, len(f.subs))
	for id := range f.subs {
		ids = append(ids, id)
	}
	f.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		f.mu.Lock()
		fn := f.subs[id]
		f.mu.Unlock()
		if fn != nil {
			fn(s.clone(), p)
		}
	}
	return told
}
