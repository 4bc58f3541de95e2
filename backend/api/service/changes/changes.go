// Package changes implements the commands about files that agents have changed.
package changes

import (
	"context"

	"weft/backend/api/service/ref"
	"weft/backend/changes/commit"
	"weft/backend/changes/review"
	"weft/backend/git/repo"
	"weft/backend/store"
)

type (
	// ChangesRef names a file with changes.
	ChangesRef struct {
		SpaceID string `json:"spaceId"`
		FileID  int64  `json:"fileId"`
	}
	// DecideRequest accepts or rejects changes; without picks, all of them.
	DecideRequest struct {
		SpaceID string        `json:"spaceId"`
		Picks   []review.Pick `json:"picks"`
	}
	// UndoRequest undoes the changes since a prompt. Files with a conflict are undone only if they are chosen; with
	// `only`, so are all others.
	UndoRequest struct {
		SpaceID   string          `json:"spaceId"`
		MessageID string          `json:"messageId"` // the user's
		Chosen    []review.Choice `json:"chosen"`
		Only      bool            `json:"only,omitzero"`
	}
	// ReopenRequest names files with accepted changes.
	ReopenRequest struct {
		SpaceID string   `json:"spaceId"`
		Paths   []string `json:"paths"`
	}
	// RedoRequest redoes undone or rejected changes.
	RedoRequest struct {
		SpaceID string `json:"spaceId"`
		Turn    int64  `json:"turn"`
	}
)

type (
	// AcceptedList has the files with accepted, uncommitted changes, sorted by path.
	AcceptedList struct {
		Files []commit.File `json:"files"`
	}
	// AcceptedRef names a file with accepted changes.
	AcceptedRef struct {
		SpaceID string `json:"spaceId"`
		Path    string `json:"path"`
	}
	// RunRef names a run of a space.
	RunRef struct {
		SpaceID string `json:"spaceId"`
		RunID   string `json:"runId"`
	}
	// RunSummary is a summary of a run.
	RunSummary struct {
		PromptID       string `json:"promptId"` // undo to this prompt undoes its changes; "" if they can't be undone
		Failed         int    `json:"failed"`   // calls
		Commands       int    `json:"commands"`
		CommandsFailed int    `json:"commandsFailed"` // -1 if there are too many calls to count
		Files          int    `json:"files"`          // changed
		Added          int    `json:"added"`          // lines
		Removed        int    `json:"removed"`
		Repository     bool   `json:"repository"` // the folder is in a git repository
		WaitedMs       int64  `json:"waitedMs"`   // for the user
	}
	// CommitRequest commits the accepted changes of the chosen files.
	CommitRequest struct {
		SpaceID string          `json:"spaceId"`
		Files   []commit.Choice `json:"files"`
		Message string          `json:"message"`
		By      commit.Identity `json:"by"` // if git doesn't know it; otherwise empty
	}
)

// Changes are the changes of agents that need review.
type Changes struct {
	reviews *review.Reviews
	store   *store.Store
}

// New returns the changes of reviews.
func New(reviews *review.Reviews, kept *store.Store) *Changes {
	return &Changes{reviews: reviews, store: kept}
}

// ReviewChanges returns the changed files that need review in a space, what the review doesn't cover, and the last
// undo.
func (s *Changes) ReviewChanges(ctx context.Context, req ref.SpaceRef) (review.Changes, error) {
	return s.reviews.List(ctx, req.SpaceID)
}

// ReviewDiff returns the changes in one file.
func (s *Changes) ReviewDiff(ctx context.Context, req ChangesRef) (review.Diff, error) {
	return s.reviews.Diff(ctx, req.SpaceID, req.FileID)
}

// AcceptChanges accepts changes, which are then not shown anymore. Without picks it accepts all; a pick without hunks
// is the whole file.
func (s *Changes) AcceptChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Accept(ctx, req.SpaceID, req.Picks)
}

// RejectChanges reverts changes, except in files that the user has edited since: these are in `left`. Picks are those
// of AcceptChanges; pass `turn` to RedoChanges to redo them.
func (s *Changes) RejectChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Reject(ctx, req.SpaceID, req.Picks)
}

// PlanUndo returns what UndoSince would do.
func (s *Changes) PlanUndo(ctx context.Context, req ref.MessageRef) (review.UndoPlan, error) {
	return s.reviews.PlanUndo(ctx, req.SpaceID, req.MessageID)
}

// UndoSince reverts the changes of the agent since a prompt.
func (s *Changes) UndoSince(ctx context.Context, req UndoRequest) (review.Outcome, error) {
	return s.reviews.Undo(ctx, req.SpaceID, req.MessageID, req.Chosen, req.Only)
}

// RedoChanges redoes undone or rejected changes.
func (s *Changes) RedoChanges(ctx context.Context, req RedoRequest) (review.Outcome, error) {
	return s.reviews.Redo(ctx, req.SpaceID, req.Turn)
}

// PlanCommit returns which accepted changes of a space can be committed. It never includes unreviewed changes, the
// user's edits or staged changes.
func (s *Changes) PlanCommit(ctx context.Context, req ref.SpaceRef) (commit.Plan, error) {
	return s.reviews.Commits.Plan(ctx, req.SpaceID)
}

// AcceptedFiles lists the files with accepted, uncommitted changes.
func (s *Changes) AcceptedFiles(ctx context.Context, req ref.SpaceRef) (AcceptedList, error) {
	files, err := s.reviews.Commits.Accepted(ctx, req.SpaceID)
	return AcceptedList{Files: files}, err
}

// ReopenChanges takes back what was accepted last in files: it needs review again. In `left` are files that were edited
// after that, and then changed by an agent.
func (s *Changes) ReopenChanges(ctx context.Context, req ReopenRequest) (review.Outcome, error) {
	return s.reviews.Reopen(ctx, req.SpaceID, req.Paths)
}

// AcceptedDiff returns the accepted, uncommitted changes in one file.
func (s *Changes) AcceptedDiff(ctx context.Context, req AcceptedRef) (review.Diff, error) {
	return s.reviews.Commits.Diff(ctx, req.SpaceID, req.Path)
}

// PushBranch pushes the current branch over HTTP or SSH, with the user's keys and passwords. It runs no hooks.
func (s *Changes) PushBranch(ctx context.Context, req ref.SpaceRef) (commit.Remote, error) {
	return s.reviews.Commits.Push(ctx, req.SpaceID)
}

// CommitAccepted makes a git commit of exactly the accepted changes in the chosen files. It runs no hooks and doesn't
// sign the commit.
func (s *Changes) CommitAccepted(ctx context.Context, req CommitRequest) (commit.Made, error) {
	return s.reviews.Commits.Make(ctx, req.SpaceID, req.Files, req.Message, req.By)
}

// RunSummary returns a summary of a run in a space: changed files, commands, failures.
func (s *Changes) RunSummary(ctx context.Context, req RunRef) (RunSummary, error) {
	if err := s.store.Events.Flush(ctx, req.SpaceID); err != nil {
		return RunSummary{}, err
	}
	calls, err := s.store.Runs.Calls(ctx, req.SpaceID, req.RunID)
	if err != nil {
		return RunSummary{}, err
	}
	waited, err := s.store.Runs.Waited(ctx, req.SpaceID, req.RunID)
	if err != nil {
		return RunSummary{}, err
	}
	changed, err := s.reviews.TurnChanges(ctx, req.SpaceID, req.RunID)
	if err != nil {
		return RunSummary{}, err
	}
	out := RunSummary{
		PromptID: changed.PromptID, Failed: calls.Failed, Commands: calls.Commands, CommandsFailed: calls.CommandsFailed,
		Files: changed.Files, Added: changed.Added, Removed: changed.Removed, WaitedMs: waited,
	}
	if out.Files == 0 {
		return out, nil
	}
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return out, err
	}
	found, err := repo.Find(space.Folder)
	out.Repository = err == nil && found != nil
	return out, nil
}
