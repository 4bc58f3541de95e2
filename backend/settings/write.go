package settings

import (
	"bytes"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"weft/backend/atomicfile"
	"weft/backend/regular"
)

const schemaName = "settings.schema.json"

// schema is the JSON schema of the settings file.
//
//go:embed settings.schema.json
var schema []byte

// writeSchema puts the schema beside the settings file, if it is not there in
// this version already.
func writeSchema(dir string) error {
	path := filepath.Join(dir, schemaName)
	if have, err := regular.ReadPath(path, MaxFile); err == nil && bytes.Equal(have, schema) {
		return nil
	}
	return writeAtomic(path, schema, 0o644)
}

// writeAtomic replaces the file at path in one step: whoever reads it sees the
// old text or the new one, also after a power loss. A link is followed, so that a
// settings file kept elsewhere stays there. An existing file keeps its mode; a
// new one gets perm.
func writeAtomic(path string, data []byte, perm fs.FileMode) error {
	path = followLink(path)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return regular.ErrNotRegular
		}
		perm = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(path, data, perm)
}

// followLink gives the file that a link points to, or path itself.
func followLink(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
