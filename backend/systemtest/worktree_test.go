//go:build linux

package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
)

// gitIn runs git in a folder as a user would.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	put(t, filepath.Join(dir, "sub", "file.txt"), "one\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	put(t, filepath.Join(dir, "sub", "file.txt"), "the user's\n")

	var none spaces.Repository
	a.do(t, "LookRepository", spaces.LookRepositoryRequest{Folder: t.TempDir()}, &none)
	if none.Usable || none.Reason != "" {
		t.Errorf("no repository: %+v", none)
	}
	var repo spaces.Repository
	sub := filepath.Join(dir, "sub")
	a.do(t, "LookRepository", spaces.LookRepositoryRequest{Folder: sub, Title: "Fix it"}, &repo)
	if !repo.Usable || repo.Proposed != "weft/fix-it" || repo.Branch != "main" || repo.Changed != 1 || repo.Subject != "first" {
		t.Errorf("the repository is %+v", repo)
	}

	// Two spaces, a worktree each, side by side; the agent works in its own.
	var both [2]spaces.Space
	agentID := a.custom(t, "Files", scriptedProgram, nil, "scripted", "echo")
	for i := range both {
		a.do(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: sub, Words: "Fix it\nplease", Worktree: &spaces.WorktreeRequest{}}, &both[i])
	}
	first, second := both[0], both[1]
	if first.Worktree == nil || second.Worktree == nil || first.Folder == second.Folder || first.Worktree.Branch != "weft/fix-it" || second.Worktree.Branch != "weft/fix-it-2" ||
		first.Folder != filepath.Join(first.Worktree.Path, "sub") || !strings.HasPrefix(first.Folder, repo.Place) || first.Worktree.BaseBranch != "main" {
		t.Fatalf("the spaces are %+v %+v", first.Worktree, second.Worktree)
	}
	if text, err := os.ReadFile(filepath.Join(first.Folder, "file.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("the worktree has %q, %v", text, err)
	}
	a.refused(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: dir, Worktree: &spaces.WorktreeRequest{Branch: "main"}}, "branch_exists")
	a.refused(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: dir, Worktree: &spaces.WorktreeRequest{Branch: "--orphan"}}, "invalid_branch")
	a.refused(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: dir, Worktree: &spaces.WorktreeRequest{Folder: dir + "/in"}}, "invalid_folder")
	a.refused(t, "CreateSpace", spaces.CreateSpaceRequest{AgentID: agentID, Folder: t.TempDir(), Worktree: &spaces.WorktreeRequest{}}, "no_repository")

	r := a.reenter(t, first.Folder, first.ID)
	t.Cleanup(r.st.close)
	r.turn(t, "hello", "end_turn")

	// Unsaved work stays, through a restart of Weft, too.
	put(t, filepath.Join(first.Folder, "new.txt"), "precious")
	tree := spaces.WorktreeRef{WorktreeID: first.Worktree.ID}
	var st spaces.WorktreeState
	a.do(t, "WorktreeState", tree, &st)
	if !st.Unsaved || st.Untracked.Count != 1 || st.Untracked.Names[0] != "sub/new.txt" || st.Token == "" {
		t.Errorf("the state is %+v", st)
	}
	a.refused(t, "RemoveWorktree", spaces.RemoveWorktreeRequest{WorktreeID: tree.WorktreeID, Token: st.Token}, "unsaved")
	a.refused(t, "RemoveWorktree", spaces.RemoveWorktreeRequest{WorktreeID: tree.WorktreeID, Token: "other", Anyway: true}, "changed")
	a.kill()
	a = launch(t, home)
	var again conversation.Snapshot
	a.do(t, "OpenSpace", ref.SpaceRef{SpaceID: first.ID}, &again)
	if again.Space.Worktree == nil || *again.Space.Worktree != *first.Worktree {
		t.Errorf("after a restart: %+v", again.Space.Worktree)
	}
	if _, err := os.Stat(filepath.Join(first.Folder, "new.txt")); err != nil {
		t.Fatal(err)
	}
	// The second step, but not while a branch of the space works there, too.
	a.do(t, "WorktreeState", tree, &st)
	var branch spaces.Space
	a.do(t, "Branch", conversation.BranchRequest{SpaceID: first.ID}, &branch)
	a.refused(t, "RemoveWorktree", spaces.RemoveWorktreeRequest{WorktreeID: tree.WorktreeID, Token: st.Token, Anyway: true}, "conflict")
	a.do(t, "DeleteSpace", ref.SpaceRef{SpaceID: branch.ID}, nil)
	a.do(t, "RemoveWorktree", spaces.RemoveWorktreeRequest{WorktreeID: tree.WorktreeID, Token: st.Token, Anyway: true, Branch: true}, nil)
	a.do(t, "OpenSpace", ref.SpaceRef{SpaceID: first.ID}, &again)
	if again.Space.Worktree != nil || again.Space.Folder != sub {
		t.Errorf("the space goes on in %s, %+v", again.Space.Folder, again.Space.Worktree)
	}
	if _, err := os.Stat(first.Worktree.Path); err == nil {
		t.Error("the worktree is there")
	}
	a.refused(t, "WorktreeState", tree, "not_found")

	// A worktree whose space is gone is still known, and can be removed.
	a.do(t, "DeleteSpace", ref.SpaceRef{SpaceID: second.ID}, nil)
	var list []spaces.Worktree
	a.do(t, "Worktrees", nil, &list)
	if len(list) != 1 || !list[0].SpaceGone || list[0].Path != second.Worktree.Path {
		t.Errorf("the worktrees are %+v", list)
	}
	tree.WorktreeID = second.Worktree.ID
	a.do(t, "WorktreeState", tree, &st)
	a.do(t, "RemoveWorktree", spaces.RemoveWorktreeRequest{WorktreeID: tree.WorktreeID, Token: st.Token, Branch: true}, nil)
	if got := gitIn(t, dir, "branch", "--list", "weft/*"); got != "" {
		t.Errorf("branches are left: %s", got)
	}
	if got := gitIn(t, dir, "status", "--porcelain"); got != "M sub/file.txt" {
		t.Errorf("the user's tree is %q", got)
	}
	a.do(t, "Worktrees", nil, &list)
	if len(list) != 0 {
		t.Errorf("the worktrees are %+v", list)
	}
}

// TestRepositoryCommandsAreReportedAndAskedAboutOnce makes worktrees of a repository that brings a filter.
func TestRepositoryCommandsAreReportedAndAskedAboutOnce(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	gitIn(t, dir, "init", "-q", "-b", "main")
	put(t, filepath.Join(dir, ".gitattributes"), "*.txt filter=own\n")
	put(t, filepath.Join(dir, "a.txt"), "content\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	gitIn(t, dir, "config", "filter.own.smudge", "touch "+mark+"; tr a-z A-Z")
	gitIn(t, dir, "config", "filter.own.clean", "touch "+mark+"; cat")
	gitIn(t, dir, "config", "core.fsmonitor", "touch "+mark)
	put(t, filepath.Join(dir, "a.txt"), "Content\n")

	look := func() (repo spaces.Repository) {
		t.Helper()
		a.do(t, "LookRepository", spaces.LookRepositoryRequest{Folder: dir, Title: "work"}, &repo)
		return repo
	}
	repo := look()
	if !repo.Usable || repo.Changed != 1 || len(repo.Commands) != 3 || !repo.Commands[0].Filter || repo.Commands[2].Key != "core.fsmonitor" || repo.CommandsToken == "" || repo.CommandsAnswer != "" {
		t.Fatalf("the repository is %+v", repo)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Fatal("a command was run while the repository was looked at")
	}
	agentID := a.custom(t, "Files", scriptedProgram, nil, "scripted", "echo")
	create := func(answer spaces.CommandsAnswer, token string) spaces.CreateSpaceRequest {
		return spaces.CreateSpaceRequest{AgentID: agentID, Folder: dir, Words: "work", Worktree: &spaces.WorktreeRequest{Commands: answer, CommandsToken: token}}
	}
	content := func(answer spaces.CommandsAnswer, token string) string {
		t.Helper()
		var space spaces.Space
		a.do(t, "CreateSpace", create(answer, token), &space)
		text, err := os.ReadFile(filepath.Join(space.Folder, "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	a.refused(t, "CreateSpace", create("", ""), "commands_unanswered")
	a.refused(t, "CreateSpace", create(spaces.CommandsRun, "another"), "commands_changed")
	a.refused(t, "CreateSpace", create("maybe", repo.CommandsToken), "invalid")
	if got := content(spaces.CommandsSkip, repo.CommandsToken); got != "content\n" {
		t.Errorf("without filters: %q", got)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a command was run without an answer that allows it")
	}
	if repo = look(); repo.CommandsAnswer != spaces.CommandsSkip {
		t.Errorf("remembered: %q", repo.CommandsAnswer)
	}
	if got := content("", ""); got != "content\n" {
		t.Errorf("as chosen before: %q", got)
	}
	if got := content(spaces.CommandsRun, repo.CommandsToken); got != "CONTENT\n" {
		t.Errorf("with filters: %q", got)
	}
	if got := content("", ""); got != "CONTENT\n" {
		t.Errorf("as chosen before: %q", got)
	}
	// Another command is another question.
	gitIn(t, dir, "config", "filter.own.smudge", "tr a-z B")
	if repo = look(); repo.CommandsAnswer != "" {
		t.Errorf("the answer is taken for another command: %q", repo.CommandsAnswer)
	}
	a.refused(t, "CreateSpace", create("", ""), "commands_unanswered")
}
