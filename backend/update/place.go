package update

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// How a Weft was installed.
const (
	HowArchive = "archive" // by install.sh, into a folder of the user: it replaces itself
	HowDeb     = "deb"
	HowRPM     = "rpm"
	HowArch    = "archlinux"
	HowAlpine  = "apk"
	HowOther   = "other" // built from source, or unpacked somewhere
)

const (
	// lib is the folder of the programs below the prefix, list the file there that names what install.sh has put below the prefix, and
	// marker the one that names the format of the package.
	lib    = "lib/weft"
	list   = lib + "/installed-files"
	marker = "package"
	folder = "update" // in lib
)

// Place is where a Weft is installed.
type Place struct {
	How    string
	Prefix string // for HowArchive: the folder that has bin, lib and share
	// Command runs in a terminal to update a package; FILE stands for the downloaded file. It is "" for the others.
	Command string

	mu      sync.Mutex // held while Stage and Seen change the state
	staging bool       // a version is downloaded: its files stay, whatever else there is to know
}

// Find returns where the program at path is installed.
func Find(path string) *Place {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if text, err := os.ReadFile(filepath.Join(dir, marker)); err == nil {
		return ofPackage(strings.TrimSpace(string(text)))
	}
	prefix := filepath.Dir(filepath.Dir(dir))
	names, err := readList(prefix)
	if err != nil || filepath.Join(prefix, filepath.FromSlash(lib)) != dir || runtime.GOOS != "linux" {
		return &Place{How: HowOther}
	}
	for _, name := range names {
		if filepath.Join(prefix, filepath.FromSlash(name)) == path {
			return &Place{How: HowArchive, Prefix: prefix}
		}
	}
	return &Place{How: HowOther}
}

func ofPackage(format string) *Place {
	p := &Place{How: format}
	switch format {
	case HowDeb:
		p.Command = "sudo apt install ./FILE"
	case HowRPM:
		p.Command = "sudo dnf install ./FILE"
		if _, err := os.Stat("/usr/bin/zypper"); err == nil {
			p.Command = "sudo zypper install ./FILE"
		}
	case HowArch:
		p.Command = "sudo pacman -U FILE"
	case HowAlpine:
		p.Command = "sudo apk add --allow-untrusted ./FILE"
	default:
		p.How = HowOther
	}
	return p
}

// Replaces reports whether Weft can replace itself there.
func (p *Place) Replaces() bool { return p.How == HowArchive }

// File returns the file of a manifest that is for this place.
func (p *Place) File(m *Manifest) (f File, ok bool) {
	kind := map[string]string{HowArchive: KindArchive, HowDeb: KindDeb, HowRPM: KindRPM, HowArch: KindArch, HowAlpine: KindAlpine, HowOther: KindArchive}[p.How]
	return m.File(runtime.GOOS, runtime.GOARCH, kind)
}

// CommandFor returns the command that installs a file, "" if there is none.
func (p *Place) CommandFor(f File) string { return strings.ReplaceAll(p.Command, "FILE", f.Name) }

// at returns the path of a file in the place, named as in the list.
func (p *Place) at(name string) string { return filepath.Join(p.Prefix, filepath.FromSlash(name)) }

// dir returns the folder of an update, or something in it.
func (p *Place) dir(parts ...string) string {
	return filepath.Join(append([]string{p.at(lib), folder}, parts...)...)
}

// readList returns the files that install.sh has put below a prefix. Lines that lead out of it are left out.
func readList(prefix string) (names []string, err error) {
	raw, err := os.ReadFile(filepath.Join(prefix, filepath.FromSlash(list)))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		if name := strings.TrimRight(line, "\r\n"); allowedName(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// allowedName reports whether name is a path below a prefix that a Weft may have files at.
func allowedName(name string) bool {
	top, rest, ok := strings.Cut(name, "/")
	return ok && rest != "" && (top == "bin" || top == "lib" || top == "share") && filepath.IsLocal(name) &&
		filepath.ToSlash(filepath.Clean(name)) == name && !strings.ContainsAny(name, "\\\x00\n\r") &&
		name != list && name != lib+"/"+folder && !strings.HasPrefix(name, lib+"/"+folder+"/")
}
