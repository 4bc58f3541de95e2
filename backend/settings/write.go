package settings

import (
	"bytes"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"weft/backend/files/atomicfile"
	"weft/backend/files/regular"
)

const schemaName = "settings.schema.json"

// schema is the JSON schema of the settings file.
//
//go:embed settings.schema.json
var schema []byte

// writeSchema writes the schema next to the settings file, unless this version is already there.
func writeSchema(dir string) error {
	path := filepath.Join(dir, schemaName)
	if have, err := regular.ReadPath(path, MaxFile); err == nil && bytes.Equal(have, schema) {
		return nil
	}
	return writeAtomic(path, schema, 0o644)
}

// writeAtomic replaces the file at path atomically: a reader sees the old text or the new one, even after a power
// loss. A link is followed, so that a settings file stored elsewhere stays there. An existing file keeps its mode; a
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

// followLink returns the target of a link, or path itself.
func followLink(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
