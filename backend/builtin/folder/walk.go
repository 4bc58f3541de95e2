package folder

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"weft/backend/files/ignore"
	"weft/backend/files/regular"
)

// Bounds of one walk.
const (
	MaxFiles   = 20_000 // files seen before a walk stops
	maxDirs    = 20_000
	maxDepth   = 40
	maxPerDir  = 50_000 // entries taken from a single directory
	ignoreSize = 1 << 20
)

// Entry is a file or directory of the tree.
type Entry struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir,omitempty"`
	Link bool   `json:"link,omitempty"` // a symbolic link; links are listed and never followed
	Size int64  `json:"size,omitempty"` // bytes
}

// Depth is the number of directories above the entry.
func (e Entry) Depth() int { return strings.Count(e.Path, "/") }

// Listing is the result of a walk, depth first and sorted by name, with directories after files.
type Listing struct {
	Entries    []Entry  `json:"entries"`
	Files      int      `json:"files"`
	Dirs       int      `json:"dirs"`
	Bytes      int64    `json:"bytes"`
	Seen       int      `json:"seen"`                 // files that were visited
	Ignored    int      `json:"ignored"`              // entries left out because of .gitignore or because they are dependencies
	Unreadable []string `json:"unreadable,omitempty"` // directories that could not be opened
	Stopped    bool     `json:"stopped,omitempty"`    // a limit was reached; the listing is incomplete
	Denied     int      `json:"denied,omitempty"`     // entries left out because a rule of the user rejects them
}

// List walks the tree below dir ("." for all of it) and respects .gitignore files. It records unreadable
// directories below dir and continues. It returns an error only if dir itself can't be opened.
func (f *Folder) List(ctx context.Context, dir string) (Listing, error) {
	return f.ListDepth(ctx, dir, 0)
}

// ListDepth is List with a maximum number of levels; 0 means all.
func (f *Folder) ListDepth(ctx context.Context, dir string, levels int) (Listing, error) {
	if err := f.Current(); err != nil {
		return Listing{}, err
	}
	w := walker{disk: f.disk, maxFiles: f.maxFiles, ctx: ctx, levels: levels}
	rules, err := w.rulesAbove(dir)
	if err != nil {
		return Listing{}, err
	}
	if err := w.visit(dir, rules, 0); err != nil {
		return w.out, err
	}
	w.out.Seen = w.out.Files
	return f.permitted(ctx, "search", w.out)
}

// Glob lists the files and directories whose path matches a pattern with *, ?, [..], {a,b} and **. A pattern without a
// slash matches names in every directory. Case doesn't matter.
func (f *Folder) Glob(ctx context.Context, pattern string) (Listing, error) {
	return f.GlobBelow(ctx, ".", pattern)
}

// GlobBelow is Glob restricted to entries below dir. The pattern still matches paths from the folder's root.
func (f *Folder) GlobBelow(ctx context.Context, dir, pattern string) (Listing, error) {
	all, err := f.List(ctx, dir)
	if err != nil {
		return all, err
	}
	pattern = strings.ToLower(strings.TrimPrefix(pattern, "./"))
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	out := Listing{Seen: all.Files, Ignored: all.Ignored, Stopped: all.Stopped, Unreadable: all.Unreadable, Denied: all.Denied}
	for _, e := range all.Entries {
		if doublestar.MatchUnvalidated(pattern, strings.ToLower(e.Path)) {
			out.add(e)
		}
	}
	return out, nil
}

func (l *Listing) add(e Entry) {
	l.Entries = append(l.Entries, e)
	if e.Dir {
		l.Dirs++
		return
	}
	l.Files++
	l.Bytes += e.Size
}

// walker does one walk.
type walker struct {
	disk     disk
	maxFiles int             // files seen before it stops
	ctx      context.Context //nolint:containedctx // of this one walk
	levels   int             // maximum number of levels, 0 for all
	out      Listing
}

func (w *walker) visit(dir string, rules ignore.Rules, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := w.read(dir)
	if err != nil {
		if depth == 0 {
			return explain(dir, err)
		}
		w.out.Unreadable = append(w.out.Unreadable, dir)
		return nil
	}
	rules = w.rulesOf(dir, rules)
	var below []string
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		if rules.Ignored(rel, e.IsDir()) {
			w.out.Ignored++
			continue
		}
		if e.IsDir() {
			below = append(below, rel)
			continue
		}
		if w.out.Files >= w.maxFiles {
			w.out.Stopped = true
			return nil
		}
		w.out.add(fileEntry(rel, e))
	}
	for _, rel := range below {
		if w.out.Stopped || w.out.Dirs >= maxDirs || depth >= maxDepth {
			w.out.Stopped = true
			return nil
		}
		w.out.add(Entry{Path: rel, Dir: true})
		if w.levels > 0 && depth+1 >= w.levels {
			continue
		}
		if err := w.visit(rel, rules, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func fileEntry(rel string, e fs.DirEntry) Entry {
	entry := Entry{Path: rel, Link: e.Type()&fs.ModeSymlink != 0}
	if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
		entry.Size = info.Size()
	}
	return entry
}

func (w *walker) read(dir string) ([]fs.DirEntry, error) {
	entries, err := regular.ReadFolder(w.disk.root, filepath.FromSlash(dir), maxPerDir)
	if err != nil {
		return nil, err
	}
	if len(entries) == maxPerDir {
		w.out.Stopped = true
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// rulesAbove returns the ignore rules of the directories above dir, which a walk from dir wouldn't see.
func (w *walker) rulesAbove(dir string) (ignore.Rules, error) {
	var rules ignore.Rules
	if text, err := w.disk.read(".git/info/exclude", ignoreSize); err == nil {
		rules = rules.With("", text)
	}
	if dir == "." {
		return rules, nil
	}
	info, err := w.disk.stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrInvalid}
	}
	rules = w.rulesOf(".", rules)
	for i, c := range dir {
		if c == '/' {
			rules = w.rulesOf(dir[:i], rules)
		}
	}
	return rules, nil
}

func (w *walker) rulesOf(dir string, rules ignore.Rules) ignore.Rules {
	text, err := w.disk.read(path.Join(dir, ".gitignore"), ignoreSize)
	if err != nil {
		return rules
	}
	if dir == "." {
		dir = ""
	}
	return rules.With(dir, text)
}
