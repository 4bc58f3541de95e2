package conversation

import (
	"cmp"
	"slices"

	"weft/backend/store/spaces"
)

// spaceTree has the spaces of a tree.
type spaceTree struct {
	list []spaces.TreeSpace // oldest first
	byID map[string]*spaces.TreeSpace
}

func treeOf(list []spaces.TreeSpace) *spaceTree {
	t := &spaceTree{list: list, byID: map[string]*spaces.TreeSpace{}}
	for i := range list {
		t.byID[list[i].ID] = &list[i]
	}
	return t
}

// livingParent returns the nearest ancestor of id that is not deleted.
func (t *spaceTree) livingParent(id string) string {
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

// reach returns for each ancestor of id how many messages id shares with it, including deleted ancestors.
func (t *spaceTree) reach(id string) map[string]int64 {
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

// sharedPositions returns how many messages two spaces share.
func (t *spaceTree) shared(a, b string) (n int64) {
	mine := t.reach(a)
	for id, far := range t.reach(b) {
		if also, ok := mine[id]; ok {
			n = max(n, min(far, also))
		}
	}
	return n
}

// forkPositions returns the positions at which others have branched off: those of the space's own next messages.
func (t *spaceTree) forkPositions(id string) []int64 {
	var list []int64
	for _, other := range t.list {
		if other.ID != id && other.DeletedAt == 0 {
			list = append(list, t.shared(id, other.ID)+1)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// variants returns one space for each message at a position: the space itself for its own message, otherwise the last
// used one.
func (t *spaceTree) variants(id string, ord int64) []string {
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
