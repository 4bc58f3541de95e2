package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// eachGoFile calls do with every Go file below a folder, the tests or the rest. What others have written and what tests read is left out.
func eachGoFile(root string, tests bool, do func(path string, src []byte) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && name != "..") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") != tests {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return do(path, src)
	})
}
