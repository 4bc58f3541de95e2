package finder

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"

	"weft/backend/files/regular"
)

// index is an immutable snapshot of the files and folders of a folder.
type index struct {
	entries []entry
	first   []int // the best entries, for an empty query
	partial bool
	built   time.Time   // when the build began
	folder  fs.FileInfo // identifies the folder
}

// entry is one file or folder.
type entry struct {
	chars util.Chars // of the path; a folder's ends with a slash
	lower string     // the same in lower case
	base  int32      // offset of the last element in lower
	bonus int16      // score for any query
	dir   bool
}

// Bonuses, in units of the match score: a matched character counts 16, and 8 more at the start of a
// word.
const (
	bonusHour  = 14 // it was changed in the last hour
	bonusDay   = 9
	bonusWeek  = 4
	bonusDepth = -3 // per parent folder
	maxDeep    = 8  // parent folders that count
	bonusBase  = 18 // the query is in the name, not only in the path
	bonusWhole = 24 // the name begins with the query
	bonusExact = 40 // the name is the query

	bonusTogether = 20 // the query is a substring; only in the first pass
)

// looks is the number of entries in the second pass.
const looks = 2000

// firstEntries is the number of sorted entries that are kept for the empty query.
const firstEntries = 2 * maxLimit

func init() { algo.Init("path") }

// build builds the index of dir. The age of changes is relative to now.
func build(ctx context.Context, dir string, now time.Time) (*index, error) {
	ix := &index{built: now}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	ix.folder, err = root.Stat(".")
	_ = root.Close() // opened for reading only
	if err != nil {
		return nil, err
	}
	places := map[string]struct{}{} // the paths in the index
	add := func(p string, isDir bool) bool {
		if len(ix.entries) == MaxEntries {
			ix.partial = true
			return false
		}
		if _, known := places[p]; !known {
			places[p] = struct{}{}
			ix.entries = append(ix.entries, newEntry(p, isDir))
		}
		return true
	}
	err = list(ctx, dir, func(p string) bool {
		file, isDir := strings.CutSuffix(p, "/")
		// Add the parent folders up to the nearest known one.
		for i := strings.LastIndexByte(file, '/'); i > 0; i = strings.LastIndexByte(file[:i], '/') {
			if _, known := places[file[:i]]; known {
				break
			}
			if !add(file[:i], true) {
				return false
			}
		}
		return add(file, isDir)
	})
	if err != nil {
		return nil, err
	}
	if err := ix.weigh(ctx, dir, now); err != nil {
		return nil, err
	}
	ix.first = ix.best(firstEntries, func(i int, _ *util.Slab) (int, bool) { return int(ix.entries[i].bonus), true })
	return ix, nil
}

func newEntry(p string, isDir bool) entry {
	e := entry{lower: strings.ToLower(p), dir: isDir}
	e.base = int32(strings.LastIndexByte(e.lower, '/') + 1)
	whole := p
	if isDir {
		whole, e.lower = p+"/", e.lower+"/"
	}
	e.chars = util.ToChars([]byte(whole))
	e.bonus = int16(bonusDepth * min(strings.Count(p, "/"), maxDeep))
	return e
}

// weigh adds the bonuses for recently changed files. For a link, its own time counts.
func (ix *index) weigh(ctx context.Context, dir string, now time.Time) error {
	for i := range ix.entries {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := &ix.entries[i]
		if e.dir {
			continue
		}
		info, err := os.Lstat(filepath.Join(dir, e.chars.ToString()))
		if err != nil {
			continue
		}
		switch age := now.Sub(info.ModTime()); {
		case age < time.Hour:
			e.bonus += bonusHour
		case age < 24*time.Hour:
			e.bonus += bonusDay
		case age < 7*24*time.Hour:
			e.bonus += bonusWeek
		}
	}
	return nil
}

func (ix *index) has(p string) bool {
	p = strings.TrimSuffix(p, "/")
	lower := strings.ToLower(p)
	return slices.ContainsFunc(ix.entries, func(e entry) bool {
		return strings.TrimSuffix(e.lower, "/") == lower && strings.TrimSuffix(e.chars.ToString(), "/") == p
	})
}

// find returns the entries that match query, best first.
func (ix *index) find(query string, limit int) []Match {
	if query == "" {
		return ix.matches(ix.first[:min(limit, len(ix.first))], nil)
	}
	query = strings.ToLower(query)
	pattern := []rune(query)
	// The first pass is cheap and coarse: whether the query matches at all, and how it matches the
	// name. The second pass computes the full score of the best entries.
	found := ix.best(max(looks, limit), func(i int, _ *util.Slab) (int, bool) {
		e := &ix.entries[i]
		if !has(e.lower, query) {
			return 0, false
		}
		points := int(e.bonus) + e.named(query)
		if strings.Contains(e.lower, query) {
			points += bonusTogether
		}
		return points, true
	})
	slab, _ := slabs.Get().(*util.Slab)
	defer slabs.Put(slab)
	ranked := make([]scored, 0, len(found))
	for _, i := range found {
		e := &ix.entries[i]
		if r, _ := algo.FuzzyMatchV2(false, false, true, &e.chars, pattern, false, slab); r.Start >= 0 {
			ranked = append(ranked, scored{r.Score + int(e.bonus) + e.named(query), len(e.lower), i})
		}
	}
	return ix.matches(inOrder(ranked, limit), pattern)
}

// has reports whether the bytes of query are in s in the same order.
func has(s, query string) bool {
	for i := range len(query) {
		at := strings.IndexByte(s, query[i])
		if at < 0 {
			return false
		}
		s = s[at+1:]
	}
	return true
}

// named returns the bonus for a query that matches the name, the last element of the path.
func (e *entry) named(query string) int {
	name := e.lower[e.base:]
	switch {
	case name == query, e.dir && name[:len(name)-1] == query:
		return bonusBase + bonusWhole + bonusExact
	case strings.HasPrefix(name, query):
		return bonusBase + bonusWhole
	case has(name, query):
		return bonusBase
	}
	return 0
}

func (ix *index) matches(found []int, pattern []rune) []Match {
	out := make([]Match, 0, len(found))
	for _, i := range found {
		e := &ix.entries[i]
		m := Match{Path: e.chars.ToString(), Dir: e.dir, At: []int{}}
		if pattern != nil {
			if _, at := algo.FuzzyMatchV2(false, false, true, &e.chars, pattern, true, nil); at != nil {
				m.At = *at
				slices.Sort(m.At)
			}
		}
		out = append(out, m)
	}
	return out
}

func (ix *index) named(base string, most int) []string {
	var out []string
	for i := range ix.entries {
		e := &ix.entries[i]
		if e.dir {
			continue
		}
		if p := e.chars.ToString(); p[strings.LastIndexByte(p, '/')+1:] == base {
			if out = append(out, p); len(out) == most {
				break
			}
		}
	}
	return out
}

// scored is a matching entry.
type scored struct{ score, length, at int }

// better sorts by higher score, then by shorter path, then by listing order.
func better(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.length, b.length), cmp.Compare(a.at, b.at))
}

// slabs pools the working memory of the matcher.
var slabs = sync.Pool{New: func() any { return util.MakeSlab(100<<10, 2<<10) }}

// best returns the limit best entries in order. It scores entries in parallel.
func (ix *index) best(limit int, score func(i int, slab *util.Slab) (int, bool)) []int {
	workers := max(1, min(runtime.GOMAXPROCS(0), len(ix.entries)/4096))
	lists := make([][]scored, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			slab, _ := slabs.Get().(*util.Slab)
			defer slabs.Put(slab)
			lists[w] = ix.bestOf(len(ix.entries)*w/workers, len(ix.entries)*(w+1)/workers, limit, slab, score)
		})
	}
	wg.Wait()
	return inOrder(slices.Concat(lists...), limit)
}

func inOrder(list []scored, limit int) []int {
	slices.SortFunc(list, better)
	out := make([]int, min(limit, len(list)))
	for i := range out {
		out[i] = list[i].at
	}
	return out
}

// bestOf is best for a range of the entries. It keeps at most twice the limit in memory.
func (ix *index) bestOf(from, to, limit int, slab *util.Slab, score func(i int, slab *util.Slab) (int, bool)) []scored {
	kept := make([]scored, 0, 2*limit)
	worst := scored{score: -1 << 30}
	for i := from; i < to; i++ {
		n, fits := score(i, slab)
		if !fits || n < worst.score {
			continue
		}
		kept = append(kept, scored{n, len(ix.entries[i].lower), i})
		if len(kept) == 2*limit {
			slices.SortFunc(kept, better)
			kept = kept[:limit]
			worst = kept[limit-1]
		}
	}
	return kept
}
