package snapshots

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"weft/backend/base/fault"
	"weft/backend/files/ignore"
	"weft/backend/files/regular"
)

// batch and batchBytes limit how many changes are reported and recorded at once.
const (
	batch      = 512
	batchBytes = 8 << 20
)

// Scan finds what has changed in the folder since it was last recorded. It calls report with batches of changes before
// it records them, and fails if report fails. The first scan of a folder reports every file, with the state before as
// Unknown. Scan blocks while it reads changed files. If ctx ends, the next scan continues.
func (f *Folder) Scan(ctx context.Context, root *os.Root, report func([]Change) error) error {
	return f.ScanFolders(ctx, root, report, func([]Change) error { return nil })
}

// ScanFolders is like [Folder.Scan], and also reports folders that were created and removed. The first scan of a
// folder reports no folders.
func (f *Folder) ScanFolders(ctx context.Context, root *os.Root, report, reportFolders func([]Change) error) error {
	f.scanning.Lock()
	defer f.scanning.Unlock()
	f.mu.Lock()
	f.passes++
	w := &walk{f: f, root: root, outer: ctx, pass: f.passes, first: f.complete == 0 && !f.ever, report: report, prefix: "", visited: map[string]bool{}}
	stopped := f.stopped
	f.mu.Unlock()
	if stopped {
		return w.revisit(true)
	}
	if home, err := os.UserHomeDir(); err == nil && within(f.dir, home) {
		f.limit(fault.Text("Weft doesn't track a whole home folder. It tracks files that the agent names when it changes them, but not changes made by commands."))
		return w.revisit(true)
	}
	err := w.run()
	if errors.Is(err, errTooMany) {
		f.limit(fault.Text("This folder has more than 100,000 files, so Weft doesn't track all of it. It tracks files that the agent names when it changes them, but not changes made by commands."))
		return w.revisit(true)
	}
	if err == nil {
		err = w.revisit(false)
	}
	if err == nil {
		err = w.folders(reportFolders)
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.complete = w.pass
	f.coverage = ""
	if w.unreadable > 0 {
		f.coverage = fault.Text("Weft can't read some folders, so it doesn't track changes in them.")
	}
	if !f.ever {
		if _, err := f.s.db.ExecContext(ctx, "UPDATE folder SET complete = 1 WHERE fid = ?", f.fid); err != nil {
			return err
		}
		f.ever = true
	}
	return nil
}

func (f *Folder) limit(sentence string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped, f.coverage = true, sentence
}

// within reports whether inner is outer or is inside of it.
func within(outer, inner string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

var errTooMany = errors.New("too many files")

// walk is one scan.
type walk struct {
	f      *Folder
	root   *os.Root
	outer  context.Context //nolint:containedctx // lives for one call
	ctx    context.Context //nolint:containedctx // canceled when the walk ends or the collector fails
	pass   int64
	first  bool
	report func([]Change) error
	prefix string

	seen       int
	unreadable int
	large      int64           // bytes of new files above MaxShown
	visited    map[string]bool // folders

	jobs  chan job
	found chan found
}

// job is a file to be read.
type job struct {
	dir  *dirHandle
	name string
	path string
	was  State
	pass int64 // the scan that confirmed was
	had  bool
	stat looked
	seq  int64
}

// dirHandle is an open folder. It is closed when the last of its files has been read.
type dirHandle struct {
	root *os.Root
	left sync.WaitGroup
}

// run walks the folder. Readers run concurrently and pass their results to one collector.
func (w *walk) run() error {
	w.jobs, w.found = make(chan job, 64), make(chan found, 64)
	rules, prefix := w.f.rules(w.root)
	w.prefix = prefix
	ctx, stop := context.WithCancelCause(w.outer)
	defer stop(nil)
	w.ctx = ctx
	var readers sync.WaitGroup
	for range min(4, runtime.GOMAXPROCS(0)) {
		readers.Go(w.read)
	}
	collected := make(chan error, 1)
	go func() {
		err := w.collect()
		if err != nil {
			stop(err)
		}
		collected <- err
	}()
	err := w.visit(w.root, "", rules, 0)
	close(w.jobs)
	readers.Wait()
	close(w.found)
	return errors.Join(<-collected, err)
}

func (w *walk) visit(dir *os.Root, rel string, rules ignore.Rules, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return context.Cause(w.ctx)
	}
	list, err := readDir(dir)
	if err != nil {
		w.unreadable++
		return nil // not covered, and reported by Coverage
	}
	if rel != "" {
		w.visited[rel] = true
		rules = rulesIn(dir, rules, w.prefix, rel)
	}
	var below []string
	h := &dirHandle{root: dir}
	defer h.left.Wait()
	for _, e := range list {
		p := path.Join(rel, e.Name())
		if e.Name() == ".git" || isTemp(e.Name()) || rules.Ignored(path.Join(w.prefix, p), e.IsDir()) {
			continue
		}
		if e.IsDir() {
			below = append(below, e.Name())
			continue
		}
		if e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 {
			if err := w.file(h, e.Name(), p); err != nil {
				return err
			}
		}
	}
	if depth == maxDepth {
		return nil
	}
	for _, name := range below {
		sub, err := regular.OpenFolder(dir, name)
		if err != nil {
			w.unreadable++
			continue
		}
		err = w.visit(sub, path.Join(rel, name), rules, depth+1)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// TempPrefix is the name prefix of files that Weft writes before it renames them.
const TempPrefix = ".weft-"

// isTemp reports whether a file is a temporary one of Weft.
func isTemp(name string) bool {
	return name[0] == '.' && strings.Contains(name, TempPrefix)
}

func readDir(dir *os.Root) ([]fs.DirEntry, error) { return regular.ReadFolder(dir, ".", maxEntries+1) }

// file compares the stamp of a file and queues the file for reading if it differs.
func (w *walk) file(h *dirHandle, name, p string) error {
	if w.seen++; w.seen > maxEntries {
		return errTooMany
	}
	now, err := lstat(h.root, name)
	if err != nil || now.Kind != File && now.Kind != Link {
		return nil //nolint:nilerr // gone, or not a file
	}
	j := job{dir: h, name: name, path: p, stat: now, was: State{Kind: Absent}}
	w.f.mu.Lock()
	j.seq, j.pass = w.f.seq, w.f.complete
	if e := w.f.files[p]; e != nil {
		if e.stamp == now.stamp && e.stamp != (stamp{}) && e.Kind == now.Kind && e.Mode == now.Mode {
			e.pass = w.pass
			w.f.mu.Unlock()
			return nil
		}
		j.was, j.pass, j.had = e.State, e.pass, true
	}
	if !j.had && now.Size > MaxShown {
		if w.large += now.Size; w.f.large+w.large > maxLarge {
			j.stat.skim = true
		}
	} else if strings.HasPrefix(j.was.Hash, skimmed) {
		j.stat.skim = true
	}
	w.f.mu.Unlock()
	h.left.Add(1)
	select {
	case w.jobs <- j:
		return nil
	case <-w.ctx.Done():
		h.left.Done()
		return context.Cause(w.ctx)
	}
}

func (w *walk) read() {
	for j := range w.jobs {
		now, err := read(j.dir.root, j.name, j.stat, w.f.s.now())
		j.dir.left.Done()
		if errors.Is(err, fs.ErrPermission) {
			now.State = State{Kind: Unknown} // it exists, but nothing else can be known
		} else if err != nil {
			continue // gone or in use; the next scan sees it
		}
		one := found{change: Change{Path: j.path, Before: j.was, After: now.State, When: now.when, Pass: j.pass}, stamp: now.stamp, seq: j.seq}
		if !j.was.Same(now.State) {
			one.object = w.f.object(now)
		}
		select {
		case w.found <- one:
		case <-w.ctx.Done():
		}
	}
}

// collect reports and records what the readers found.
func (w *walk) collect() error {
	var list []found
	bytes := 0
	for one := range w.found {
		list = append(list, one)
		if one.object != nil {
			bytes += len(one.object.data)
		}
		if len(list) >= batch || bytes >= batchBytes {
			if err := w.put(list); err != nil {
				return err
			}
			list, bytes = list[:0], 0
		}
	}
	return w.put(list)
}

// put stores the contents, reports the changes and then records them.
func (w *walk) put(list []found) error {
	if err := w.f.store(list); err != nil {
		return err
	}
	var changes []Change
	for i := range list {
		c := &list[i].change
		if w.first {
			// The earlier state isn't known. It is reported anyway, for a turn that has begun in the meantime.
			c.Before = State{Kind: Unknown}
		}
		if c.Before.Same(c.After) || c.After.Kind == Unknown {
			continue
		}
		if c.Before.Kind == Absent {
			c.Made = w.f.made(c.Path)
		}
		changes = append(changes, *c)
	}
	if len(changes) > 0 {
		if err := w.report(changes); err != nil {
			return err
		}
	}
	return w.f.seen(list)
}

// revisit checks the recorded files that the walk didn't see: they are gone, are ignored by now, or were requested by
// name. If all is true, there was no walk and it checks every recorded file.
func (w *walk) revisit(all bool) error {
	f := w.f
	f.mu.Lock()
	type known struct {
		path string
		l    looked
		pass int64
		seq  int64
	}
	var list []known
	for p, e := range f.files {
		if all || e.pass < w.pass {
			list = append(list, known{p, looked{State: e.State, stamp: e.stamp}, e.pass, e.seq})
		}
	}
	f.mu.Unlock()
	var changed []found
	for _, k := range list {
		if err := w.outer.Err(); err != nil {
			return err
		}
		now, err := f.lookAt(w.root, k.path, k.l)
		if err != nil {
			continue
		}
		f.mu.Lock()
		if e := f.files[k.path]; e != nil && e.seq == k.seq {
			e.pass = w.pass
		}
		f.mu.Unlock()
		if now.Kind == Other {
			now.State = State{Kind: Absent} // a folder is there now
		}
		if k.l.Same(now.State) && now.stamp == k.l.stamp {
			continue
		}
		one := found{change: Change{Path: k.path, Before: k.l.State, After: now.State, When: now.when, Pass: k.pass}, stamp: now.stamp, seq: k.seq, object: f.object(now)}
		changed = append(changed, one)
		if len(changed) >= batch {
			if err := w.put(changed); err != nil {
				return err
			}
			changed = nil
		}
	}
	return w.put(changed)
}

// folders reports and records which folders were created and removed.
func (w *walk) folders(report func([]Change) error) error {
	f := w.f
	f.mu.Lock()
	var made, missed, gone []string
	for d := range w.visited {
		if !f.dirs[d] {
			made = append(made, d)
		}
	}
	for d := range f.dirs {
		if !w.visited[d] {
			missed = append(missed, d)
		}
	}
	complete := f.complete
	f.mu.Unlock()
	var changes []Change
	slices.Sort(made)
	for _, d := range made {
		changes = append(changes, Change{Path: d + "/", Before: State{Kind: Absent}, After: State{Kind: Directory}, Pass: complete})
	}
	for _, d := range missed { // some are unreadable or ignored by now
		if now, err := LookFolder(w.root, d); err == nil && now.Kind != Directory {
			gone = append(gone, d)
			changes = append(changes, Change{Path: d + "/", Before: State{Kind: Directory}, After: State{Kind: Absent}, Pass: complete})
		}
	}
	for list := range slices.Chunk(changes, batch) {
		if w.first {
			break
		}
		if err := report(list); err != nil {
			return err
		}
	}
	return f.seenFolders(made, gone)
}
