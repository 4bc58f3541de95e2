// Package claude reads what Claude Code keeps of its conversations: a file of JSON Lines for each, in a folder for each
// project. Their entries name the one before them, so that a conversation can have branches.
package claude

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"weft/backend/interchange/sessionfiles"
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
		sessionfiles.Projects(ctx, "claude", filepath.Join(root, "projects"), "", func(src sessionfiles.Source, err error) bool {
			session, ok := strings.CutSuffix(filepath.Base(src.Path), ".jsonl")
			if err == nil && (!ok || strings.HasPrefix(session, "agent-")) { // what sub-agents said is read with their conversation
				return true
			}
			src.Session = session
			return yield(src, err)
		})
	}
}
