package settings

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const schemaName = "settings.schema.json"

//go:embed settings.schema.json
var schema []byte

// Schema is the JSON schema of the settings file.
func Schema() []byte { return bytes.Clone(schema) }

// writeSchema puts the schema beside the settings file, if it is not there in
// this version already.
func writeSchema(dir string) error {
	path := filepath.Join(dir, schemaName)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, schema) {
		return nil
	}
	return writeAtomic(path, schema, 0o644)
}

// writeAtomic replaces the file at path in one step: whoever reads it sees the
// old text or the new one, also after a power loss. A link is followed, so that a
// settings file kept elsewhere stays there. An existing file keeps its mode; a
// new one gets perm.
func writeAtomic(path string, data []byte, perm fs.FileMode) (err error) {
	path = followLink(path)
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := tmp.Chmod(perm); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

// followLink gives the file that a link points to, or path itself.
func followLink(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
