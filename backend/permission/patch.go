package permission

import (
	"slices"
	"strings"

	"weft/backend/base/patch"

	"weft/backend/permission/files"
)

// patchKind returns what a patch does: "delete" if it only deletes files, otherwise "edit".
func patchKind(s string) string {
	if patch.Deletes(s) {
		return "delete"
	}
	return "edit"
}

// isPatch reports whether a text is a patch, or an agent may treat it as one.
func isPatch(s string) bool { return patch.Names(s) != nil }

// newDisk returns the folder and the files against which the file names of the call's patch are resolved.
func newDisk(c *Call, f files.Folder) *patch.Disk {
	d := &patch.Disk{Folder: f.Named, Exists: f.HasEntry}
	for _, p := range slices.Concat(c.Paths, c.Diffs) {
		d.Named = append(d.Named, f.Full(p))
	}
	return d
}

// patched returns the files that a patch names, or nil if s isn't a patch. If a name may stand for two files, both are
// returned.
func (in *input) patched(s string) (paths []string) {
	names := patch.Names(s)
	if len(names) == 0 {
		return nil
	}
	named := len(in.disk.Named)
	for _, p := range in.paths[:min(len(in.paths), files.Max)] {
		in.disk.Named = append(in.disk.Named, in.folder.Full(p))
	}
	defer func() { in.disk.Named = in.disk.Named[:named] }()
	for i, n := range names {
		if i >= files.Max { // above the limit of files that are checked
			paths = append(paths, n.Path)
			continue
		}
		at := in.disk.Locate(n.Path, n.Prefixed)
		paths = append(paths, at)
		if n.Prefixed && at == n.Path {
			if other := in.disk.Doubted(n.Path); other != "" {
				paths = append(paths, other)
			}
		}
	}
	return paths
}

// shown is the text that the diffs of a call show.
type shown struct {
	texts []string
	lines map[string]bool // lines of texts; built when a patch is looked up
	left  int             // bytes that may still be searched
}

// maxSearched limits how much of the diffs is searched for the texts of a call's arguments, in bytes.
const maxSearched = 8 << 20

func newShown(texts []string) shown { return shown{texts: texts, left: maxSearched} }

// has reports whether the diffs show a text: one of their sides contains it, or it is a patch and every line that it
// adds or removes is in them.
func (d *shown) has(s string) bool {
	if s == "" {
		return true
	}
	for _, t := range d.texts {
		if d.left -= len(t) + len(s); d.left < 0 {
			return false
		}
		if strings.Contains(t, s) {
			return true
		}
	}
	return len(d.texts) > 0 && isPatch(s) && d.hasPatch(s)
}

// headerLine reports whether a line of a patch is metadata about a file.
func headerLine(line string) bool {
	return slices.ContainsFunc([]string{"index ", "similarity index ", "rename from ", "rename to ", "new file mode ", "create file mode ", "deleted file mode "}, func(begin string) bool {
		return strings.HasPrefix(line, begin)
	})
}

func (d *shown) hasPatch(s string) bool {
	if d.lines == nil {
		d.lines = map[string]bool{}
		for _, t := range d.texts {
			for line := range strings.Lines(t) {
				d.lines[strings.TrimRight(line, "\r\n")] = true
			}
		}
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "", headerLine(line), strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "),
			strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "Index: "), strings.Trim(line, "=") == "", strings.HasPrefix(line, `\ No newline`):
		case line[0] == ' ': // unchanged
		case strings.IndexByte("+-", line[0]) < 0, !d.lines[line[1:]]:
			return false
		}
	}
	return true
}
