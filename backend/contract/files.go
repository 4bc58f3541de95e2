package contract

import (
	"fmt"
	"os"
	"path/filepath"
)

// file is a generated file, or one with generated parts.
type file struct {
	path string // in the module
	want string
}

func (c *Contract) files() []file {
	transcripts, api := c.typescript()
	return []file{
		{"frontend/src/transcript/types.ts", transcripts},
		{"frontend/src/transport/api.ts", api},
	}
}

// Generate writes all generated files again.
func Generate() error {
	c, err := Read()
	if err != nil {
		return err
	}
	for _, f := range c.files() {
		path := filepath.Join(c.model.src.root, filepath.FromSlash(f.path))
		if now, err := os.ReadFile(path); err == nil && string(now) == f.want {
			continue
		}
		if err := os.WriteFile(path, []byte(f.want), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
	}
	return nil
}
