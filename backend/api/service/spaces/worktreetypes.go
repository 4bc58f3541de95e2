package spaces

// SpaceWorktree is the worktree of a space's folder.
type SpaceWorktree struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	Repository string `json:"repository"` // folder of the repository from which it was made
	Branch     string `json:"branch"`     // created with it
	BaseBranch string `json:"baseBranch"` // empty: it started at a commit
}

// Repository is a repository from which a worktree can be made. If it is neither usable nor has a reason, the folder is
// in no repository.
type Repository struct {
	Usable     bool   `json:"usable"`
	Reason     string `json:"reason"` // why no worktree can be made, as a sentence
	Top        string `json:"top"`
	Name       string `json:"name"`
	Branch     string `json:"branch"`  // checked out; empty if HEAD is detached
	Commit     string `json:"commit"`  // the worktree's first commit, abbreviated
	Subject    string `json:"subject"` // of the commit
	Changed    int    `json:"changed"` // changed files that a worktree will not have
	Submodules bool   `json:"submodules"`
	Proposed   string `json:"proposed"` // a name for the new branch
	Place      string `json:"place"`    // parent folder of the worktree
	// Commands are the commands that the repository's own configuration would make git run. Weft runs only the filters
	// among them, and only if the user agrees, when it makes a worktree. CommandsToken identifies the commands.
	// CommandsAnswer is the user's earlier choice for them, or "".
	Commands       []RepositoryCommand `json:"commands"`
	CommandsToken  string              `json:"commandsToken"`
	CommandsAnswer CommandsAnswer      `json:"commandsAnswer" enum:",skip,run"`
}

// RepositoryCommand is a command that a repository would make git run.
type RepositoryCommand struct {
	Key    string `json:"key"`    // the setting, or "hook" and its name
	Value  string `json:"value"`  // its value, at most 300 bytes; the file of a hook
	File   string `json:"file"`   // where it is set
	Filter bool   `json:"filter"` // it changes checked-out files
}

// CommandsAnswer is the user's choice for the commands of a repository.
type CommandsAnswer string

// The choices.
const (
	CommandsSkip CommandsAnswer = "skip" // run none
	CommandsRun  CommandsAnswer = "run"  // run the filters when the worktree is made
)

// Worktree is a git worktree made by Weft.
type Worktree struct {
	ID            string `json:"id"`
	Path          string `json:"path"`
	Repository    string `json:"repository"`
	Branch        string `json:"branch"`
	BaseBranch    string `json:"baseBranch"`
	CreatedAt     int64  `json:"createdAt"`
	SpaceID       string `json:"spaceId"` // the space for which it was made
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

// WorktreeState is the content of a worktree.
type WorktreeState struct {
	Worktree       Worktree      `json:"worktree"`
	Foreign        bool          `json:"foreign"` // something else is at its path; Weft does not remove it
	RepositoryGone bool          `json:"repositoryGone"`
	Locked         bool          `json:"locked"`
	LockReason     string        `json:"lockReason"`
	Changed        WorktreeFiles `json:"changed"`
	Untracked      WorktreeFiles `json:"untracked"`
	Ignored        WorktreeFiles `json:"ignored"` // removed with the worktree
	Hidden         WorktreeFiles `json:"hidden"`  // files that git was told to ignore changes of
	Submodules     []string      `json:"submodules"`
	Busy           string        `json:"busy" enum:",merge,rebase,cherry-pick,revert,bisect"` // merge, rebase, cherry-pick, revert, bisect, or empty
	Current        string        `json:"current"`                                             // the checked-out branch; empty: none
	Loose          int           `json:"loose"`                                               // commits on no branch
	Unmerged       int           `json:"unmerged"`                                            // commits of the branch that are not on its base
	Unpushed       int           `json:"unpushed"`                                            // of these, those on no remote
	BranchGone     bool          `json:"branchGone"`
	Unsaved        bool          `json:"unsaved"` // removing it would lose something
	Token          string        `json:"token"`   // identifies this state
}

// RemovedWorktree is the result of removing a worktree.
type RemovedWorktree struct {
	Kept string `json:"kept"` // a new branch for commits that were on none
	Note string `json:"note"` // why its branch was kept against the request
}

type (
	// LookRepositoryRequest asks about a folder. The branch name is derived from the title.
	LookRepositoryRequest struct {
		Folder string `json:"folder"`
		Title  string `json:"title"`
	}
	// WorktreeRequest makes a worktree for a new space. Empty fields take the defaults.
	WorktreeRequest struct {
		Branch string `json:"branch"`
		Folder string `json:"folder"` // new or empty, absolute
		// Commands is the choice for the repository's commands, which CommandsToken identifies. Empty: the earlier
		// choice.
		Commands      CommandsAnswer `json:"commands,omitzero"`
		CommandsToken string         `json:"commandsToken,omitzero"`
	}
	// WorktreeRef names a worktree.
	WorktreeRef struct {
		WorktreeID string `json:"worktreeId"`
	}
	// RemoveWorktreeRequest removes a worktree in a known state.
	RemoveWorktreeRequest struct {
		WorktreeID string `json:"worktreeId"`
		Token      string `json:"token"`  // of that state
		Anyway     bool   `json:"anyway"` // even with unsaved work
		Branch     bool   `json:"branch"` // also remove the branch if all of its commits are on its base
	}
)
