package export

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/base/raced"
	"weft/backend/conversation/archive"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// tree fills a store with a conversation, its branches, and an unrelated one.
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

// Exporting an imported document returns the same document, byte for byte: from another database, from the same one,
// and once more from there.
func TestExportOfAnImportIsTheSame(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(max(2, raced.Of(10))) {
		r := rand.New(rand.NewPCG(seed, i))
		dirs := []string{t.TempDir(), t.TempDir()}
		one, two := openStore(t, dirs[0]), openStore(t, dirs[1])
		k := tree(t, one, r)
		req := Request{Format: JSON, SpaceID: k.id, Branches: r.IntN(2) == 0, NoThoughts: r.IntN(4) == 0}
		first, _ := exported(t, one, Options{}, req)
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
		for n, st := range []*store.Store{one, two} {
			inOrder(t, st, dirs[n])
		}
	}
}

// inOrder permanently deletes all spaces. Nothing must remain, which shows that the references to payloads were counted
// correctly.
func inOrder(t *testing.T, st *store.Store, dir string) {
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
	c, err := db.Dial(filepath.Join(dir, "weft.db"), db.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, table := range []string{"space", "member", "run", "message", "segment", "item", "call_body", "blob", "blob_chunk", "blob_use", "state", "opaque", "group_count"} {
		n := 0
		if _, err := c.One("SELECT count(*) FROM "+table, nil, &n); err != nil || n != 0 {
			t.Errorf("%s has %d rows, %v", table, n, err)
		}
	}
	if n := 0; true {
		if _, err := c.One("SELECT count(*) FROM meta WHERE key LIKE 'archive:%'", nil, &n); err != nil || n != 0 {
			t.Errorf("%d notes about imported spaces are left, %v", n, err)
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

// The events fold to the stored conversation and include all payloads.
func TestEventsFoldToTheConversation(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(max(2, raced.Of(10))) {
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

// A modified document is either rejected with a sentence, leaving nothing behind, or imported completely, so that it
// can be exported again.
func TestChangedDocumentIsRefusedOrImported(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	source := openStore(t, t.TempDir())
	doc, _ := exported(t, source, Options{}, Request{Format: JSON, SpaceID: tree(t, source, r).id, Branches: true})
	dir := t.TempDir()
	st := openStore(t, dir)
	refused := 0
	for i := range raced.Of(150) {
		bad := slices.Clone(doc)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(bad))
			switch r.IntN(6) {
			case 0:
				bad = bad[:at]
			case 1:
				bad = slices.Delete(bad, at, min(len(bad), at+1+r.IntN(200)))
			case 2:
				bad[at] = byte(r.IntN(256))
			case 3:
				bad = slices.Insert(bad, at, []byte([]string{"null", "{}", "[]", "-1", "\"", "\\", "}", "9999999999999999999", "\"segments\":"}[r.IntN(9)])...)
			case 4: // another value for the next member
				if end := bytes.IndexByte(bad[at:], ':'); end >= 0 {
					from := at + end + 1
					to := from + bytes.IndexAny(bad[from:], ",}]\n")
					if to > from {
						bad = slices.Replace(bad, from, to, []byte([]string{"null", "{}", "[]", "\"x\"", "1e300", "true", "-5"}[r.IntN(7)])...)
					}
				}
			case 5:
				bad = slices.Concat(bad[:at], bad[r.IntN(len(bad)):])
			}
			if len(bad) == 0 {
				break
			}
		}
		c, err := archive.Check(bytes.NewReader(bad))
		if err != nil {
			refused++
			var fault *archive.ReadError
			if !errors.As(err, &fault) || len(err.Error()) < 10 {
				t.Fatalf("seed %d, case %d: %v", seed, i, err)
			}
			continue
		}
		out, err := st.Restore(t.Context(), store.Restore{
			Key: fmt.Sprint(i), Head: c.Head, Spaces: c.Spaces,
			Read:  func(sink archive.Sink) error { return archive.Read(bytes.NewReader(bad), sink) },
			Place: func(*archive.Space, string) (string, map[string]string, error) { return "/here", nil, nil },
		})
		if err != nil {
			t.Fatalf("seed %d, case %d: %v", seed, i, err)
		}
		for _, id := range out.IDs {
			for _, format := range Formats() {
				exported(t, st, Options{}, Request{Format: format, SpaceID: id})
			}
		}
	}
	t.Logf("%d were refused", refused)
	inOrder(t, st, dir)
}

// Markdown and HTML files contain the messages that branches share only once, and a branch says where it began.
func TestBranchesShareMessagesInFilesForPeople(t *testing.T) {
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "Root", AgentID: "guide", AgentName: "Guide"})
	k.ask("shared question")
	k.say("shared answer")
	k.done("end_turn")
	branch, err := st.BranchSpace(t.Context(), store.Branch{SpaceID: k.id})
	if err != nil {
		t.Fatal(err)
	}
	title := "Branch"
	if _, err := st.Spaces.Update(t.Context(), branch.ID, spaces.Change{Title: &title}); err != nil {
		t.Fatal(err)
	}
	b := &talk{t: t, st: st, id: branch.ID, now: k.now, ids: 50, runs: 50}
	b.resume()
	b.ask("asked in the branch")
	b.say("answered there")
	b.done("end_turn")
	for _, format := range []Format{Markdown, HTML} {
		file, _ := exported(t, st, Options{}, Request{Format: format, SpaceID: k.id, Branches: true})
		for text, want := range map[string]int{"shared question": 1, "shared answer": 1, "asked in the branch": 1, "Branched from “Root” after 2 messages": 1} {
			if n := strings.Count(string(file), text); n != want {
				t.Errorf("%s has %q %d times, want %d", format, text, n, want)
			}
		}
		alone, _ := exported(t, st, Options{}, Request{Format: format, SpaceID: branch.ID})
		if !bytes.Contains(alone, []byte("shared answer")) || bytes.Contains(alone, []byte("Branched from")) {
			t.Errorf("%s of the branch alone: %s", format, alone)
		}
	}
}

// Without thoughts, no format has any, and the counts are adjusted.
func TestThoughtsAreLeftOutByChoice(t *testing.T) {
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "Pears", AgentID: "guide", AgentName: "Guide"})
	k.ask("How long?")
	k.think("a first thought")
	k.say("First.")
	k.think("a second thought")
	title, done := "Read", transcript.StatusCompleted
	k.tool(&transcript.ToolPatch{ID: "t", Announced: true, Title: &title, Status: &done})
	k.say("Last.")
	k.done("end_turn")
	for _, format := range Formats() {
		with, _ := exported(t, st, Options{}, Request{Format: format, SpaceID: k.id})
		without, _ := exported(t, st, Options{}, Request{Format: format, SpaceID: k.id, NoThoughts: true})
		if bytes.Count(with, []byte("thought</p>"))+bytes.Count(with, []byte("d thought"))+bytes.Count(with, []byte("t thought")) < 2 || bytes.Contains(without, []byte("d thought")) || bytes.Contains(without, []byte("t thought")) {
			t.Errorf("%s: %s", format, without)
		}
		if format == JSON {
			two := openStore(t, t.TempDir())
			again, _ := exported(t, two, Options{}, Request{Format: JSON, SpaceID: imported(t, two, without).IDs[0]})
			if !bytes.Equal(without, again) {
				t.Error(difference(without, again))
			}
		}
	}
}

// An imported conversation may have been written by another agent than its space's.
func TestMessagesHaveTheNamesOfThoseWhoWroteThem(t *testing.T) {
	t.Parallel()
	st := openStore(t, t.TempDir())
	k := begin(t, st, spaces.Space{Title: "Apples", AgentID: "guide", AgentName: "Guide"})
	k.turns = transcript.NewTurns(&k.box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent", Name: "Claude Code"}, func() string {
		k.ids++
		return fmt.Sprint("m", k.ids)
	})
	k.ask("Count")
	k.say("Twelve")
	k.done("end_turn")
	for format, want := range map[Format]string{Markdown: "## Claude Code\n", HTML: "<h2>Claude Code</h2>"} {
		text, _ := exported(t, st, Options{}, Request{Format: format, SpaceID: k.id})
		if !strings.Contains(string(text), want) {
			t.Errorf("%s doesn't say who wrote the answer:\n%s", format, text)
		}
	}
}
