package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"weft/backend/clip"
	"weft/backend/runs"
	"weft/backend/service/ref"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// BranchRequest makes a branch of a space: a space of its own that holds its messages up to a place.
type BranchRequest struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId,omitzero"` // the last message that it holds; empty: all of them
	// Before leaves MessageID out, too: it is the person's, and is said anew. Then Text and Parts, if there are any, are sent in the branch.
	Before bool         `json:"before,omitzero"`
	Text   string       `json:"text,omitzero"`
	Parts  []PromptPart `json:"parts,omitzero"`
	To     []string     `json:"to,omitzero"` // ids of members; empty: the default one
}

// Tree is the spaces that have come from one, as seen from one of them.
type Tree struct {
	Spaces []TreeSpace `json:"spaces"` // parents before their branches, oldest first; with the archived ones
	Forks  []Fork      `json:"forks"`  // in the order of the transcript
}

// TreeSpace is a space of a tree of branches.
type TreeSpace struct {
	Space    Space  `json:"space"`
	Parent   string `json:"parent"`   // the nearest space that it came from and that is not deleted, "" if there is none
	Words    string `json:"words"`    // how what is its own begins
	Messages int64  `json:"messages"` // that are its own
}

// Fork is a prompt of the space for which other branches have another one.
type Fork struct {
	MessageID string   `json:"messageId"`
	Spaces    []string `json:"spaces"` // one for each way on, in the order in which they were begun
	At        int      `json:"at"`     // which of them is this space
}

// Branch makes a branch. What is written, runs or waits in the space goes on there. It blocks until the branch
// is there and, with a prompt, that is sent; if it cannot be, there is no branch.
func (s *Service) Branch(ctx context.Context, req BranchRequest) (Space, error) {
	says := strings.TrimSpace(req.Text) != "" || len(req.Parts) > 0
	if says {
		if err := sendable(req.Text); err != nil {
			return Space{}, err
		}
	}
	if strings.TrimSpace(req.Text) == "" {
		req.Text = ""
	}
	parts, err := s.parts(ctx, req.SpaceID, req.Parts)
	if err != nil {
		return Space{}, err
	}
	sp, err := s.store.BranchSpace(ctx, store.Branch{SpaceID: req.SpaceID, MessageID: req.MessageID, Before: req.Before})
	if err != nil {
		return Space{}, err
	}
	if sp.Shared == 0 && !req.Before {
		return Space{}, s.unbranch(sp.ID, invalid("Nothing was said here yet, so there is nothing to branch from."))
	}
	err = s.runs.SettleBranch(ctx, sp.ID)
	if err == nil && says {
		_, err = s.send(ctx, sp.ID, req.To, req.Text, parts)
	}
	if err != nil {
		return Space{}, s.unbranch(sp.ID, err)
	}
	if !says {
		// A copy of the session is made while it stands here. Whether that works shows with the first prompt.
		s.work.Go(func() {
			ctx, cancel := s.work.Bounded()
			defer cancel()
			if err := s.runs.PrepareBranch(ctx, sp.ID); err != nil {
				s.opt.Log.Info().Err(err).Msg("the agent of a branch could not be prepared")
			}
		})
	}
	s.review.Warm(sp.ID)
	s.changesChanged(sp.ID)
	s.spaceChanged(sp.ID)
	return s.space(ctx, sp.ID)
}

// unbranch takes back a branch in which nothing was said.
func (s *Service) unbranch(id string, why error) error {
	ctx, cancel := s.work.Bounded()
	defer cancel()
	if err := s.runs.Drop(ctx, id); err != nil {
		s.opt.Log.Warn().Err(err).Msg("a branch without its prompt could not be ended")
	}
	if err := s.store.PurgeSpace(ctx, id); err != nil {
		s.opt.Log.Warn().Err(err).Msg("a branch without its prompt could not be deleted")
	}
	return why
}

// Branches answers the tree that a space is in. It is the space alone if nothing has branched.
func (s *Service) Branches(ctx context.Context, req ref.SpaceRef) (Tree, error) {
	rows, err := s.store.Spaces.Tree(ctx, req.SpaceID)
	if err != nil {
		return Tree{}, err
	}
	t := treeOf(rows)
	out := Tree{Spaces: []TreeSpace{}, Forks: []Fork{}}
	for _, row := range rows {
		if row.DeletedAt == 0 {
			out.Spaces = append(out.Spaces, TreeSpace{
				Space: s.view(row.Space), Parent: t.livingParent(row.ID), Words: clip.Line(row.Words, 120), Messages: row.Messages - row.Shared,
			})
		}
	}
	for _, ord := range t.places(req.SpaceID) {
		id, prompt, err := s.store.Pages.MessageAt(ctx, req.SpaceID, ord)
		if err != nil {
			return Tree{}, err
		}
		spaces := t.ways(req.SpaceID, ord)
		if prompt && len(spaces) > 1 {
			out.Forks = append(out.Forks, Fork{MessageID: id, Spaces: spaces, At: slices.Index(spaces, req.SpaceID)})
		}
	}
	return out, nil
}

// tree is what the spaces of a tree share.
type tree struct {
	list []spaces.TreeSpace // oldest first
	byID map[string]*spaces.TreeSpace
}

func treeOf(list []spaces.TreeSpace) *tree {
	t := &tree{list: list, byID: map[string]*spaces.TreeSpace{}}
	for i := range list {
		t.byID[list[i].ID] = &list[i]
	}
	return t
}

// livingParent answers the nearest space that id came from and that is not deleted.
func (t *tree) livingParent(id string) string {
	for range len(t.list) {
		sp := t.byID[id]
		if sp == nil || sp.Parent == "" {
			return ""
		}
		id = sp.Parent
		if p := t.byID[id]; p != nil && p.DeletedAt == 0 {
			return id
		}
	}
	return ""
}

// reach answers for each space that id came from how many messages id shares with it. A space that is gone has a place, too.
func (t *tree) reach(id string) map[string]int64 {
	out := map[string]int64{}
	shared := int64(1) << 62
	for range len(t.list) + 1 {
		out[id] = shared
		sp := t.byID[id]
		if sp == nil || sp.Parent == "" {
			break
		}
		id, shared = sp.Parent, min(shared, sp.Shared)
	}
	return out
}

// shared answers how many messages two spaces have in common.
func (t *tree) shared(a, b string) (n int64) {
	mine := t.reach(a)
	for id, far := range t.reach(b) {
		if also, ok := mine[id]; ok {
			n = max(n, min(far, also))
		}
	}
	return n
}

// places answers where others have gone another way than a space: the places of its own next messages.
func (t *tree) places(id string) []int64 {
	var list []int64
	for _, other := range t.list {
		if other.ID != id && other.DeletedAt == 0 {
			list = append(list, t.shared(id, other.ID)+1)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ways answers one space for each message that stands at a place: the space itself for its own, else the one that was used last.
func (t *tree) ways(id string, ord int64) []string {
	var ways [][]*spaces.TreeSpace
	for i := range t.list {
		sp := &t.list[i]
		if sp.DeletedAt != 0 || sp.Messages < ord || t.shared(id, sp.ID) < ord-1 {
			continue
		}
		k := slices.IndexFunc(ways, func(w []*spaces.TreeSpace) bool { return w[0].ID == sp.ID || t.shared(w[0].ID, sp.ID) >= ord })
		if k < 0 {
			ways = append(ways, []*spaces.TreeSpace{sp})
		} else {
			ways[k] = append(ways[k], sp)
		}
	}
	out := make([]string, 0, len(ways))
	for _, w := range ways {
		best := slices.MaxFunc(w, func(a, b *spaces.TreeSpace) int {
			return cmp.Or(cmp.Compare(btoi(a.ID == id), btoi(b.ID == id)), cmp.Compare(btoi(!a.Archived), btoi(!b.Archived)), cmp.Compare(a.LastActivity, b.LastActivity))
		})
		out = append(out, best.ID)
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AgentCopies tells what agents have kept of a space and would delete.
type AgentCopies struct {
	AgentName string `json:"agentName"`
	Sessions  int    `json:"sessions"` // 0 where the agent deletes none
}

// AgentCopies answers what the space's agent has kept of it, as far as it is known without starting it.
func (s *Service) AgentCopies(ctx context.Context, req ref.SpaceRef) (AgentCopies, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return AgentCopies{}, err
	}
	out := AgentCopies{AgentName: s.view(sp).AgentName}
	can, err := s.runs.Offers(ctx, sp.ID, sp.DefaultMember, sp.AgentID)
	if err != nil || !can.Delete {
		return out, err
	}
	list, err := s.store.Sessions.OfSpace(ctx, sp.ID)
	for _, se := range list {
		if se.AgentID == sp.AgentID {
			out.Sessions++
		}
	}
	return out, err
}

// DeleteSpaceRequest deletes a space.
type DeleteSpaceRequest struct {
	SpaceID string `json:"spaceId"`
	AtAgent bool   `json:"atAgent,omitzero"` // its agent is to delete what it has kept of it, too
}

// DeletedSpace tells what did not work of what the person wanted gone.
type DeletedSpace struct {
	Left string `json:"left"` // a sentence; empty if all is gone
}

// forgetAtAgent has the agent of a space delete what it has kept of it. The answer is why it did not.
func (s *Service) forgetAtAgent(ctx context.Context, sp spaces.Space, list []spaces.Session) string {
	config, err := s.agentRegistry.Get(sp.AgentID)
	if err != nil {
		return runs.Failure(err).Message
	}
	var ids []string
	for _, se := range list {
		if se.AgentID == sp.AgentID {
			ids = append(ids, se.SessionID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	if err := s.runs.Forget(ctx, config, ids); err != nil {
		return runs.Failure(err).Message
	}
	return ""
}

// ForgetSessionRequest names a conversation that an agent has kept.
type ForgetSessionRequest struct {
	AgentID   string `json:"agentId"`
	SessionID string `json:"sessionId"`
}

// ForgetSession has an agent delete a conversation that it has kept by itself, for ever. Errors: conflict where a space
// goes on with it, unsupported, refused.
func (s *Service) ForgetSession(ctx context.Context, req ForgetSessionRequest) (none, error) {
	config, err := s.agentRegistry.Get(req.AgentID)
	if err != nil {
		return none{}, err
	}
	here, err := s.store.Sessions.OfAgent(ctx, config.ID)
	if err != nil {
		return none{}, err
	}
	if here[req.SessionID] != "" {
		return none{}, &Error{Code: "conflict", Message: "A space goes on with this conversation. Delete that space, and with it what the agent has kept."}
	}
	ctx, end := s.trials.Start(ctx)
	defer end()
	return none{}, s.runs.Forget(ctx, config, []string{req.SessionID})
}
