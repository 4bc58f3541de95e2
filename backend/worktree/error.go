package worktree

import (
	"weft/backend/fault"
)

// Error is a failure that a user can act on.
type Error = fault.Error

// The codes of errors.
const (
	CodeNoGit         = "no_git"         // git was not found
	CodeNoRepository  = "no_repository"  // the folder is in none
	CodeBare          = "bare"           // the repository has no working tree
	CodeNoCommits     = "no_commits"     // there is nothing to begin with
	CodeNotTrusted    = "not_trusted"    // git refuses a repository of another owner
	CodeUnclear       = "unclear"        // what its configuration would run can't be told
	CodeElsewhere     = "elsewhere"      // its configuration names another working tree
	CodeInvalidBranch = "invalid_branch" // not a name for a branch
	CodeBranchExists  = "branch_exists"
	CodeInvalidFolder = "invalid_folder" // the worktree cannot be made there
	CodeTimeout       = "timeout"
	CodeGit           = "git"     // git refused for another reason, in its own words
	CodeUnsaved       = "unsaved" // something would be lost
	CodeChanged       = "changed" // something is there that was not shown
	CodeLocked        = "locked"
)
