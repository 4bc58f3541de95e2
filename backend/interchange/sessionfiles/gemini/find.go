// Package gemini reads what Gemini CLI keeps of its conversations: a file of JSON Lines for each, whose lines add and
// replace messages, or one JSON document, as older versions write it.
package gemini

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"path/filepath"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// Program is Gemini CLI.
type Program struct{}

// ID implements [sessionfiles.Program].
func (Program) ID() string { return "gemini" }

// Name implements [sessionfiles.Program].
func (Program) Name() string { return sessionfiles.NameOf("gemini") }

// Find implements [sessionfiles.Program].
func (Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {
		home := env.Getenv("GEMINI_CLI_HOME")
		if home == "" {
			home = env.Home
		}
		root := filepath.Join(home, ".gemini")
		folders := knownFolders(root)
		dir, folder := "", ""
		sessionfiles.Projects(ctx, "gemini", filepath.Join(root, "tmp"), "chats", func(src sessionfiles.Source, err error) bool {
			name := filepath.Base(src.Path)
			if err == nil && (!strings.HasPrefix(name, "session-") || !strings.HasSuffix(name, ".json") && !strings.HasSuffix(name, ".jsonl")) {
				return true
			}
			if d := filepath.Dir(filepath.Dir(src.Path)); d != dir {
				dir, folder = d, folders[filepath.Base(d)]
				if own, err := sessionfiles.ReadSmall(filepath.Join(d, ".project_root"), 1<<16); err == nil {
					folder = strings.TrimSpace(string(own))
				}
			}
			src.Folder = folder
			return yield(src, err)
		})
	}
}

// knownFolders returns the folders of projects by the names of their folders in .gemini/tmp: a name of its own, or, in
// older versions, a hash of the path.
func knownFolders(root string) map[string]string {
	folders := map[string]string{}
	list, err := sessionfiles.ReadSmall(filepath.Join(root, "projects.json"), sessionfiles.MaxEntry)
	if err != nil || !scan.Valid(list) {
		return folders
	}
	for path, name := range scan.Fields(scan.Member(list, "projects")) {
		sum := sha256.Sum256(path)
		folders[hex.EncodeToString(sum[:])] = string(path)
		if s := sessionfiles.Text(name); s != "" {
			folders[s] = string(path)
		}
	}
	return folders
}
