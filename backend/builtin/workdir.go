package builtin

import (
	"context"
	"os"
	"strings"

	"weft/backend/builtin/folder"
)

// maxInstructions is the maximum size of a project's own instructions, in bytes. Larger files are ignored.
const maxInstructions = 32 << 10

// instructionFiles are the files with instructions for agents. The first one that exists is used.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"}

// workdir is the folder of a session, opened for one turn.
type workdir struct {
	folder  *folder.Folder // nil if it can't be opened
	problem error          // why there is no folder
}

// openWorkdir opens the folder at an absolute path. If the client handles permits, it decides which files are listed.
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

// resourceName returns the path of a resource for the tools, or its URI if it isn't in the folder.
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

// instructions returns the project's own instructions and the name of their file, or "".
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
