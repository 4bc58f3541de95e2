package worktree

import (
	"fmt"
	"strings"
)

// Error is a refusal that a person can act on.
type Error struct {
	Code    string // see the constants
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// The codes of errors.
const (
	CodeNoGit         = "no_git"         // git was not found
	CodeNoRepository  = "no_repository"  // the folder is in none
	CodeBare          = "bare"           // the repository has no working tree
	CodeNoCommits     = "no_commits"     // there is nothing to begin with
	CodeNotTrusted    = "not_trusted"    // git refuses a repository of another owner
	CodeInvalidBranch = "invalid_branch" // not a name for a branch
	CodeBranchExists  = "branch_exists"
	CodeInvalidFolder = "invalid_folder" // the worktree cannot be made there
	CodeTimeout       = "timeout"
	CodeGit           = "git"     // git refused for another reason, in its own words
	CodeUnsaved       = "unsaved" // something would be lost
	CodeChanged       = "changed" // something is there that was not shown
	CodeLocked        = "locked"
)

// gitError is how git ended.
type gitError struct {
	code   int // exit code; -1: it did not run to its end
	stderr string
	err    error
}

func (e *gitError) Error() string { return fmt.Sprintf("git: %v: %s", e.err, e.stderr) }
func (e *gitError) Unwrap() error { return e.err }

// refusal makes a sentence of what git said.
func refusal(doing string, e *gitError) *Error {
	said := ""
	for line := range strings.Lines(e.stderr) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			said = rest
			break
		}
		if rest, ok := strings.CutPrefix(line, "error: "); ok && said == "" {
			said = rest
		}
	}
	if said == "" {
		said = e.err.Error()
	}
	if len(said) > 300 {
		said = strings.ToValidUTF8(said[:300], "") + "…"
	}
	return &Error{Code: CodeGit, Message: "Git could not " + doing + ": " + strings.TrimSuffix(said, ".") + ".", Err: e}
}
