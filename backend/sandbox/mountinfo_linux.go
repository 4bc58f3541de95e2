package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mounted is a file system, or a part of one, and where it is.
type mounted struct {
	device string // of the file system
	root   string // of the part, in it
	point  string
	kind   string
}

// mountTable are the mounts of this process; later ones lie over earlier ones.
type mountTable []mounted

var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// readMounts reads the mounts of this process, as far as it can.
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

// processes returns where processes can be seen but in /proc: through them, the whole machine could be.
func (t mountTable) processes() (list []string) {
	for _, m := range t {
		if m.kind == "proc" && m.point != "/proc" {
			list = append(list, m.point)
		}
	}
	return list
}

// aliases returns the other paths of what is at a path and below it, where a part of its file system is mounted more than once. Path is without links.
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

// also returns a path if it is the same file as another one.
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

// on returns the mount that a path is on, nil if that isn't known.
func (t mountTable) on(path string) (on *mounted) {
	for i := range t {
		if within(t[i].point, path) && (on == nil || len(t[i].point) >= len(on.point)) {
			on = &t[i]
		}
	}
	return on
}

// below returns where something is mounted below a path.
func (t mountTable) below(path string) (list []string) {
	for _, m := range t {
		if m.point != path && within(path, m.point) {
			list = append(list, m.point)
		}
	}
	return list
}
