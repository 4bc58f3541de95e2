// Package changes has the commands about what agents have changed in files.
package changes

import (
	"context"

	"weft/backend/commit"
	"weft/backend/git/repo"
	"weft/backend/review"
	"weft/backend/service/ref"
	"weft/backend/store"
)

type (
	// ChangesRef names a file with changes.
	ChangesRef struct {
		SpaceID string `json:"spaceId"`
		FileID  int64  `json:"fileId"`
	}
	// DecideRequest accepts or rejects changes; no picks are all of them.
	DecideRequest struct {
		SpaceID string        `json:"spaceId"`
		Picks   []review.Pick `json:"picks"`
	}
	// UndoRequest undoes what was changed since a prompt. Files with a conflict only if they are chosen.
	UndoRequest struct {
		SpaceID   string          `json:"spaceId"`
		MessageID string          `json:"messageId"` // the user's
		Chosen    []review.Choice `json:"chosen"`
	}
	// RedoRequest takes back an undo or a rejection.
	RedoRequest struct {
		SpaceID string `json:"spaceId"`
		Turn    int64  `json:"turn"`
	}
)

type (
	// AcceptedList has the files with accepted changes that are not committed yet, by path.
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
	// RunSummary is what a run has done.
	RunSummary struct {
		PromptID       string `json:"promptId"` // the prompt since which its changes can be undone, "" if none can
		Failed         int    `json:"failed"`   // calls
		Commands       int    `json:"commands"`
		CommandsFailed int    `json:"commandsFailed"` // -1 where that isn't counted, because there are too many calls
		Files          int    `json:"files"`          // changed
		Added          int    `json:"added"`          // lines
		Removed        int    `json:"removed"`
		Repository     bool   `json:"repository"` // the folder is in a git repository
		WaitedMs       int64  `json:"waitedMs"`   // for the user
	}
	// CommitRequest commits what was accepted of the chosen files.
	CommitRequest struct {
		SpaceID string          `json:"spaceId"`
		Files   []commit.Choice `json:"files"`
		Message string          `json:"message"`
		By      commit.Identity `json:"by"` // where git doesn't know it; empty otherwise
	}
)

// Changes are what agents have changed in files and the user has not decided yet.
type Changes struct {
	reviews *review.Reviews
	store   *store.Store
}

// New returns the changes that reviews knows.
func New(reviews *review.Reviews, kept *store.Store) *Changes {
	return &Changes{reviews: reviews, store: kept}
}

// ReviewChanges returns the files that agents have changed in a space and that the user hasn't decided about, what isn't covered, and what
// was put back last.
func (s *Changes) ReviewChanges(ctx context.Context, req ref.SpaceRef) (review.Changes, error) {
	return s.reviews.List(ctx, req.SpaceID)
}

// ReviewDiff returns what was changed in one file.
func (s *Changes) ReviewDiff(ctx context.Context, req ChangesRef) (review.Diff, error) {
	return s.reviews.Diff(ctx, req.SpaceID, req.FileID)
}

// AcceptChanges keeps changes: they are not shown anymore. Without picks it is everything, and a pick without hunks is the whole file.
func (s *Changes) AcceptChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Accept(ctx, req.SpaceID, req.Picks)
}

// RejectChanges puts back what was there before changes, except where the user has edited since: these files are in `left`. Picks are those
// of AcceptChanges; `turn` is for RedoChanges.
func (s *Changes) RejectChanges(ctx context.Context, req DecideRequest) (review.Outcome, error) {
	return s.reviews.Reject(ctx, req.SpaceID, req.Picks)
}

// PlanUndo returns what UndoSince would do.
func (s *Changes) PlanUndo(ctx context.Context, req ref.MessageRef) (review.UndoPlan, error) {
	return s.reviews.PlanUndo(ctx, req.SpaceID, req.MessageID)
}

// UndoSince puts back what the agent has changed since a prompt was sent.
func (s *Changes) UndoSince(ctx context.Context, req UndoRequest) (review.Outcome, error) {
	return s.reviews.Undo(ctx, req.SpaceID, req.MessageID, req.Chosen)
}

// RedoChanges takes back an undo or a rejection.
func (s *Changes) RedoChanges(ctx context.Context, req RedoRequest) (review.Outcome, error) {
	return s.reviews.Redo(ctx, req.SpaceID, req.Turn)
}

// PlanCommit returns what could be committed of the accepted changes of a space. Changes that still wait for review, edits of the user and
// what is staged are never part of it.
func (s *Changes) PlanCommit(ctx context.Context, req ref.SpaceRef) (commit.Plan, error) {
	return s.reviews.Commits.Plan(ctx, req.SpaceID)
}

// AcceptedFiles lists the files with accepted changes that are not committed yet.
func (s *Changes) AcceptedFiles(ctx context.Context, req ref.SpaceRef) (AcceptedList, error) {
	files, err := s.reviews.Commits.Accepted(ctx, req.SpaceID)
	return AcceptedList{Files: files}, err
}

// AcceptedDiff returns what was accepted in one file and is not committed yet.
func (s *Changes) AcceptedDiff(ctx context.Context, req AcceptedRef) (review.Diff, error) {
	return s.reviews.Commits.Diff(ctx, req.SpaceID, req.Path)
}

// PushBranch pushes the branch that is checked out, over HTTP or SSH and with the user's own keys and passwords. Hooks aren't run.
func (s *Changes) PushBranch(ctx context.Context, req ref.SpaceRef) (commit.Remote, error) {
	return s.reviews.Commits.Push(ctx, req.SpaceID)
}

// CommitAccepted makes a git commit of exactly the accepted changes of the chosen files. Hooks aren't run, and it isn't signed.
func (s *Changes) CommitAccepted(ctx context.Context, req CommitRequest) (commit.Made, error) {
	return s.reviews.Commits.Make(ctx, req.SpaceID, req.Files, req.Message, req.By)
}

// RunSummary returns what a run has done in a space: files it has changed, commands, what failed.
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
