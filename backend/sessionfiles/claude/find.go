// Package claude reads what Claude Code keeps of its conversations: a file of JSON Lines for each, in a folder for each project. Their entries name the one
// before them, so that a conversation can have branches.
package claude

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/sessionfiles"
)

// Program is Claude Code.
type Program struct{}

// ID implements [sessionfiles.Program].
func (Program) ID() string { return "claude" }

// Name implements [sessionfiles.Program].
func (Program) Name() string { return sessionfiles.NameOf("claude") }

// Find implements [sessionfiles.Program].
func (Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {
		root := env.Getenv("CLAUDE_CONFIG_DIR")
		if root == "" {
			root = filepath.Join(env.Home, ".claude")
		}
		root = filepath.Join(root, "projects")
		projects, err := sessionfiles.Folder(root)
		if err != nil {
			yield(sessionfiles.Source{Program: "claude", Path: root}, err)
			return
		}
		for _, project := range projects {
			if ctx.Err() != nil {
				return
			}
			if !project.IsDir() {
				continue
			}
			dir := filepath.Join(root, project.Name())
			files, err := sessionfiles.Folder(dir)
			if err != nil && !yield(sessionfiles.Source{Program: "claude", Path: dir}, err) {
				return
			}
			for _, file := range files {
				if !yieldFile(dir, file, yield) {
					return
				}
			}
		}
	}
}

func yieldFile(dir string, file fs.DirEntry, yield func(sessionfiles.Source, error) bool) bool {
	session, ok := strings.CutSuffix(file.Name(), ".jsonl")
	if !ok || strings.HasPrefix(session, "agent-") || file.IsDir() { // what sub-agents said is read with their conversation
		return true
	}
	src := sessionfiles.Source{Program: "claude", Path: filepath.Join(dir, file.Name()), Session: session}
	info, err := os.Stat(src.Path)
	if err != nil {
		return yield(src, sessionfiles.Unreadable(err))
	}
	src.Size, src.Changed = info.Size(), info.ModTime().UnixMilli()
	return yield(src, nil)
}
