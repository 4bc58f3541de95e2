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

func (c *Contract) files() ([]file, error) {
	transcripts, api := c.typescript()
	now, err := os.ReadFile(filepath.Join(c.model.src.root, "docs", "api.md"))
	if err != nil {
		return nil, fmt.Errorf("read docs/api.md: %w", err)
	}
	doc, err := withSections(string(now), c.sections())
	if err != nil {
		return nil, err
	}
	sentences, ofCalls, err := templateLists(c.model.src.root)
	if err != nil {
		return nil, err
	}
	return []file{
		{templatesPath, sentences},
		{callTemplatesPath, ofCalls},
		{"frontend/src/transcript/types.ts", transcripts},
		{"frontend/src/transport/api.ts", api},
		{"frontend/src/transport/codes.ts", codes()},
		{"docs/api.md", doc},
	}, nil
}

// Generate writes all generated files again.
func Generate() error {
	c, err := Read()
	if err != nil {
		return err
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	for _, f := range files {
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
