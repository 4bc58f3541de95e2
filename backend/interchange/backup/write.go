package backup

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/flate"
	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
	"weft/backend/files/regular"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/store/db"
	"weft/backend/store/file"
)

// Source is what is backed up.
type Source struct {
	DataDir  string
	Settings string           // path of the settings file, which need not exist
	Redactor *secret.Redactor // knows values that the settings may have; may be nil
	Weft     string           // the version of Weft
	Now      func() time.Time
	// TakenBack is as [file.Options] has it. Such a database is first put back as a start of Weft does it.
	TakenBack time.Time
}

// Write backs up a data folder to the file at path, which must not exist. Weft may be running: the backup holds what
// was stored at one moment. It blocks for the whole backup and needs about twice the room of the database beside path
// meanwhile. Nothing is left of one that fails or whose context ends. Codes of errors: conflict, not_found, disk_full,
// damaged, locked, cancelled, io.
func Write(ctx context.Context, from Source, path string) (m Manifest, err error) {
	if _, err := os.Lstat(path); err == nil {
		return m, fault.New("conflict", "{{path}} exists already. Choose another name, or delete it first.", path)
	}
	work, err := os.MkdirTemp(filepath.Dir(path), ".weft-backup-")
	if err != nil {
		return m, disk(err, "Couldn't write to the folder {{path}}", filepath.Dir(path))
	}
	defer os.RemoveAll(work)
	m = Manifest{Format: format, Version: version, Weft: from.Weft, At: from.Now().UTC().Truncate(time.Second)}
	database := filepath.Join(work, databaseName)
	content, err := from.copy(ctx, database)
	if fault.CodeOf(err) == db.CodeNewerVersion && !from.TakenBack.IsZero() && from.takeBack(ctx) {
		content, err = from.copy(ctx, database)
	}
	if err != nil {
		return m, err
	}
	m.Database, m.Spaces, m.Messages = content.Version, content.Spaces, content.Messages
	reviews := filepath.Join(work, reviewsName)
	err = file.Copy(ctx, filepath.Join(from.DataDir, reviewsName), reviews)
	if err != nil && fault.CodeOf(err) != "not_found" {
		return m, err
	}
	plain := filepath.Join(work, settingsName)
	text, leftOut, err := plainSettings(from.Settings, from.Redactor)
	if err != nil {
		return m, err
	}
	if m.LeftOut = leftOut; text != nil {
		if err := os.WriteFile(plain, text, 0o600); err != nil {
			return m, disk(err, "Couldn't write to the folder {{path}}", filepath.Dir(path))
		}
	}
	err = atomicfile.Stream(path, 0o600, func(w io.Writer) error { //nolint:contextcheck // the context is that of the entries
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
		for _, source := range []string{database, reviews, plain} {
			if err := m.add(ctx, z, source); err != nil {
				return err
			}
		}
		out, err := z.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: m.At})
		if err != nil {
			return err
		}
		return errors.Join(json.MarshalWrite(out, m, jsontext.WithIndent("  ")), z.Close())
	})
	if ctx.Err() != nil {
		return m, failed(ctx.Err(), "cancelled", "The backup was canceled. Nothing was written.")
	}
	return m, disk(err, "Couldn't write the backup {{path}}", path)
}

// copy copies the database, and returns what is in it.
func (s *Source) copy(ctx context.Context, to string) (file.Content, error) {
	if err := file.Copy(ctx, filepath.Join(s.DataDir, databaseName), to); err != nil {
		return file.Content{}, err
	}
	content, err := file.Inspect(ctx, to)
	if err != nil {
		err = cmp.Or(file.Known(filepath.Join(s.DataDir, databaseName)), err) // of the database itself, and not of the copy
		_ = os.Remove(to)
	}
	return content, err
}

// plainSettings returns the settings in the file at path without secrets, nil if there are none, and what was left out.
func plainSettings(path string, r *secret.Redactor) (text []byte, leftOut []string, err error) {
	if path == "" {
		return nil, nil, nil
	}
	text, err = settings.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.Is(err, regular.ErrNotRegular), errors.Is(err, regular.ErrFolder):
		return nil, []string{settingsName}, fault.New("invalid", "{{path}} isn't a regular file.", path)
	}
	if err == nil {
		text, leftOut, err = settings.WithoutSecrets(text, r)
	}
	if err != nil { // the conversations are worth more than settings that Weft can't read either
		return nil, []string{settingsName}, nil //nolint:nilerr // it is said in leftOut
	}
	return text, leftOut, nil
}

// LeftOut returns the places that a backup leaves out of the settings in the file at path, see [Manifest].
func LeftOut(path string, r *secret.Redactor) []string {
	_, leftOut, _ := plainSettings(path, r) // without those that are no file, too
	return leftOut
}

// takeBack puts back the database as it was before a newer Weft that was taken back, and reports whether it could.
func (s *Source) takeBack(ctx context.Context) bool {
	f, c, _, err := file.Open(ctx, s.DataDir, file.Options{Log: zerolog.Nop(), Now: s.Now, TakenBack: s.TakenBack})
	if err != nil {
		return false
	}
	return errors.Join(c.Close(), f.Close()) == nil
}

// add writes a file to the archive, if it is there, and notes it.
func (m *Manifest) add(ctx context.Context, z *zip.Writer, path string) error {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	name := filepath.Base(path)
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: m.At})
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(out, sum), atomicfile.Until(ctx, in))
	m.Files = append(m.Files, Entry{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return err
}

// disk returns a sentence for an error of the disk; doing is its beginning.
func disk(err error, template fault.Template, values ...any) error {
	doing := fault.Say(template, values...)
	var known *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case atomicfile.Full(err):
		return failed(err, "disk_full", "{{doing}}: the disk is full. Free some space and try again.", doing)
	case atomicfile.Denied(err):
		return failed(err, "io", "{{doing}}: it can't be written to. Check the permissions of the folder.", doing)
	case errors.Is(err, fs.ErrNotExist):
		return failed(err, "io", "{{doing}}: the folder doesn't exist.", doing)
	}
	return failed(err, "io", "{{doing}}.", doing)
}
