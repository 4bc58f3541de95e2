package sessionfiles_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// drawing takes what is written of the paths of a tree: the texts of their messages.
type drawing struct {
	paths []*drawnPath
	byKey map[string]*drawnPath
	known []sessionfiles.Known
}

type drawnPath struct {
	sessionfiles.Path
	ids   []string
	texts map[string][]string
	read  sessionfiles.Known
}

func (d *drawing) Begin(p sessionfiles.Path) (*sessionfiles.Known, error) {
	one := &drawnPath{Path: p, texts: map[string][]string{}}
	if p.Branch && p.From != "" {
		for _, id := range d.byKey[p.From].ids {
			if p.Shared == "" {
				break
			}
			one.ids, one.texts[id] = append(one.ids, id), d.byKey[p.From].texts[id]
			if id == p.Shared {
				break
			}
		}
	}
	d.paths = append(d.paths, one)
	d.byKey[p.Key] = one
	for i := range d.known {
		if p.Was != "" && d.known[i].Key == p.Was {
			return &d.known[i], nil
		}
	}
	return nil, nil
}

func (d *drawing) Add(p sessionfiles.Piece) error {
	one := d.paths[len(d.paths)-1]
	for _, body := range p.Bodies {
		switch b := body.(type) {
		case *transcript.MessageStart:
			one.ids = append(one.ids, b.MessageID)
			one.texts[b.MessageID] = nil
		case *transcript.TextDelta:
			if _, there := one.texts[b.MessageID]; !there { // it was begun before
				one.ids = append(one.ids, b.MessageID)
			}
			one.texts[b.MessageID] = append(one.texts[b.MessageID], b.Content)
		}
	}
	return nil
}

func (d *drawing) End(_ string, read sessionfiles.Known) error {
	d.paths[len(d.paths)-1].read = read
	return nil
}

func (p *drawnPath) all() string {
	var all []string
	for _, id := range p.ids {
		all = append(all, p.texts[id]...)
	}
	return strings.Join(all, " ")
}

// planted is an entry of a random tree.
type planted struct {
	parent int // -1 for a first one
	kind   sessionfiles.EntryKind
	said   uint64
}

func entryID(n int) (id sessionfiles.EntryID) {
	binary.BigEndian.PutUint64(id[:], uint64(n)+1)
	id[15] = 1
	return id
}

// plant makes a random tree, as programs make them: prompts, responses in pieces, and results that hang on one of these pieces.
func plant(r *rand.Rand, n int) []planted {
	list := []planted{{parent: -1, kind: sessionfiles.EntryPrompt}}
	response := uint64(0)
	for len(list) < n {
		parent := len(list) - 1
		if r.IntN(6) == 0 { // the user goes back
			parent = r.IntN(len(list))
		}
		if r.IntN(40) == 0 {
			parent = -1
		}
		switch r.IntN(4) {
		case 0:
			list = append(list, planted{parent, sessionfiles.EntryPrompt, 0})
		case 1:
			list = append(list, planted{parent, sessionfiles.EntryBeside, 0})
		default:
			if parent < 0 {
				list = append(list, planted{parent, sessionfiles.EntryPrompt, 0})
				continue
			}
			response++
			list = append(list, planted{parent, sessionfiles.EntrySaid, response})
			if r.IntN(2) == 0 { // in two pieces, whose results hang on each
				first := len(list) - 1
				list = append(list, planted{first, sessionfiles.EntrySaid, response}, planted{first, sessionfiles.EntryBeside, 0}, planted{first + 1, sessionfiles.EntryBeside, 0})
			}
		}
	}
	return list
}

// draw writes a tree. It returns nil where what was written before has changed.
func draw(t *testing.T, list []planted, known []sessionfiles.Known) *drawing {
	t.Helper()
	tree := sessionfiles.NewTree()
	for i, p := range list {
		e := sessionfiles.Entry{ID: entryID(i), Kind: p.kind, Response: p.said, At: int64(i) + 1, Size: 1, Offset: int64(i)}
		if p.parent >= 0 {
			e.Parent = entryID(p.parent)
		}
		if err := tree.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	d := &drawing{byKey: map[string]*drawnPath{}, known: known}
	w := sessionfiles.NewWriter(d, "test", transcript.Author{Kind: "agent"}, 1<<40, known)
	err := tree.Write(context.Background(), strings.NewReader(strings.Repeat(" ", len(list))), w, sessionfiles.Meta{Session: "s"}, func(e *sessionfiles.Entry, _ []byte) error {
		key := string(e.ID[:])
		n := int(binary.BigEndian.Uint64(e.ID[:])) - 1
		switch e.Kind {
		case sessionfiles.EntryPrompt:
			if err := w.Prompt(key); err != nil {
				return err
			}
			w.Text(fmt.Sprint(n))
		case sessionfiles.EntrySaid:
			if err := w.Turn(key, ""); err != nil {
				return err
			}
			w.Text(fmt.Sprint(n))
		case sessionfiles.EntryBeside:
		}
		return nil
	})
	if errors.Is(err, sessionfiles.ErrRewritten) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wayTo returns what is said on the way to an entry.
func wayTo(list []planted, at int) string {
	var all []string
	for ; at >= 0; at = list[at].parent {
		if list[at].kind != sessionfiles.EntryBeside {
			all = append([]string{fmt.Sprint(at)}, all...)
		}
	}
	return strings.Join(all, " ")
}

func TestEachWayThroughATreeIsAPath(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 17))
		list := plant(r, 2+r.IntN(60))
		d := draw(t, list, nil)
		got := map[string]bool{}
		for _, p := range d.paths {
			got[p.all()] = true
		}
		leaf := make([]bool, len(list))
		for i := range leaf {
			leaf[i] = true
		}
		for _, p := range list {
			if p.parent >= 0 {
				leaf[p.parent] = false
			}
		}
		for i := range list {
			if !leaf[i] || list[i].kind != sessionfiles.EntryPrompt {
				continue
			}
			want := wayTo(list, i)
			found := false
			for way := range got { // pieces of responses that hang beside it may be in it, too
				found = found || contains(way, want)
			}
			if !found {
				t.Fatalf("seed %d: the way %q isn't among %v", seed, want, got)
			}
		}
		for _, p := range d.paths[1:] {
			if !p.Branch {
				t.Fatalf("seed %d: a second path is no branch", seed)
			}
		}
	}
}

// contains reports whether the words of part are in way, in their order.
func contains(way, part string) bool {
	words := strings.Fields(part)
	for _, w := range strings.Fields(way) {
		if len(words) > 0 && words[0] == w {
			words = words[1:]
		}
	}
	return len(words) == 0
}

func TestTreeThatGrowsIsContinued(t *testing.T) {
	rewritten := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 18))
		list := plant(r, 10+r.IntN(50))
		before := draw(t, list[:1+r.IntN(len(list)-1)], nil)
		var known []sessionfiles.Known
		for _, p := range before.paths {
			known = append(known, p.read)
		}
		d := draw(t, list, known)
		if d == nil {
			rewritten++
			continue
		}
		// What was written before and now is what is written at once.
		for _, p := range d.paths {
			if p.Was == "" {
				continue
			}
			was := before.byKey[p.Was].all()
			if p.Branch {
				continue // it begins with what it shares
			}
			id, err := hex.DecodeString(p.Key)
			if err != nil {
				t.Fatal(err)
			}
			if want := wayTo(list, int(binary.BigEndian.Uint64(id))-1); !contains(was+" "+p.all(), want) {
				t.Fatalf("seed %d: %q and then %q, not %q", seed, was, p.all(), want)
			}
		}
	}
	if rewritten > 100 {
		t.Errorf("%d of 400 trees couldn't be continued", rewritten)
	}
}

// TestDamagedTreesAreWritten has circles, entries before the ones that they follow, and parents that aren't there.
func TestDamagedTreesAreWritten(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 19))
		list := plant(r, 2+r.IntN(40))
		for range 1 + r.IntN(5) {
			list[r.IntN(len(list))].parent = r.IntN(2*len(list)) - 1
		}
		d := draw(t, list, nil)
		if len(d.paths) == 0 {
			t.Fatalf("seed %d: nothing was written", seed)
		}
		seen := map[string]bool{}
		for _, p := range d.paths {
			if p.From != "" && d.byKey[p.From] == nil {
				t.Fatalf("seed %d: a branch of a path that isn't written", seed)
			}
			for _, texts := range p.texts {
				for _, text := range texts {
					seen[text] = true
				}
			}
		}
		for i, p := range list {
			if p.kind == sessionfiles.EntryPrompt && !seen[fmt.Sprint(i)] {
				t.Fatalf("seed %d: prompt %d is lost", seed, i)
			}
		}
	}
}
