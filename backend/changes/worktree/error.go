package worktree

import (
	"weft/backend/base/fault"
)

// Error is an error that the user can act on.
type Error = fault.Error

// Error codes.
const (
	CodeNoGit         = "no_git"         // git was not found
	CodeNoRepository  = "no_repository"  // the folder isn't in a repository
	CodeBare          = "bare"           // the repository has no working tree
	CodeNoCommits     = "no_commits"     // there is nothing to start from
	CodeNotTrusted    = "not_trusted"    // git refuses a repository of another owner
	CodeUnclear       = "unclear"        // it isn't certain what its configuration would run
	CodeElsewhere     = "elsewhere"      // its configuration sets another working tree
	CodeInvalidBranch = "invalid_branch" // not a valid branch name
	CodeBranchExists  = "branch_exists"
	CodeInvalidFolder = "invalid_folder" // the worktree can't be created there
	CodeTimeout       = "timeout"
	CodeGit           = "git"     // git failed for another reason, with git's message
	CodeUnsaved       = "unsaved" // work would be lost
	CodeChanged       = "changed" // the state differs from what was shown
	CodeLocked        = "locked"
)
