package backup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/changes/review/snapshots"
	"weft/backend/files/atomicfile"
	"weft/backend/files/regular"
	"weft/backend/settings"
	"weft/backend/store/file"
	"weft/backend/store/schema"
)

// Target is where a backup is restored to.
type Target struct {
	DataDir  string
	Settings string // path of the settings file
	Now      func() time.Time
}

// Report says what Restore did.
type Report struct {
	Manifest

	Aside    string // where the database before it is now; empty if there was none
	Settings bool   // the settings were restored, because there were none
}

const (
	mostFiles    = 16
	mostManifest = 1 << 20
	small        = 1 << 30 // a database may have as many bytes, however well it was compressed
)

var errNoBackup = errors.New("it has no manifest of a backup")

// Restore puts the backup at path in the place of what a data folder holds. All of it is checked first: a backup that
// is damaged, or of a newer Weft, changes nothing. The database that was there is kept beside the new one; settings
// that are there stay. No Weft may be using the folder. It blocks for the whole restore. Codes of errors: not_found,
// invalid, damaged, newer_version, in_use, disk_full, cancelled, io.
func Restore(ctx context.Context, to Target, path string) (out Report, err error) {
	archive, info, err := regular.OpenPath(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, failed(err, "not_found", "There is no file {{path}}.", path)
	case errors.Is(err, regular.ErrNotRegular):
		return out, failed(err, "invalid", "{{path}} isn't a regular file.", path)
	case err != nil:
		return out, failed(err, "invalid", "{{path}} isn't a Weft backup, or part of it is missing.", path)
	}
	defer archive.Close()
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return out, failed(err, "invalid", "{{path}} isn't a Weft backup, or part of it is missing.", path)
	}
	if out.Manifest, err = manifest(z); err != nil {
		return out, failed(err, "invalid", "{{path}} isn't a Weft backup.", path)
	}
	if out.Version > version {
		return out, fault.New("newer_version", "{{path}} was made by a newer version of Weft ({{weft}}). Update Weft, then restore it.", path, out.Weft)
	}
	if err := os.MkdirAll(to.DataDir, 0o700); err != nil {
		return out, disk(err, "Couldn't create the data folder {{path}}", to.DataDir)
	}
	// On the file system of the data folder, so that it can be moved to its place.
	work, err := os.MkdirTemp(to.DataDir, ".restore-")
	if err != nil {
		return out, disk(err, "Couldn't write to the data folder {{path}}", to.DataDir)
	}
	defer os.RemoveAll(work)
	for _, e := range out.Files {
		err := extract(ctx, z, e, filepath.Join(work, e.Name))
		switch {
		case ctx.Err() != nil:
			return out, failed(ctx.Err(), "cancelled", "The restore was canceled. Nothing was changed.")
		case errors.Is(err, errChanged):
			return out, failed(err, "damaged", "The backup {{path}} is damaged: {{name}} doesn't match its checksum. Nothing was changed.", path, e.Name)
		case err != nil:
			return out, disk(err, "Couldn't unpack the backup to {{path}}", to.DataDir)
		}
	}
	// What is in the files is data that anyone may have written: only rows of known tables are taken from it.
	database := filepath.Join(work, "taken", databaseName)
	if err := take(ctx, work, filepath.Dir(database)); err != nil {
		return out, disk(err, "Couldn't unpack the backup to {{path}}", to.DataDir)
	}
	content, err := file.Inspect(ctx, database)
	if err != nil {
		return out, fmt.Errorf("check the database of the backup: %w", err)
	}
	out.Spaces, out.Messages = content.Spaces, content.Messages
	if out.Aside, err = file.Replace(to.DataDir, database, file.Options{Log: zerolog.Nop(), Now: to.Now}); err != nil {
		return out, err
	}
	if err := placeReviews(filepath.Dir(database), to.DataDir, out.Aside); err != nil {
		return out, disk(err, "The conversations were restored, but not the original versions of changed files")
	}
	if out.Settings, err = placeSettings(work, to.Settings); err != nil {
		return out, disk(err, "The conversations were restored, but not the settings")
	}
	return out, nil
}

// take makes new databases from those of a backup in the folder to. It needs the room of the larger one twice.
func take(ctx context.Context, work, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for name, migrations := range map[string][]string{databaseName: schema.Migrations(), reviewsName: snapshots.Migrations()} {
		from := filepath.Join(work, name)
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err := file.Take(ctx, from, filepath.Join(to, name), migrations)
		if err := errors.Join(err, os.Remove(from)); err != nil {
			return err
		}
	}
	return nil
}

// manifest reads what is in a backup.
func manifest(z *zip.Reader) (m Manifest, err error) {
	in, err := z.Open(manifestName)
	if err != nil {
		return m, errNoBackup
	}
	defer in.Close()
	if err := json.UnmarshalRead(io.LimitReader(in, mostManifest), &m); err != nil {
		return m, err
	}
	if m.Format != format || len(m.Files) > mostFiles {
		return m, errNoBackup
	}
	has := false
	for i, e := range m.Files {
		if slices.ContainsFunc(m.Files[:i], func(o Entry) bool { return o.Name == e.Name }) {
			return m, fmt.Errorf("it has %q twice", e.Name)
		}
		switch e.Name {
		case databaseName:
			has = true
		case reviewsName, settingsName:
		default:
			return m, fmt.Errorf("it has the unknown file %q", e.Name)
		}
	}
	if !has {
		return m, errNoBackup
	}
	return m, nil
}

var errChanged = errors.New("the file isn't the one that was backed up")

// extract unpacks a file and checks that it is what was backed up.
func extract(ctx context.Context, z *zip.Reader, e Entry, to string) error {
	in, err := z.Open(e.Name)
	if err != nil {
		return errors.Join(errChanged, err)
	}
	defer in.Close()
	if e.Size > most(z, e.Name) {
		return errChanged
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	sum := sha256.New()
	// No more than it says: an archive may unpack to any size.
	read := &noted{r: io.LimitReader(atomicfile.Until(ctx, in), e.Size+1)}
	size, err := io.Copy(io.MultiWriter(out, sum), read)
	if read.err != nil {
		return errors.Join(errChanged, read.err)
	}
	if err != nil {
		return err
	}
	if size != e.Size || hex.EncodeToString(sum.Sum(nil)) != e.SHA256 {
		return errChanged
	}
	return errors.Join(out.Sync(), out.Close())
}

// most returns how many bytes a file of a backup may have. What compresses better than any database was made to fill
// the disk.
func most(z *zip.Reader, name string) int64 {
	if name == settingsName {
		return settings.MaxFile
	}
	packed := int64(0)
	for _, f := range z.File {
		if f.Name == name {
			packed = max(packed, int64(min(f.CompressedSize64, 1<<50)))
		}
	}
	return small + 100*packed
}

// noted tells errors of reading from those of writing.
type noted struct {
	r   io.Reader
	err error
}

func (n *noted) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return k, err
}

// placeReviews moves what files were before to its place, and what was there beside the database that was replaced.
func placeReviews(work, dir, aside string) error {
	to := filepath.Join(dir, reviewsName)
	for _, side := range []string{"-wal", "-shm", ""} {
		var err error
		if aside == "" {
			err = os.Remove(to + side)
		} else {
			err = os.Rename(to+side, aside+"."+reviewsName+side)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err := os.Rename(filepath.Join(work, reviewsName), to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the backup has none
	}
	return err
}

// placeSettings writes the settings of the backup where there are none.
func placeSettings(work, to string) (bool, error) {
	data, err := os.ReadFile(filepath.Join(work, settingsName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(to); err == nil {
		return false, nil
	}
	return true, atomicfile.Write(to, data, 0o600)
}
