package builtin

import (
	"context"
	"os"
	"strings"

	"weft/backend/builtin/folder"
)

// maxInstructions bounds what is taken of a project's own instructions, in bytes.
const maxInstructions = 32 << 10

// instructionFiles are where projects keep instructions for agents; the first that is there is taken.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"}

// workdir is the folder of a session, as one turn has it open.
type workdir struct {
	folder  *folder.Folder // nil if it can't be opened
	problem error          // why there is no folder
}

// openWorkdir opens the folder at an absolute path. A client that permits what the agent does decides what it may list.
func openWorkdir(path string, client *toolClient) workdir {
	var w workdir
	if w.folder, w.problem = folder.Open(path); w.folder != nil && client.Permits() {
		w.folder.Deny = func(ctx context.Context, kind string, rels []string) ([]bool, error) {
			paths := make([]string, len(rels))
			for i, rel := range rels {
				paths[i] = w.folder.Abs(rel)
			}
			return client.Denied(ctx, kind, paths)
		}
	}
	return w
}

func (w workdir) close() {
	if w.folder != nil {
		_ = w.folder.Close() // opened for reading only
	}
}

// resourceName is the path of a resource as the tools take it, or its address if it is not in the folder.
func (w workdir) resourceName(uri string) string {
	if w.folder != nil {
		if rel, err := w.folder.Rel(uri); err == nil && !strings.Contains(rel, ":") {
			return rel
		}
	}
	return uri
}

// repository reports whether the folder is a git repository.
func (w workdir) repository() bool {
	_, err := os.Stat(w.folder.Abs(".git"))
	return err == nil
}

// instructions returns the project's own instructions and the file that they are from, "" if there are none.
func (w workdir) instructions() (name, text string) {
	if w.folder == nil {
		return "", ""
	}
	for _, name := range instructionFiles {
		if text, err := w.folder.ReadAll(name, maxInstructions); err == nil && strings.TrimSpace(text) != "" {
			return name, text
		}
	}
	return "", ""
}
