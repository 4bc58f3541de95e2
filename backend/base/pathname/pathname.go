// Package pathname reads the paths of files that agents name, as the system does on which they are used. Windows has
// more forms of them than [filepath.IsAbs] tells apart, and takes several names for the same file.
package pathname

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// From returns the absolute path that a path means which is given from dir, an absolute folder. It isn't cleaned, and
// links are not followed. It is not ok for what is no file, or can't be said for certain: then full is the file that it
// is about at best. That happens on Windows only.
func From(dir, path string) (full string, ok bool) {
	if runtime.GOOS == "windows" {
		return onWindows(dir, path)
	}
	if filepath.IsAbs(path) {
		return path, true
	}
	return dir + string(filepath.Separator) + path, true
}

// OfAddress returns the path in a file:// address, without its beginning: on Windows /C:/a is C:/a.
func OfAddress(path string) string {
	if runtime.GOOS == "windows" {
		return ofAddressOnWindows(path)
	}
	return path
}

func ofAddressOnWindows(path string) string {
	if rest, ok := strings.CutPrefix(path, "/"); ok && hasDrive(rest) {
		return rest
	}
	return path
}

// onWindows is From for Windows, wherever it runs.
func onWindows(dir, path string) (full string, ok bool) {
	path = strings.ReplaceAll(path, "/", `\`)
	verbatim := false
	for _, prefix := range []string{`\\?\`, `\??\`} { // taken as it is by Windows: without "..", and dots at the end belong to a name
		if rest, found := strings.CutPrefix(path, prefix); found {
			path, verbatim = rest, true
			if server, found := cutFold(path, `UNC\`); found {
				path = `\\` + server
			} else if !hasDrive(path) {
				return prefix + path, false // a volume by its number, a device
			}
			break
		}
	}
	var volume string
	ok = true
	switch {
	case strings.HasPrefix(path, `\\.\`):
		return path, false // a device
	case strings.HasPrefix(path, `\\`):
		parts := strings.SplitN(path[2:], `\`, 3)
		if len(parts) < 2 || !plainName(parts[0]) || !plainName(parts[1]) {
			return path, false
		}
		volume = `\\` + parts[0] + `\` + parts[1]
	case hasDrive(path):
		volume = path[:2]
		// C:a is from where a program is on that drive just now.
		ok = len(path) == 2 || path[2] == '\\'
	case strings.HasPrefix(path, `\`):
		volume = volumeOf(dir)
		path = volume + path
	default:
		rest, plain := names(path, verbatim)
		return dir + `\` + rest, plain
	}
	rest, plain := names(path[len(volume):], verbatim)
	if rest == "" || !strings.HasPrefix(rest, `\`) {
		rest = `\` + rest
	}
	return volume + rest, ok && plain
}

// names returns what Windows makes of the names of a path: it leaves out dots and spaces at their ends, and what is
// behind a colon is a stream of the file. It is not ok if one is a device, has a stream, or can't be the name of a
// file.
func names(path string, verbatim bool) (plain string, ok bool) {
	ok = true
	parts := strings.Split(path, `\`)
	if last := len(parts) - 1; last > 0 && !verbatim && len(parts[last]) > 2 && strings.Trim(parts[last], ".") == "" {
		parts[last] = "" // Windows takes src\... for src, as Go does for all that is below it
	}
	for i, name := range parts {
		if name == "" || (name == "." || name == "..") && !verbatim {
			continue
		}
		if file, _, found := strings.Cut(name, ":"); found {
			name, ok = file, false
		}
		if short := strings.TrimRight(name, ". "); short != name {
			ok = ok && !verbatim && short != "" // ... is no name of a file, and not the folder above
			if short != "" {
				name = short
			}
		}
		if device(name) || strings.ContainsAny(name, "<>\"|?*\x00") || strings.IndexFunc(name, func(c rune) bool { return c < ' ' }) >= 0 {
			ok = false
		}
		parts[i] = name
	}
	return strings.Join(parts, `\`), ok
}

// plainName reports whether a name can be that of a server, or of a share of one.
func plainName(name string) bool {
	return strings.TrimRight(name, ". ") == name && name != "" && !device(name) && !strings.ContainsAny(name, ":<>\"|?*\x00")
}

// device reports whether a name is a device in every folder, whatever is behind a dot in it.
func device(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, kind := range []string{"COM", "LPT"} {
		if number, found := strings.CutPrefix(name, kind); found {
			return slices.Contains(strings.Split("0123456789¹²³", ""), number)
		}
	}
	return false
}

func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && ('a' <= path[0] && path[0] <= 'z' || 'A' <= path[0] && path[0] <= 'Z')
}

// volumeOf returns the drive, or the server and its share, of an absolute path.
func volumeOf(dir string) string {
	dir = strings.ReplaceAll(dir, "/", `\`)
	if hasDrive(dir) {
		return dir[:2]
	}
	if rest, ok := strings.CutPrefix(dir, `\\`); ok {
		if parts := strings.SplitN(rest, `\`, 3); len(parts) >= 2 {
			return `\\` + parts[0] + `\` + parts[1]
		}
	}
	return ""
}

func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
