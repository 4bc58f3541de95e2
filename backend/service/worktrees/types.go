package worktrees

// SpaceWorktree is the worktree that a space's folder is in.
type SpaceWorktree struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	Repository string `json:"repository"` // the folder of the repository that it was made from
	Branch     string `json:"branch"`     // that it was made with
	BaseBranch string `json:"baseBranch"` // empty: it began at a commit
}

// Repository is what a worktree can be made from. Not usable and without a reason: the folder is in no repository.
type Repository struct {
	Usable     bool   `json:"usable"`
	Reason     string `json:"reason"` // why no worktree can be made of it, a sentence
	Top        string `json:"top"`
	Name       string `json:"name"`
	Branch     string `json:"branch"`  // checked out now; empty where HEAD is detached
	Commit     string `json:"commit"`  // that a worktree begins with, shortened
	Subject    string `json:"subject"` // its first line
	Changed    int    `json:"changed"` // files with changes that a worktree will not have
	Submodules bool   `json:"submodules"`
	Proposed   string `json:"proposed"` // a name for the new branch
	Place      string `json:"place"`    // the folder below which it would be
	// Commands are what the repository's own configuration would make git run. Weft doesn't run them, unless the user agrees to the
	// filters among them for a worktree. CommandsToken names them; CommandsAnswer is what the user chose for these before, "" nothing yet.
	Commands       []RepositoryCommand `json:"commands"`
	CommandsToken  string              `json:"commandsToken"`
	CommandsAnswer CommandsAnswer      `json:"commandsAnswer" enum:",skip,run"`
}

// RepositoryCommand is something that a repository would make git run.
type RepositoryCommand struct {
	Key    string `json:"key"`    // the setting, or "hook" and its name
	Value  string `json:"value"`  // its value, at most 300 bytes; of a hook its file
	File   string `json:"file"`   // that says so
	Filter bool   `json:"filter"` // it changes what is checked out
}

// CommandsAnswer is what the user chose for the commands of a repository.
type CommandsAnswer string

// The returns.
const (
	CommandsSkip CommandsAnswer = "skip" // run none
	CommandsRun  CommandsAnswer = "run"  // run the filters in making a worktree
)

// Worktree is a git worktree that Weft has made.
type Worktree struct {
	ID            string `json:"id"`
	Path          string `json:"path"`
	Repository    string `json:"repository"`
	Branch        string `json:"branch"`
	BaseBranch    string `json:"baseBranch"`
	CreatedAt     int64  `json:"createdAt"`
	SpaceID       string `json:"spaceId"` // that it was made for
	SpaceTitle    string `json:"spaceTitle"`
	SpaceGone     bool   `json:"spaceGone"`
	SpaceArchived bool   `json:"spaceArchived"`
	Missing       bool   `json:"missing"` // its folder is gone
}

// WorktreeFiles are files of one kind in a worktree.
type WorktreeFiles struct {
	Count int      `json:"count"`
	Names []string `json:"names"` // the first 200, relative; a folder ends with a slash
}

// WorktreeState is what is in a worktree.
type WorktreeState struct {
	Worktree       Worktree      `json:"worktree"`
	Foreign        bool          `json:"foreign"` // something else is in its place; Weft does not remove it
	RepositoryGone bool          `json:"repositoryGone"`
	Locked         bool          `json:"locked"`
	LockReason     string        `json:"lockReason"`
	Changed        WorktreeFiles `json:"changed"`
	Untracked      WorktreeFiles `json:"untracked"`
	Ignored        WorktreeFiles `json:"ignored"` // they go with the worktree
	Hidden         WorktreeFiles `json:"hidden"`  // git was told not to look at them
	Submodules     []string      `json:"submodules"`
	Busy           string        `json:"busy" enum:",merge,rebase,cherry-pick,revert,bisect"` // merge, rebase, cherry-pick, revert, bisect, or empty
	Current        string        `json:"current"`                                             // the branch that is checked out; empty: none
	Loose          int           `json:"loose"`                                               // commits that are on no branch
	Unmerged       int           `json:"unmerged"`                                            // commits of the branch that are not on its base
	Unpushed       int           `json:"unpushed"`                                            // of these, those that are on no remote
	BranchGone     bool          `json:"branchGone"`
	Unsaved        bool          `json:"unsaved"` // something would be lost with it
	Token          string        `json:"token"`   // names this state
}

// RemovedWorktree tells what became of what stood in a worktree.
type RemovedWorktree struct {
	Kept string `json:"kept"` // a branch that was made for commits that were on none
	Note string `json:"note"` // why its branch was kept although it was to go
}

type (
	// LookRepositoryRequest asks about a folder; the name of a branch is made of the title.
	LookRepositoryRequest struct {
		Folder string `json:"folder"`
		Title  string `json:"title"`
	}
	// WorktreeRequest gives a new space a worktree of its own. Empty fields take the defaults.
	WorktreeRequest struct {
		Branch string `json:"branch"`
		Folder string `json:"folder"` // new or empty, absolute
		// Commands is what is chosen for the commands of the repository, which CommandsToken names as they were shown. Empty: as
		// chosen before.
		Commands      CommandsAnswer `json:"commands,omitzero"`
		CommandsToken string         `json:"commandsToken,omitzero"`
	}
	// WorktreeRef names a worktree.
	WorktreeRef struct {
		WorktreeID string `json:"worktreeId"`
	}
	// RemoveWorktreeRequest removes a worktree as it was shown.
	RemoveWorktreeRequest struct {
		WorktreeID string `json:"worktreeId"`
		Token      string `json:"token"`  // of the state that was shown
		Anyway     bool   `json:"anyway"` // also with unsaved work in it
		Branch     bool   `json:"branch"` // the branch, too, if all of its commits are on its base
	}
)
