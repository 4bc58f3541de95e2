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
	HowSetup   = "setup"   // by the installer for Windows: it replaces itself
	HowDeb     = "deb"
	HowRPM     = "rpm"
	HowArch    = "archlinux"
	HowAlpine  = "apk"
	HowOther   = "other" // built from source, or unpacked somewhere
)

// marker is the file beside the programs that names the format of the package.
const marker = "package"

// Place is where a Weft is installed.
type Place struct {
	How string
	site
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
	p := newPlace(HowArchive, filepath.Dir(filepath.Dir(dir)))
	if runtime.GOOS == "windows" {
		p = newPlace(HowSetup, dir)
	}
	names, err := p.readList()
	if err != nil || p.at(p.layout.lib) != dir || runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		return &Place{How: HowOther}
	}
	for _, name := range names {
		if at := p.at(name); at == path || runtime.GOOS == "windows" && strings.EqualFold(at, path) {
			return p
		}
	}
	return &Place{How: HowOther}
}

// newPlace is a place that replaces itself.
func newPlace(how, prefix string) *Place {
	l := tree
	if how == HowSetup {
		l = single
	}
	return &Place{How: how, site: site{Prefix: prefix, layout: l, disk: newDisk()}}
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
func (p *Place) Replaces() bool { return p.How == HowArchive || p.How == HowSetup }

// File returns the file of a manifest that is for this place.
func (p *Place) File(m *Manifest) (f File, ok bool) {
	kind := map[string]string{HowDeb: KindDeb, HowRPM: KindRPM, HowArch: KindArch, HowAlpine: KindAlpine}[p.How]
	switch {
	case p.Replaces():
		kind = p.layout.kind
	case p.How == HowOther:
		return m.forOther(runtime.GOOS, runtime.GOARCH)
	}
	return m.File(runtime.GOOS, runtime.GOARCH, kind)
}

// CommandFor returns the command that installs a file, "" if there is none.
func (p *Place) CommandFor(f File) string { return strings.ReplaceAll(p.Command, "FILE", f.Name) }
