package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mounted is a mount.
type mounted struct {
	device string // id of the file system
	root   string // mounted part of the file system
	point  string
	kind   string
}

// mountTable are the mounts of this process. Later mounts cover earlier ones.
type mountTable []mounted

var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// readMounts returns the mounts of this process, or none if they can't be read.
func readMounts() (t mountTable) {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if len(fields) < 5 {
			continue
		}
		kind, _, _ := strings.Cut(after, " ")
		t = append(t, mounted{device: fields[2], root: unescape.Replace(fields[3]), point: unescape.Replace(fields[4]), kind: kind})
	}
	return t
}

// processes returns the mounts of proc other than /proc. They would make the whole machine accessible.
func (t mountTable) processes() (list []string) {
	for _, m := range t {
		if m.kind == "proc" && m.point != "/proc" {
			list = append(list, m.point)
		}
	}
	return list
}

// aliases returns the other paths of a path and of everything below it, for parts of its file system that are mounted
// more than once. path must not contain symbolic links.
func (t mountTable) aliases(path string) (others []string) {
	for _, from := range append(t.below(path), path) {
		on := t.on(from)
		if on == nil {
			continue
		}
		rest, err := filepath.Rel(on.point, from)
		if err != nil {
			continue
		}
		inside := filepath.Join(on.root, rest)
		for _, m := range t {
			if m.device != on.device {
				continue
			}
			if rest, err := filepath.Rel(m.root, inside); err == nil && filepath.IsLocal(rest) {
				others = append(others, also(filepath.Join(m.point, rest), from)...)
			} else if rest, err := filepath.Rel(inside, m.root); err == nil && filepath.IsLocal(rest) {
				others = append(others, also(m.point, filepath.Join(from, rest))...)
			}
		}
	}
	others = slices.DeleteFunc(others, func(other string) bool { return within(path, other) })
	slices.Sort(others)
	return slices.Compact(others)
}

// also returns path if it is the same file as other.
func also(path, other string) []string {
	a, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if b, err := os.Stat(other); err != nil || !os.SameFile(a, b) {
		return nil
	}
	return []string{path}
}

// on returns the mount that contains a path, or nil.
func (t mountTable) on(path string) (on *mounted) {
	for i := range t {
		if within(t[i].point, path) && (on == nil || len(t[i].point) >= len(on.point)) {
			on = &t[i]
		}
	}
	return on
}

// below returns the mount points below a path.
func (t mountTable) below(path string) (list []string) {
	for _, m := range t {
		if m.point != path && within(path, m.point) {
			list = append(list, m.point)
		}
	}
	return list
}
