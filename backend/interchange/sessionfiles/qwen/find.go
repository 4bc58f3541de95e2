// Package qwen reads what Qwen Code keeps of its conversations: a file of JSON Lines for each, in a folder for each
// project. Their entries name the one before them, so that a conversation can have branches.
package qwen

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"weft/backend/interchange/sessionfiles"
)

// Program is Qwen Code.
type Program struct{}

// ID implements [sessionfiles.Program].
func (Program) ID() string { return "qwen" }

// Name implements [sessionfiles.Program].
func (Program) Name() string { return sessionfiles.NameOf("qwen") }

// Find implements [sessionfiles.Program].
func (Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {
		root := filepath.Join(env.Home, ".qwen")
		for _, name := range []string{"QWEN_RUNTIME_DIR", "QWEN_HOME"} {
			if dir := env.Getenv(name); dir != "" {
				root = dir
				break
			}
		}
		sessionfiles.Projects(ctx, "qwen", filepath.Join(root, "projects"), "chats", func(src sessionfiles.Source, err error) bool {
			session, ok := strings.CutSuffix(filepath.Base(src.Path), ".jsonl")
			if err == nil && !ok {
				return true
			}
			src.Session = session
			return yield(src, err)
		})
	}
}
