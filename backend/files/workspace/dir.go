package workspace

import (
	"path/filepath"
)

// Dir returns the absolute path of a folder in which a command may start. An empty path is the space's folder. The
// folder must be inside of the space's folder, also with symbolic links resolved. What the command does is not
// confined: a terminal is not a sandbox.
func (f *Files) Dir(path string) (string, error) {
	return withDeadline(f, path, func() (string, error) { return f.dir(path) })
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
	// The link may have been created after relative checked the path.
	if _, err := f.relative(real); err != nil {
		return "", err
	}
	if rel == "." {
		return f.dirs[0], nil
	}
	return real, nil
}
