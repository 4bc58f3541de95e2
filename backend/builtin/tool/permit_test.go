package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// decides is a client that handles permits and refuses writes.
type decides struct {
	client
	denied bool
}

func (c *decides) Permits() bool     { return true }
func (c *decides) WritesFiles() bool { return true }

func (c *decides) Denied(_ context.Context, _ string, paths []string) ([]bool, error) {
	out := make([]bool, len(paths))
	for i := range out {
		out[i] = c.denied
	}
	return out, nil
}

func (c *decides) WriteTextFile(context.Context, string, string) error {
	return errors.New("this space is read-only")
}

// A write that the client refuses creates no folders.
func TestRefusedWriteMakesNoFolder(t *testing.T) {
	env := newBench(t, nil).env
	env.Client = &decides{}
	c := change{rel: "deep/er/new.txt", created: true, now: "x"}
	if _, err := c.run(t.Context(), env); err == nil {
		t.Error("it was written")
	}
	if _, err := os.Stat(filepath.Join(env.Folder.Path(), "deep")); err == nil {
		t.Error("its folder was made")
	}
}

// A file that a rule rejects is not read, not even for an edit.
func TestRejectedFileIsNotRead(t *testing.T) {
	env := newBench(t, map[string]string{"a.env": "KEY=1\n"}).env
	env.Client = &decides{denied: true}
	if _, err := runRead(t.Context(), env, readInput{Path: "a.env"}); err == nil {
		t.Error("it was read")
	}
	if text, err := current(t.Context(), env, "a.env"); err == nil || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}
