package workspace

import (
	"path/filepath"
)

// Dir returns the absolute path of a folder in which a command may start; an empty path is
// the space's folder itself. It has to be inside of that, also with links resolved. What a
// command does then is not confined: a terminal is no sandbox.
func (f *Files) Dir(path string) (string, error) {
	return quickly(f, path, func() (string, error) { return f.dir(path) })
}

func (f *Files) dir(path string) (string, error) {
	rel, err := f.relative(path)
	if err != nil {
		return "", err
	}
	info, err := f.root.Stat(rel)
	if err != nil {
		return "", wrap(path, "Couldn't start in {{path}}: {{why}}.", err)
	}
	if !info.IsDir() {
		return "", refusal("not_found", nil, "{{path}} isn't a folder.", path)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(f.dirs[0], rel))
	if err != nil {
		return "", wrap(path, "Couldn't start in {{path}}: {{why}}.", err)
	}
	// A link may have been put there since.
	if _, err := f.relative(real); err != nil {
		return "", err
	}
	if rel == "." {
		return f.dirs[0], nil
	}
	return real, nil
}
