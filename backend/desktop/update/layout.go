package update

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// layout is where the files of a Weft are below its prefix. All names have slashes.
type layout struct {
	lib     string // the folder of the programs, "" where it is the prefix
	program string // Weft itself
	kind    string // the kind of the archive with all files
	allows  func(name string) bool
}

var (
	// tree is the layout of install.sh.
	tree = layout{lib: treeLib, program: treeLib + "/weft", kind: KindArchive, allows: allowedInTree}
	// single is the layout of the installer for Windows: a folder of its own.
	single = layout{lib: "", program: "weft.exe", kind: KindZip, allows: allowedInSingle}
)

const (
	// listName is the file beside the programs that names what the installer has put below the prefix.
	listName = "installed-files"
	folder   = "update" // of an update, beside the programs
	treeLib  = "lib/weft"
)

func (l layout) list() string { return path.Join(l.lib, listName) }

func (l layout) folder() string { return path.Join(l.lib, folder) }

// key is the same for two names of the same file. Windows doesn't tell capital letters from small ones.
func (l layout) key(name string) string {
	if l.kind == KindZip {
		return strings.ToLower(name)
	}
	return name
}

// without returns those of names whose files aren't among those of others.
func (l layout) without(names, others []string) []string {
	there := map[string]bool{}
	for _, name := range others {
		there[l.key(name)] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return there[l.key(name)] })
}

// allowedInTree reports whether name is a path that a Weft of install.sh may have a file at.
func allowedInTree(name string) bool {
	top, rest, ok := strings.Cut(name, "/")
	return ok && rest != "" && (top == "bin" || top == "lib" || top == "share") && filepath.IsLocal(name) &&
		filepath.ToSlash(filepath.Clean(name)) == name && !strings.ContainsAny(name, "\\\x00\n\r") &&
		name != treeLib+"/"+listName && name != treeLib+"/"+folder && !strings.HasPrefix(name, treeLib+"/"+folder+"/")
}

// plainName leaves out what Windows takes for another name: dots and spaces at the end, streams, devices with an
// ending.
var plainName = lazyregexp.New(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// allowedInSingle reports whether name is a path that a Weft of the installer for Windows may have a file at. That is
// beside no file which the installer or Weft keeps there, however it is written.
func allowedInSingle(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if !plainName.MatchString(part) {
			return false
		}
		base, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch base {
		case "con", "prn", "aux", "nul", "conin", "conout":
			return false
		}
		if len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) {
			return false
		}
	}
	switch top, _, _ := strings.Cut(strings.ToLower(name), "/"); top {
	case listName, folder, lockName, marker, "uninstall.exe":
		return false
	}
	return true
}
