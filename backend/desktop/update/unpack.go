package update

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
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

// unpacker writes the files of an archive into a folder.
type unpacker struct {
	layout  layout
	root    *os.Root
	to      string
	left    int64 // bytes
	seen    map[string]bool
	entries []Entry
}

// unpack writes what is at allowed places of an archive of a version into the folder "new", which is empty, and returns
// the files, sorted by name. All entries are below one folder. Others than those of Weft are left out.
func (s *site) unpack(ctx context.Context, archive *os.File, size int64) (entries []Entry, err error) {
	to := s.dir("new")
	root, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	u := &unpacker{layout: s.layout, root: root, to: to, left: maxUnpacked, seen: map[string]bool{}}
	if u.layout.kind == KindZip {
		err = u.unzip(ctx, archive, size)
	} else if _, err = archive.Seek(0, io.SeekStart); err == nil {
		err = u.untar(atomicfile.Until(ctx, archive))
	}
	if err != nil {
		return nil, err
	}
	if !u.seen[u.layout.program] {
		return nil, badArchive(nil, "the program is missing in it")
	}
	slices.SortFunc(u.entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return u.entries, nil
}

func (u *unpacker) untar(archive io.Reader) error {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return badArchive(err, "it isn't an archive")
	}
	r := tar.NewReader(plain)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return badArchive(err, "it is damaged")
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || name == "install.sh" || name == "COPYRIGHT" {
			continue
		}
		if err := u.begin(h.Name, name); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			err = u.file(name, h.FileInfo().Mode()&0o111 != 0, h.Size, r)
		case tar.TypeSymlink:
			err = u.link(h.Name, name, h.Linkname)
		default:
			err = badArchive(nil, "{{name}} is neither a file nor a link", strconv.Quote(h.Name))
		}
		if err != nil {
			return err
		}
	}
}

func (u *unpacker) unzip(ctx context.Context, archive io.ReaderAt, size int64) error {
	r, err := zip.NewReader(archive, size)
	if err != nil {
		return badArchive(err, "it isn't an archive")
	}
	for _, f := range r.File {
		_, name, _ := strings.Cut(f.Name, "/")
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := u.begin(f.Name, name); err != nil {
			return err
		}
		if !f.Mode().IsRegular() {
			return badArchive(nil, "{{name}} is neither a file nor a link", strconv.Quote(f.Name))
		}
		if f.UncompressedSize64 > maxUnpacked {
			return badArchive(nil, "it is too large")
		}
		from, err := f.Open()
		if err != nil {
			return badArchive(err, "it is damaged")
		}
		err = u.file(name, true, int64(f.UncompressedSize64), atomicfile.Until(ctx, from))
		_ = from.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// begin makes place for a file that an archive calls full.
func (u *unpacker) begin(full, name string) error {
	key := u.layout.key(name)
	if len(u.seen) >= maxEntries {
		return badArchive(nil, "it has too many files")
	}
	if !u.layout.allows(name) || u.seen[key] {
		return badArchive(nil, "it has a file at a place that isn't allowed ({{name}})", strconv.Quote(full))
	}
	u.seen[key] = true
	return u.root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755)
}

func (u *unpacker) file(name string, runs bool, size int64, from io.Reader) error {
	if u.left -= size; u.left < 0 {
		return badArchive(nil, "it is too large")
	}
	mode := os.FileMode(0o644)
	if runs {
		mode = 0o755
	}
	f, err := u.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, size+1))
	var broken flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrChecksum), errors.As(err, &broken), err == nil && n != size:
		err = badArchive(err, "it is damaged")
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	sum, err := sumOf(filepath.Join(u.to, filepath.FromSlash(name)))
	u.entries = append(u.entries, Entry{Name: name, SHA256: sum})
	return err
}

func (u *unpacker) link(full, name, target string) error {
	if !u.linksInside(name, target) {
		return badArchive(nil, "a link in it leads out of it ({{name}})", strconv.Quote(full))
	}
	u.entries = append(u.entries, Entry{Name: name, Link: target})
	return u.root.Symlink(filepath.FromSlash(target), filepath.FromSlash(name))
}

// linksInside reports whether a link of an archive leads to a place where a file of an archive may be.
func (u *unpacker) linksInside(name, target string) bool {
	return target != "" && !strings.HasPrefix(target, "/") && !strings.ContainsAny(target, "\\\x00\n\r") &&
		u.layout.allows(filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target))))
}
