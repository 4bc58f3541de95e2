package guide

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/quantity"
)

const (
	treeLines  = 60
	notesShown = 40
)

func (a *answer) todos() error {
	a.para("I’ll look for TODO, FIXME, HACK and XXX notes.")
	found, err := a.Search(a.ctx, folder.Query{Pattern: outline.NotePattern, Regexp: true, Case: true, Title: "Search for open notes"})
	if err != nil {
		return a.failed(err, "search")
	}
	if found.Total == 0 {
		if found.Scanned == 0 && a.emptyFolder(0, 0) {
			return nil
		}
		a.para("No open notes: none of the %s I searched has one.%s", count(found.Scanned, "file", "files"), bounds(found))
		return nil
	}
	tags := map[string]int{}
	for _, m := range found.Matches {
		for _, tag := range []string{"TODO", "FIXME", "HACK", "XXX"} {
			if strings.Contains(m.Text, tag) {
				tags[tag]++
				break
			}
		}
	}
	var each []string
	for _, tag := range []string{"TODO", "FIXME", "HACK", "XXX"} {
		if tags[tag] > 0 {
			each = append(each, fmt.Sprintf("%d %s", tags[tag], tag))
		}
	}
	if found.Total > len(found.Matches) {
		each = append([]string{fmt.Sprintf("of the first %d: ", len(found.Matches)) + each[0]}, each[1:]...)
	}
	a.para("**%s in %s** (%s).%s", count(found.Total, "note", "notes"), count(found.Files, "file", "files"), strings.Join(each, ", "), bounds(found))
	shown := 0
	for _, g := range grouped(found.Matches) {
		if shown >= notesShown {
			break
		}
		a.para("%s", tick(g.path))
		a.Say("\n")
		for _, m := range g.matches {
			if shown++; shown > notesShown {
				break
			}
			a.line("- line %d: %s", m.Line, tick(noteText(m.Text)))
		}
	}
	if n := found.Total - shown; n > 0 {
		a.para("… and %d more; the tool call above lists the first %d.", n, len(found.Matches))
	}
	return nil
}

// noteText drops what stands before the tag if it is only a comment sign.
func noteText(line string) string {
	for _, tag := range []string{"TODO", "FIXME", "HACK", "XXX"} {
		if i := strings.Index(line, tag); i >= 0 && strings.Trim(line[:i], "/*#-;<>!%\" \t") == "" {
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(line[i:], "*/"), "-->"))
		}
	}
	return line
}

func (a *answer) tree() error {
	dir := strings.TrimSuffix(cmp.Or(a.in.Subject, "."), "/")
	if len(a.req.Files) > 0 && a.in.Subject == "" {
		dir = a.req.Files[0]
	}
	if dir == "." {
		a.para("I’ll list this folder.")
	} else {
		a.para("I’ll list %s.", tick(dir))
	}
	listing, err := a.List(a.ctx, dir)
	if err != nil {
		return a.failed(err, "list "+dir)
	}
	if a.emptyFolder(listing.Files, listing.Ignored) {
		return nil
	}
	a.showTree(dir, listing)
	return nil
}

func (a *answer) showTree(dir string, l folder.Listing) {
	lines, depth, cut := drawTree(dir, l.Entries)
	text := fmt.Sprintf("**%s in %s**, %s.", count(l.Files, "file", "files"), count(l.Dirs, "folder", "folders"), quantity.Bytes(l.Bytes))
	if cut {
		text += fmt.Sprintf(" Shown down to level %d:", depth+1)
	}
	a.para("%s", text)
	a.para("%s", code("", lines))
	var notes []string
	if l.Ignored > 0 {
		notes = append(notes, fmt.Sprintf("%s left out (version control, dependencies, `.gitignore`)", count(l.Ignored, "entry is", "entries are")))
	}
	if len(l.Unreadable) > 0 {
		notes = append(notes, fmt.Sprintf("%s could not be opened: %s", count(len(l.Unreadable), "folder", "folders"), listed(l.Unreadable[:min(3, len(l.Unreadable))])))
	}
	if l.Stopped {
		notes = append(notes, fmt.Sprintf("I stopped after %s files, so this is not everything", number(l.Files)))
	}
	if len(notes) > 0 {
		a.para("%s.", strings.Join(notes, "; "))
	}
}

// drawTree draws as many whole levels as fit, always at least the first. It returns the deepest level drawn,
// counted from 0, and whether something is not drawn.
func drawTree(dir string, entries []folder.Entry) (text string, depth int, cut bool) {
	base := 0
	if dir != "." {
		base = strings.Count(dir, "/") + 1
	}
	var perLevel [64]int
	deepest := 0
	for _, e := range entries {
		d := min(e.Depth()-base, len(perLevel)-1)
		perLevel[d]++
		deepest = max(deepest, d)
	}
	total := perLevel[0]
	for depth < deepest && total+perLevel[depth+1] <= treeLines {
		depth++
		total += perLevel[depth]
	}
	below := map[string]int{}
	for _, e := range entries {
		if e.Depth()-base > depth && !e.Dir {
			below[ancestor(e.Path, base+depth+1)]++
		}
	}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, comparePaths)
	var b strings.Builder
	n := 0
	for _, e := range entries {
		d := e.Depth() - base
		if d > depth {
			continue
		}
		if n++; n > 2*treeLines {
			fmt.Fprintf(&b, "… %d more\n", total-n+1)
			break
		}
		name := path.Base(e.Path)
		switch {
		case e.Dir:
			name += "/"
			if k := below[e.Path]; k > 0 {
				name += fmt.Sprintf("  (%s)", count(k, "file", "files"))
			}
		case e.Link:
			name += " (link)"
		}
		b.WriteString(strings.Repeat("  ", d) + name + "\n")
	}
	return b.String(), depth, depth < deepest
}

// comparePaths orders depth first, folders before files, then by name.
func comparePaths(x, y folder.Entry) int {
	xs, ys := strings.Split(x.Path, "/"), strings.Split(y.Path, "/")
	for i := 0; i < len(xs) && i < len(ys); i++ {
		xdir, ydir := i < len(xs)-1 || x.Dir, i < len(ys)-1 || y.Dir
		if xs[i] != ys[i] {
			if xdir != ydir {
				return b2i(ydir) - b2i(xdir)
			}
			return strings.Compare(xs[i], ys[i])
		}
	}
	return len(xs) - len(ys)
}

func ancestor(p string, parts int) string {
	return strings.Join(strings.Split(p, "/")[:parts], "/")
}
