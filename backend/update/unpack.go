package update

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/fault"
)

// The bounds of an archive.
const (
	maxEntries  = 5000
	maxUnpacked = 2 << 30
)

// Entry is a file of a version.
type Entry struct {
	Name   string `json:"name"` // below the prefix, with slashes
	Link   string `json:"link,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

func badArchive(err error, template fault.Template, values ...any) error {
	return fail(codeArchive, err, "Weft can't use the downloaded update: {{why}}. Nothing was installed. Try again later, or download Weft from its web page.", fault.Say(template, values...))
}

// unpack writes what is in bin, lib and share of an archive below to, which is an empty folder, and returns the files, sorted by name. All
// entries are below one folder. Others than these three folders are left out.
func unpack(archive io.Reader, to string) (entries []Entry, err error) {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return nil, badArchive(err, "it isn't an archive")
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	seen := map[string]bool{}
	r := tar.NewReader(plain)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, badArchive(err, "it is damaged")
		}
		if len(seen) >= maxEntries {
			return nil, badArchive(nil, "it has too many files")
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || name == "install.sh" || name == "COPYRIGHT" {
			continue
		}
		if !allowedName(name) || seen[name] {
			return nil, badArchive(nil, "it has a file at a place that isn't allowed ({{name}})", strconv.Quote(h.Name))
		}
		seen[name] = true
		e := Entry{Name: name}
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
			return nil, err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			if left -= h.Size; left < 0 {
				return nil, badArchive(nil, "it is too large")
			}
			if err := unpackFile(root, filepath.FromSlash(name), h.FileInfo().Mode()&0o111 != 0, r); err != nil {
				return nil, err
			}
			if e.SHA256, err = sumOf(filepath.Join(to, filepath.FromSlash(name))); err != nil {
				return nil, err
			}
		case tar.TypeSymlink:
			if e.Link = h.Linkname; !linksInside(name, h.Linkname) {
				return nil, badArchive(nil, "a link in it leads out of it ({{name}})", strconv.Quote(h.Name))
			}
			if err := root.Symlink(filepath.FromSlash(h.Linkname), filepath.FromSlash(name)); err != nil {
				return nil, err
			}
		default:
			return nil, badArchive(nil, "{{name}} is neither a file nor a link", strconv.Quote(h.Name))
		}
		entries = append(entries, e)
	}
	if !seen[program] {
		return nil, badArchive(nil, "the program is missing in it")
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

// linksInside reports whether a link of an archive leads to a place where a file of an archive may be.
func linksInside(name, target string) bool {
	return target != "" && !strings.HasPrefix(target, "/") && !strings.ContainsAny(target, "\\\x00\n\r") &&
		allowedName(filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target))))
}

func unpackFile(root *os.Root, path string, runs bool, from io.Reader) error {
	mode := os.FileMode(0o644)
	if runs {
		mode = 0o755
	}
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = badArchive(err, "it is damaged")
	}
	return errors.Join(err, f.Sync(), f.Close())
}
