package conversation

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/service/jobs"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/changes/review"
	"weft/backend/conversation/transcript"
	"weft/backend/space/runs"
	"weft/backend/space/unfinished"
	"weft/backend/store"
	stored "weft/backend/store/spaces"
)

// BranchOptions configures [NewBranches].
type BranchOptions struct {
	Store       *store.Store
	Runs        *runs.Manager
	Reviews     *review.Reviews
	Spaces      *spaces.Spaces
	Prompts     *Prompts
	Attachments *Attachments
	Work        *jobs.Work
	Log         zerolog.Logger
	Changed     func(spaceID string) // called after a branch was made
	Reviewed    func(spaceID string) // called after the files to review in a space have changed
}

// Branches makes branches of spaces.
type Branches struct {
	store       *store.Store
	runs        *runs.Manager
	reviews     *review.Reviews
	spaces      *spaces.Spaces
	prompts     *Prompts
	attachments *Attachments
	work        *jobs.Work
	log         zerolog.Logger
	changed     func(spaceID string)
	reviewed    func(spaceID string)
}

// NewBranches returns the branches of a store.
func NewBranches(opt BranchOptions) *Branches {
	return &Branches{
		store: opt.Store, runs: opt.Runs, reviews: opt.Reviews, spaces: opt.Spaces, prompts: opt.Prompts, attachments: opt.Attachments, work: opt.Work,
		log: opt.Log, changed: opt.Changed, reviewed: opt.Reviewed,
	}
}

// BranchRequest makes a branch of a space: another space with a copy of its messages up to a position.
type BranchRequest struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId,omitzero"` // the last message of the branch; empty: all of them
	// Before excludes MessageID, which is a prompt that the branch replaces. Text and Parts, if any, are then sent in
	// the branch.
	Before bool         `json:"before,omitzero"`
	Text   string       `json:"text,omitzero"`
	Parts  []PromptPart `json:"parts,omitzero"`
	To     []string     `json:"to,omitzero"` // ids of members; empty: the default one
}

// Tree is a tree of branches, as seen from one of its spaces.
type Tree struct {
	Spaces []TreeSpace `json:"spaces"` // parents before their branches, oldest first; includes archived ones
	Forks  []Fork      `json:"forks"`  // in the order of the transcript
}

// TreeSpace is a space of a tree of branches.
type TreeSpace struct {
	Space    spaces.Space `json:"space"`
	Parent   string       `json:"parent"`   // the nearest ancestor that is not deleted, or ""
	Words    string       `json:"words"`    // the beginning of its own messages
	Messages int64        `json:"messages"` // its own
}

// Fork is a prompt that other branches have replaced.
type Fork struct {
	MessageID string   `json:"messageId"`
	Spaces    []string `json:"spaces"` // one for each variant, in the order of creation
	At        int      `json:"at"`     // the index of this space
}

// Branch makes a branch of a space: another space with a copy of its messages up to a position. Runs and requests in
// progress stay in the original. It blocks until the branch exists and, with a prompt, until the prompt is sent. If the
// prompt can't be sent, no branch is made.
func (s *Branches) Branch(ctx context.Context, req BranchRequest) (spaces.Space, error) {
	says := strings.TrimSpace(req.Text) != "" || len(req.Parts) > 0
	if says {
		if err := checkPrompt(req.Text); err != nil {
			return spaces.Space{}, err
		}
	}
	if strings.TrimSpace(req.Text) == "" {
		req.Text = ""
	}
	parts, err := s.attachments.parts(ctx, req.SpaceID, req.Parts)
	if err != nil {
		return spaces.Space{}, err
	}
	sp, err := s.store.BranchSpace(ctx, store.Branch{SpaceID: req.SpaceID, MessageID: req.MessageID, Before: req.Before})
	if err != nil {
		return spaces.Space{}, err
	}
	if sp.Shared == 0 && !req.Before {
		return spaces.Space{}, s.discard(sp.ID, fault.New(fault.Invalid, "There are no messages yet, so there is nothing to branch from."))
	}
	if req.Before && says {
		s.name(ctx, req, sp.ID)
	}
	err = unfinished.In(s.store, func() int64 { return time.Now().UnixMilli() }).OfBranch(ctx, sp.ID)
	if err == nil && says {
		_, err = s.prompts.send(ctx, sp.ID, req.To, req.Text, parts)
	}
	if err != nil {
		return spaces.Space{}, s.discard(sp.ID, err)
	}
	if !says {
		// Copy the agent's session now, at its current state. Whether that worked shows with the first prompt.
		s.work.Go(func() {
			ctx, cancel := s.work.Bounded()
			defer cancel()
			if err := s.runs.Sessions().PrepareBranch(ctx, sp.ID); err != nil {
				s.log.Info().Err(err).Msg("the agent of a branch could not be prepared")
			}
		})
	}
	s.reviews.Watcher.Warm(sp.ID)
	s.reviewed(sp.ID)
	s.changed(sp.ID)
	return s.spaces.Get(ctx, sp.ID)
}

// name names a branch after the part of its prompt that the replaced prompt doesn't have. Without such a name, the
// branch is named after its prompt when that is sent.
func (s *Branches) name(ctx context.Context, req BranchRequest, branchID string) {
	was, err := s.store.Pages.Message(ctx, req.SpaceID, req.MessageID)
	if err != nil {
		s.log.Warn().Err(err).Msg("the prompt that a branch replaces could not be read")
		return
	}
	texts, uploads := []string{}, []string{}
	for _, segment := range was.Segments {
		switch d := segment.Display; {
		case segment.Type == transcript.SegmentText:
			texts = append(texts, segment.Text)
		case d != nil && d.Ref != nil && d.Path == "":
			uploads = append(uploads, d.Ref.Hash)
		}
	}
	name := branchNameOf(strings.Join(texts, "\n"), req.Text)
	if name == askedAgain && !sameUploads(uploads, req.Parts) {
		name = withOthers
	}
	if name == "" {
		return
	}
	if name, err = s.unused(ctx, branchID, name); err != nil {
		s.log.Warn().Err(err).Msg("the names of the other branches could not be read")
	}
	s.spaces.Title(ctx, branchID, name, spaces.TitledByBranch)
}

// sameUploads reports whether two prompts have the same uploads. Files of the folder are part of their text.
func sameUploads(were []string, parts []PromptPart) bool {
	now := []string{}
	for _, part := range parts {
		if part.Hash != "" {
			now = append(now, part.Hash)
		}
	}
	slices.Sort(were)
	slices.Sort(now)
	return slices.Equal(were, now)
}

// unused returns a name that no other branch of the tree has, by adding a number if necessary.
func (s *Branches) unused(ctx context.Context, branchID, name string) (string, error) {
	rows, err := s.store.Spaces.Tree(ctx, branchID)
	if err != nil {
		return name, err
	}
	used := map[string]bool{}
	for i := range rows {
		used[rows[i].Title] = rows[i].ID != branchID || used[rows[i].Title]
	}
	one := name
	for n := 2; used[one]; n++ {
		one = name + " (" + strconv.Itoa(n) + ")"
	}
	return one, nil
}

// discard deletes a branch without messages.
func (s *Branches) discard(id string, why error) error {
	ctx, cancel := s.work.Bounded()
	defer cancel()
	if err := s.runs.Drop(ctx, id); err != nil {
		s.log.Warn().Err(err).Msg("a branch without its prompt could not be ended")
	}
	if err := s.store.PurgeSpace(ctx, id); err != nil {
		s.log.Warn().Err(err).Msg("a branch without its prompt could not be deleted")
	}
	return why
}

// Branches returns the tree of branches that a space is in, and the prompts that other branches have replaced. Without
// branches it is the space alone.
func (s *Branches) Branches(ctx context.Context, req ref.SpaceRef) (Tree, error) {
	var rows []stored.TreeSpace
	views, err := spaces.Views(ctx, s.spaces, func() (list []stored.Space, err error) {
		rows, err = s.store.Spaces.Tree(ctx, req.SpaceID)
		for _, row := range rows {
			if row.DeletedAt == 0 {
				list = append(list, row.Space)
			}
		}
		return list, err
	})
	if err != nil {
		return Tree{}, err
	}
	t := treeOf(rows)
	out := Tree{Spaces: []TreeSpace{}, Forks: []Fork{}}
	for _, row := range rows {
		i := slices.IndexFunc(views, func(sp spaces.Space) bool { return sp.ID == row.ID })
		if i >= 0 {
			out.Spaces = append(out.Spaces, TreeSpace{
				Space: views[i], Parent: t.livingParent(row.ID), Words: clip.Line(row.Words, 120), Messages: row.Messages - row.Shared,
			})
		}
	}
	for _, ord := range t.forkPositions(req.SpaceID) {
		id, prompt, err := s.store.Pages.MessageAt(ctx, req.SpaceID, ord)
		if err != nil {
			return Tree{}, err
		}
		ways := t.variants(req.SpaceID, ord)
		if prompt && len(ways) > 1 {
			out.Forks = append(out.Forks, Fork{MessageID: id, Spaces: ways, At: slices.Index(ways, req.SpaceID)})
		}
	}
	return out, nil
}
