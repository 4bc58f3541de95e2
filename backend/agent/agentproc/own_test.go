package agentproc

import (
	"path/filepath"
	"testing"

	"weft/backend/agent"
	"weft/backend/permission"
	"weft/backend/permission/actions"
)

func TestAgentsMayChangeTheirOwnFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := t.TempDir()
	own := OwnFolders(agent.Config{ID: "claude"})
	for path, want := range map[string]bool{
		filepath.Join(home, ".claude/plans/x.md"):    true,
		filepath.Join(home, ".claude.json"):          true,
		filepath.Join(home, ".claude/../.bashrc"):    false,
		filepath.Join(home, ".claude-other/plan.md"): false,
		filepath.Join(home, ".codex/x"):              false,
		filepath.Join(dir, "a.txt"):                  false,
	} {
		call := &permission.Call{Kind: "edit", Paths: []string{path}}
		if got := actions.OnlyIn(permission.Describe(call, permission.Place{SpaceID: "s", Folder: dir}), own); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
