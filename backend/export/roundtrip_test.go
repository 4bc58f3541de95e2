package export

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/raced"
	"weft/backend/store"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// tree fills a store with a conversation, its branches, and one that has nothing to do with them.
func tree(t testing.TB, st *store.Store, r *rand.Rand) *talk {
	t.Helper()
	k := begin(t, st, spaces.Space{Title: "A “quoted” title", Folder: "/home/me/shop", AgentID: "guide", AgentName: "Guide"})
	k.fill(r, 1+r.IntN(4))
	for range r.IntN(3) {
		branch, err := st.BranchSpace(t.Context(), store.Branch{SpaceID: k.id})
		if err != nil {
			t.Fatal(err)
		}
		b := &talk{t: t, st: st, id: branch.ID, now: k.now, ids: 1000 + r.IntN(1000), runs: k.runs + 100}
		b.resume()
		b.fill(r, r.IntN(3))
	}
	if r.IntN(2) == 0 {
		m, err := st.Members.Add(t.Context(), spaces.Member{SpaceID: k.id, Name: "Second", AgentID: "other", AgentName: "Other", Speaks: "tool", Reads: "joined"})
		if err == nil && r.IntN(2) == 0 {
			err = st.Members.Remove(t.Context(), k.id, m.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	k.fill(r, r.IntN(2))
	return k
}

// What is exported, imported and exported again is the same, byte for byte: in another database, in the same one, and from there once more.
func TestExportOfAnImportIsTheSame(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(max(6, raced.Of(40))) {
		r := rand.New(rand.NewPCG(seed, i))
		one, two := openStore(t, t.TempDir()), openStore(t, t.TempDir())
		k := tree(t, one, r)
		req := Request{Format: JSON, SpaceID: k.id, Branches: r.IntN(2) == 0, NoThoughts: r.IntN(4) == 0}
		first, result := exported(t, one, Options{}, req)
		if result.Missing > 0 {
			t.Fatalf("seed %d, case %d: %+v", seed, i, result)
		}
		for n, st := range []*store.Store{two, one, two} {
			ids := imported(t, st, first).IDs
			req := req
			req.SpaceID = ids[0]
			again, _ := exported(t, st, Options{}, req)
			if !bytes.Equal(first, again) {
				t.Fatalf("seed %d, case %d, import %d: %s", seed, i, n, difference(first, again))
			}
			if n == 0 && ids[0] != k.id && !req.Branches {
				t.Errorf("The space has got another id without need: %s for %s.", ids[0], k.id)
			}
		}
		for _, st := range []*store.Store{one, two} {
			inOrder(t, st)
		}
	}
}

// inOrder deletes all spaces for good, which must leave no payload behind: then the references were counted right.
func inOrder(t *testing.T, st *store.Store) {
	t.Helper()
	list, err := st.Spaces.List(t.Context(), spaces.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range list {
		if err := st.PurgeSpace(t.Context(), sp.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func difference(a, b []byte) string {
	one, two := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range one {
		if i >= len(two) || one[i] != two[i] {
			other := ""
			if i < len(two) {
				other = two[i]
			}
			return fmt.Sprintf("line %d:\n%.2000s\n%.2000s", i+1, one[i], other)
		}
	}
	return fmt.Sprintf("%d and %d lines", len(one), len(two))
}

// The events fold to the conversation that is stored, and have all payloads.
func TestEventsFoldToTheConversation(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(max(6, raced.Of(40))) {
		r := rand.New(rand.NewPCG(seed, i))
		st := openStore(t, t.TempDir())
		k := tree(t, st, r)
		file, _ := exported(t, st, Options{}, Request{Format: Events, SpaceID: k.id})
		var conv transcript.Conversation
		data := map[string][]byte{}
		lines := bufio.NewScanner(bytes.NewReader(file))
		lines.Buffer(nil, 1<<20)
		seq := int64(0)
		for lines.Scan() {
			var head struct {
				Type, Hash, Data string
				Offset           int64
			}
			if err := json.Unmarshal(lines.Bytes(), &head, lenient, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			switch head.Type {
			case "export", "space":
				continue
			case "blob":
				b, err := base64.StdEncoding.DecodeString(head.Data)
				if err != nil || head.Offset != int64(len(data[head.Hash])) {
					t.Fatal(head.Offset, err)
				}
				data[head.Hash] = append(data[head.Hash], b...)
				continue
			}
			e, err := transcript.ParseEvent(bytes.Clone(lines.Bytes()))
			if err != nil || len(lines.Bytes()) > transcript.MaxEvent {
				t.Fatalf("%d bytes, %v", len(lines.Bytes()), err)
			}
			if seq++; e.Seq != seq || e.Epoch != 1 {
				t.Fatalf("event %d/%d, want 1/%d", e.Epoch, e.Seq, seq)
			}
			if err := conv.Apply(&e); err != nil {
				t.Fatalf("seed %d, case %d: %v", seed, i, err)
			}
		}
		n := 0
		for m, err := range st.Pages.Messages(t.Context(), k.id) {
			if err != nil {
				t.Fatal(err)
			}
			want, _ := json.Marshal(m, lenient)
			have, _ := json.Marshal(conv.Messages[n], lenient)
			if !bytes.Equal(want, have) {
				t.Fatalf("seed %d, case %d:\n%s\n%s", seed, i, want, have)
			}
			n++
		}
		if n != len(conv.Messages) {
			t.Errorf("%d messages, want %d", len(conv.Messages), n)
		}
		for _, m := range conv.Messages {
			for _, s := range m.Segments {
				for _, it := range s.Items {
					if it.Call != nil && it.Call.OutputRef != nil && data[it.Call.OutputRef.Hash] == nil {
						t.Fatalf("seed %d, case %d: an output is not in the file", seed, i)
					}
				}
			}
		}
	}
}
