package update

import (
	"os"
	"path/filepath"
	"strings"
)

// site is where the files of a Weft are that replaces itself.
type site struct {
	Prefix string // the folder with all of them
	layout layout
	disk   disk
}

// at returns the path of a file in the place, named as in the list.
func (s *site) at(name string) string { return filepath.Join(s.Prefix, filepath.FromSlash(name)) }

// dir returns the folder of an update, or something in it.
func (s *site) dir(parts ...string) string {
	return filepath.Join(append([]string{s.at(s.layout.folder())}, parts...)...)
}

// readList returns the files that were installed below the prefix. Lines that lead out of it are left out.
func (s *site) readList() (names []string, err error) {
	raw, err := os.ReadFile(s.at(s.layout.list()))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		if name := strings.TrimRight(line, "\r\n"); s.layout.allows(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// writeList says which files are installed, for the next update and for install.sh.
func (s *site) writeList(names []string) error {
	return write(s.dir(spare), s.at(s.layout.list()), []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

// removeEmpty removes the folders of a file that are empty now.
func (s *site) removeEmpty(name string) {
	for dir := filepath.Dir(filepath.FromSlash(name)); dir != "." && filepath.ToSlash(dir) != s.layout.lib; dir = filepath.Dir(dir) {
		if os.Remove(filepath.Join(s.Prefix, dir)) != nil {
			return
		}
	}
}
