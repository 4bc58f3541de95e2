package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"weft/backend/base/fault"
)

// binary downloads the archive, verifies its checksum and unpacks it.
func (w *work) binary(ctx context.Context, r *Record) error {
	if w.target.SHA256 == "" {
		if err := w.askDownload(ctx); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(w.folder, "download"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	sum, n, err := w.download(ctx, file)
	if err != nil {
		return err
	}
	if w.target.SHA256 != "" && w.target.SHA256 != sum {
		return w.mismatch(file, sum)
	}
	if w.target.SHA256 == "" && !w.answers.downloaded(sum) {
		return errors.Join(w.mismatch(file, sum), w.answers.forget())
	}
	r.Origin, r.SHA256, r.Vouched, r.Bytes = w.target.Origin(), sum, w.target.SHA256 != "", n
	if err := w.unpack(ctx, file, n); err != nil {
		return err
	}
	r.Program = path.Join(filesName, w.target.Cmd)
	if err := w.runnable(); err != nil {
		return err
	}
	_ = file.Close()
	return os.Remove(file.Name())
}

func (w *work) mismatch(file *os.File, sum string) error {
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0)
	if webPage(head[:n]) {
		return notAnArchive(head[:n])
	}
	if w.target.SHA256 == "" {
		return fault.New(CodeChecksum, "The download has changed since you confirmed it, so it wasn't installed. If you install it again, Weft asks again.").With(fmt.Sprintf("SHA-256 that you confirmed: %s\nSHA-256 of the download:    %s", w.answers.SHA256, sum))
	}
	return fault.New(CodeChecksum, "The download doesn't match the registry, so it wasn't installed. Refresh the registry and try again. If it happens again, tell the agent's authors.").With(fmt.Sprintf("SHA-256 in the registry:  %s\nSHA-256 of the download: %s", w.target.SHA256, sum))
}

// unpack writes the content of the archive, or the program itself, to the folder for files.
func (w *work) unpack(ctx context.Context, file *os.File, n int64) error {
	root, err := os.OpenRoot(w.files())
	if err != nil {
		return err
	}
	defer root.Close()
	b := newBox(ctx, root, w.in.opt.Limits, n, func(done int64) {
		w.progress(Progress{Step: StepUnpack, Done: done})
	})
	head := make([]byte, 512)
	k, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:k]
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	switch form := sniff(head); form {
	case formZip:
		err = b.unzip(file, n)
	case formProgram:
		err = b.file(w.target.Cmd, file, true)
	case formNone:
		return notAnArchive(head)
	default:
		err = b.untar(form, file)
	}
	if err == nil {
		err = b.finish()
	}
	var own *Error
	if err != nil && ctx.Err() == nil && !errors.As(err, &own) && !b.disk {
		err = fault.New(CodeArchive, "The archive is damaged. Try again; if it happens again, tell the agent's authors.").With(err.Error()).Because(err)
	}
	return err
}

func notAnArchive(head []byte) error {
	if webPage(head) {
		return fault.New(CodeArchive, "The server sent a page instead of the program. The registry may be out of date. Refresh it, or try again later.")
	}
	return fault.New(CodeArchive, "The download is neither an archive that Weft can unpack nor a program.")
}

// runnable makes sure that the program exists and is executable.
func (w *work) runnable() error {
	root, err := os.OpenRoot(w.files())
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(w.target.Cmd)
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return fault.New(CodeNoProgram, "The archive has no {{cmd}}, which the registry names as the program to start. Tell the agent's authors.", strconv.Quote(w.target.Cmd)).Because(err)
	}
	return root.Chmod(name, 0o755)
}
