package install

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/base/fault"
)

// The limits of a name in an archive, in bytes and levels.
const (
	maxPath  = 1024
	maxPart  = 255
	maxDepth = 64
)

// box is the folder that an archive is unpacked into. All access goes through an os.Root, so nothing can be written
// outside, whatever the names are. An archive with a name that tries to is still rejected as a whole. Links are created
// last, so no file is ever written through one.
type box struct {
	ctx    context.Context //nolint:containedctx // of the one install that it lives for
	root   *os.Root
	limits Limits
	budget int64 // bytes that may be written
	done   int64
	count  int
	links  []link
	told   func(done int64)
	disk   bool // the last error came from the disk, not the archive
}

type link struct{ name, target string }

func newBox(ctx context.Context, root *os.Root, limits Limits, archive int64, told func(int64)) *box {
	return &box{ctx: ctx, root: root, limits: limits, told: told, budget: min(limits.Unpacked, archive*limits.Ratio+64<<20)}
}

func refused(name string, why fault.Template) error {
	return fault.New(CodeArchive, "The archive wasn't unpacked: {{name}} in it {{why}}.", strconv.Quote(clip(name)), fault.Say(why))
}

func clip(name string) string {
	if len(name) > 120 {
		return strings.ToValidUTF8(name[:120], "") + "…"
	}
	return name
}

// clean checks a name and returns it in the system's format; "" is the folder itself.
func (b *box) clean(name string) (string, error) {
	b.count++
	odd := func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == utf8.RuneError }
	switch {
	case b.count > b.limits.Files:
		return "", fault.New(CodeArchive, "The archive has more than {{max}} files. Weft doesn't unpack that.", b.limits.Files)
	case len(name) > maxPath:
		return "", refused(name, "has too long a name")
	case path.IsAbs(name) || filepath.VolumeName(name) != "" || len(name) > 1 && name[1] == ':':
		return "", refused(name, "has an absolute path")
	case strings.ContainsFunc(name, odd):
		return "", refused(name, "has a name with invalid characters")
	}
	parts := strings.Split(name, "/")
	kept := parts[:0]
	for _, part := range parts {
		switch {
		case part == "..":
			return "", refused(name, "has a path outside the archive")
		case len(part) > maxPart || len(kept) > maxDepth:
			return "", refused(name, "has too long a name")
		case part != "" && part != ".":
			kept = append(kept, part)
		}
	}
	clean := filepath.FromSlash(strings.Join(kept, "/"))
	if clean != "" && !filepath.IsLocal(clean) { // device names on Windows
		return "", refused(name, "has a name that this system can't have")
	}
	return clean, b.ctx.Err()
}

func (b *box) dir(name string) error {
	clean, err := b.clean(name)
	if err != nil || clean == "" {
		return err
	}
	return b.wrote(name, b.root.MkdirAll(clean, 0o755))
}

// file writes a new file. An archive that contains a name twice is rejected.
func (b *box) file(name string, r io.Reader, program bool) error {
	clean, err := b.clean(name)
	if err != nil {
		return err
	}
	if clean == "" {
		return refused(name, "has no name")
	}
	if err := b.wrote(name, b.root.MkdirAll(filepath.Dir(clean), 0o755)); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if program {
		mode = 0o755
	}
	f, err := b.root.OpenFile(clean, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return b.wrote(name, err)
	}
	_, err = io.Copy(&meter{b: b, f: f}, r)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		b.disk, err = true, closeErr
	}
	return err
}

// wrote distinguishes errors of the disk from those of the archive.
func (b *box) wrote(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist) || isNotDir(err):
		return refused(name, "is listed twice")
	}
	b.disk = true
	return err
}

// link records a symbolic link, which is created at the end.
func (b *box) link(name, target string) error {
	clean, err := b.clean(name)
	if err != nil {
		return err
	}
	inside := path.Join(path.Dir(filepath.ToSlash(clean)), target)
	switch {
	case clean == "" || target == "" || len(target) > maxPath || strings.ContainsFunc(target, unicode.IsControl):
		return refused(name, "is a broken link")
	case path.IsAbs(target) || strings.ContainsAny(target, `\:`) || !filepath.IsLocal(filepath.FromSlash(inside)):
		return refused(name, "is a link to a path outside the archive")
	case runtime.GOOS == "windows":
		return refused(name, "is a link, which can't be created here")
	}
	b.links = append(b.links, link{clean, target})
	return nil
}

// same creates a hard link to an earlier file of the archive.
func (b *box) same(name, target string) error {
	clean, err := b.clean(name)
	if err != nil {
		return err
	}
	from, err := b.clean(target)
	if err != nil {
		return err
	}
	info, err := b.root.Lstat(from)
	if clean == "" || err != nil || !info.Mode().IsRegular() {
		return refused(name, "is a hard link to a file that doesn't exist")
	}
	if err := b.wrote(name, b.root.MkdirAll(filepath.Dir(clean), 0o755)); err != nil {
		return err
	}
	return b.wrote(name, b.root.Link(from, clean))
}

// finish creates the links and then follows each, because a combination of links may lead outside where a single one
// doesn't.
func (b *box) finish() error {
	for _, l := range b.links {
		if err := b.wrote(l.name, b.root.MkdirAll(filepath.Dir(l.name), 0o755)); err != nil {
			return err
		}
		if err := b.wrote(l.name, b.root.Symlink(l.target, l.name)); err != nil {
			return err
		}
	}
	for _, l := range b.links {
		if _, err := b.root.Stat(l.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refused(l.name, "is a link to a path outside the archive")
		}
	}
	return nil
}

// meter counts the bytes written.
type meter struct {
	b *box
	f *os.File
}

func (m *meter) Write(p []byte) (int, error) {
	b := m.b
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.done+int64(len(p)) > b.budget {
		return 0, fault.New(CodeArchive, "The archive holds more than {{max}} MB, far more than its size suggests. Weft doesn't unpack that.", b.budget>>20)
	}
	n, err := m.f.Write(p)
	b.done += int64(n)
	if err != nil {
		b.disk = true
	}
	b.told(b.done)
	return n, err
}
