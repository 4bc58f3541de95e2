package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/find"
)

// findIn returns all hits of a query, read in pages of limit hits.
func findIn(tb testing.TB, s *Store, space, query string, limit int) (hits []find.Hit) {
	tb.Helper()
	req := find.Request{Query: query, Limit: limit, Context: 12}
	for {
		page, err := s.Pages.Find(tb.Context(), space, req)
		if err != nil {
			tb.Fatal(err)
		}
		if len(page.Hits) > limit {
			tb.Fatalf("%d hits on a page of %d", len(page.Hits), limit)
		}
		hits = append(hits, page.Hits...)
		if page.Next == nil {
			return hits
		}
		req.From = page.Next
	}
}

func places(hits []find.Hit) (list []string) {
	for i := range hits {
		h := &hits[i]
		list = append(list, fmt.Sprintf("%s.%d.%d %s %s[%s]%s", h.MessageID, h.Segment, h.Item, h.Source, h.Before, h.Text, h.After))
	}
	return list
}

func TestFindInAllTextsOfASpace(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	large := strings.Repeat("filler line\n", 60_000) + "the needle in a blob\n"
	blob := blobOf(large)
	call := func(item int) transcript.At { return at("m", 1, item) }
	title, path := "Read needle.go", "src/needle.go"
	add(t, s, id, start("u"), words("u", 0, "Find the Needle, the NEEDLE, the nee"), words("u", 0, "dle and the néédle"), start("m"),
		words("m", 0, "no match"),
		&transcript.ReasoningDelta{At: call(0), Content: "a needle, I think"},
		&transcript.ToolCallStart{At: call(1), ToolCallID: "1", Title: title, Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"a\/needle","n":1,"more":["x","needle\nneedle"]}`)},
		&transcript.ToolCallEnd{At: call(1), ToolCallID: "1", Status: transcript.StatusCompleted, Output: []byte(`{"text":"needle \u0022 out"}`)},
		&transcript.ToolCallStart{At: call(2), ToolCallID: "2", Title: "Edit", Kind: "edit", Status: transcript.StatusRunning, Input: []byte(`{"old":"needle"}`)},
		&transcript.ToolCallUpdate{At: call(2), ToolCallID: "2", Content: &[]transcript.Content{{Type: "diff", Path: path, OldText: "same needle\nold needle\n", NewText: "same needle\nnew needle\n"}}},
		&transcript.ToolCallEnd{At: call(2), ToolCallID: "2", Status: transcript.StatusCompleted},
		&transcript.ToolCallStart{At: call(3), ToolCallID: "3", Title: "Run", Kind: "execute", Status: transcript.StatusRunning},
	)
	if _, err := s.Events.Append(t.Context(), events.Append{SpaceID: id, At: 1, MessageID: "m", Blobs: []transcript.Blob{blob}, Bodies: []transcript.Body{
		&transcript.ToolCallUpdate{At: call(3), ToolCallID: "3", Content: &[]transcript.Content{{Type: "text", Ref: &blob.Ref}}},
		&transcript.MessageEnd{MessageID: "m"},
	}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"u.0.-1 text Find the [Needle], the NEEDLE",
		"u.0.-1 text Needle, the [NEEDLE], the needle",
		"u.0.-1 text NEEDLE, the [needle] and the né",
		"u.0.-1 text dle and the [néédle]",
		"m.1.0 thought a [needle], I think",
		"m.1.1 title Read [needle].go",
		"m.1.1 input a/[needle]",
		"m.1.1 input [needle]\nneedle",
		"m.1.1 input needle\n[needle]",
		"m.1.1 output [needle] \" out",
		"m.1.2 diff src/[needle].go",
		"m.1.2 diff old [needle]",
		"m.1.2 diff same [needle]\nnew needle\n",
		"m.1.2 diff  needle\nnew [needle]\n",
		"m.1.3 content er line\nthe [needle] in a blob\n",
	}
	for _, limit := range []int{1, 2, 3, 7, 1000} {
		hits := findIn(t, s, id, "needle", limit)
		if got := places(hits); !slices.Equal(got, want) {
			t.Fatalf("pages of %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, c := range []struct {
		within find.Place
		want   []string
	}{
		{find.Place{MessageID: "m", Segment: 1, Item: 2}, want[10:14]},
		{find.Place{MessageID: "m", Segment: 1, Item: -1}, want[4:]},
		{find.Place{MessageID: "u", Segment: -1, Item: -1}, want[:4]},
		{find.Place{MessageID: "m", Segment: 9, Item: 2}, nil},
	} {
		page, err := s.Pages.Find(t.Context(), id, find.Request{Query: "needle", Within: &c.within, Limit: 50, Context: 12})
		if got := places(page.Hits); err != nil || !slices.Equal(got, c.want) || page.Next != nil {
			t.Errorf("within %+v: %q, %v", c.within, got, err)
		}
	}
}

func TestFindFoldsAsTheFrontendDoes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("find/testdata/fold.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for text, want := range cases {
		if got := find.Folded(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}

// TestFindAgreesWithANaiveSearch compares searches of random conversations with a naive search of their complete
// messages.
func TestFindAgreesWithANaiveSearch(t *testing.T) {
	t.Parallel()
	seeds := raced.Of(40)
	if testing.Short() {
		seeds = min(seeds, 10)
	}
	alphabet := []string{"a", "A", "á", "a\u0301", "b", "B", "ab", "\u0301", "ß", "が", "か", "각", "각", "İ", "ς", "Σ", " ", "\n", "\"", "\\", "*"}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		random := func(n int) string {
			var b strings.Builder
			for range r.IntN(n + 1) {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
			return b.String()
		}
		s := open(t, t.TempDir())
		id := newSpace(t, s, "a")
		var want []naive // all texts in order
		for m := range 1 + r.IntN(4) {
			name := fmt.Sprint("m", m)
			// Prompts are drawn as written.
			add(t, s, id, &transcript.MessageStart{MessageID: name, Role: transcript.RoleUser})
			for seg := range r.IntN(5) {
				if r.IntN(2) == 0 {
					text := naive{place: fmt.Sprintf("%s.%d.-1", name, seg)}
					for range 1 + r.IntN(4) {
						piece := random(12)
						if r.IntN(10) == 0 {
							piece = strings.Repeat(random(9), 9000)
						}
						if piece == "" {
							piece = "x"
						}
						text.text += piece
						add(t, s, id, words(name, seg, piece))
					}
					want = append(want, text)
					continue
				}
				for item := range 1 + r.IntN(3) {
					place := at(name, seg, item)
					if r.IntN(3) == 0 {
						thought := random(9) + "x"
						add(t, s, id, &transcript.ReasoningDelta{At: place, Content: thought})
						want = append(want, naive{fmt.Sprintf("%s.%d.%d", name, seg, item), thought})
						continue
					}
					title, output := random(9), random(30)
					raw, _ := json.Marshal(output)
					add(t, s, id, &transcript.ToolCallStart{At: place, ToolCallID: fmt.Sprint(m, seg, item), Title: title, Kind: "read", Status: transcript.StatusRunning},
						&transcript.ToolCallEnd{At: place, ToolCallID: fmt.Sprint(m, seg, item), Status: transcript.StatusCompleted, Output: raw})
					want = append(want, naive{fmt.Sprintf("%s.%d.%d", name, seg, item), title}, naive{fmt.Sprintf("%s.%d.%d", name, seg, item), output})
				}
			}
		}
		if err := s.Events.Flush(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			query := random(3)
			if find.Folded(query) == "" {
				continue
			}
			expected := map[string]int{}
			for _, text := range want {
				if n := strings.Count(find.Folded(text.text), find.Folded(query)); n > 0 {
					expected[text.place] += n
				}
			}
			limit := 1 + r.IntN(60)
			if r.IntN(2) == 0 {
				limit = 1000
			}
			hits := findIn(t, s, id, query, limit)
			got := map[string]int{}
			for i := range hits {
				h := &hits[i]
				got[fmt.Sprintf("%s.%d.%d", h.MessageID, h.Segment, h.Item)]++
				if find.Folded(h.Text) != find.Folded(query) {
					t.Fatalf("seed %d: %q matches %q", seed, query, h.Text)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(expected) {
				t.Fatalf("seed %d: %q is found %v, want %v", seed, query, got, expected)
			}
			if !slices.IsSortedFunc(hits, func(a, b find.Hit) int {
				return slices.Compare([]int64{a.Ord, int64(a.Segment), int64(a.Item)}, []int64{b.Ord, int64(b.Segment), int64(b.Item)})
			}) {
				t.Fatalf("seed %d: the hits of %q are not in order", seed, query)
			}
		}
		closeStore(t, s)
	}
}

type naive struct{ place, text string }

func TestFindCountsWhatIsDrawn(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	failed := transcript.Failure{Code: "agent_crashed", Message: "Some **app**les failed: apples.", Detail: "Trace of apples"}
	add(t, s, id, &transcript.MessageStart{MessageID: "u", Role: transcript.RoleUser}, words("u", 0, "Typed: **app**les"), &transcript.MessageEnd{MessageID: "u"},
		start("m"), words("m", 0, "Some **app**les, and "), words("m", 0, "ap`p`les.\n\n```\n**app**les\n```\n"), &transcript.Error{MessageID: "m", Failure: failed}, &transcript.MessageEnd{MessageID: "m"},
		start("n"), &transcript.Error{MessageID: "n", Failure: transcript.Failure{Code: "x", Message: "No apples"}}, &transcript.MessageEnd{MessageID: "n"},
		start("o"), words("o", 0, "apples"), &transcript.MessageEnd{MessageID: "o"})
	want := []string{
		"m.0.-1 text Some [apples], and appl", "m.0.-1 text ples, and [apples].**app", "m.-1.-1 error les failed: [apples].", "m.-1.-1 error Trace of [apples]",
		"n.-1.-1 error No [apples]", "o.0.-1 text [apples]",
	}
	for _, limit := range []int{1, 2, 3, 1000} {
		got := places(findIn(t, s, id, "apples", limit))
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "\n", "")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pages of %d:\n%s\nwant\n%s", limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if hits := findIn(t, s, id, "**app**les", 10); len(hits) != 3 { // typed, in code, and in an error
		t.Errorf("marks that are drawn: %q", places(hits))
	}
	page, err := s.Pages.Find(t.Context(), id, find.Request{Query: "apples", Limit: 9, Within: &find.Place{MessageID: "m", Segment: 0, Item: -1}})
	if err != nil || len(page.Hits) != 2 {
		t.Errorf("within a segment: %+v, %v", page.Hits, err)
	}
}

// TestFindIgnoresColorsOfTerminals finds words whose parts have different colors, but nothing in the color sequences.
func TestFindIgnoresColorsOfTerminals(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	p := at("m", 0, 0)
	text := "\x1b[1;31mERR\x1b[0mOR: \x1b]8;;https://example.com/31m\x07link\x1b]8;;\x1b\\ed in 31m\x1b[0m\x1b"
	add(t, s, id, start("m"), &transcript.ToolCallStart{At: p, ToolCallID: "t", Title: "Run", Kind: "execute", Status: transcript.StatusRunning},
		&transcript.ToolCallUpdate{At: p, ToolCallID: "t", Content: &[]transcript.Content{{Type: "text", Text: text}}},
		&transcript.ToolCallEnd{At: p, ToolCallID: "t", Status: transcript.StatusCompleted}, &transcript.MessageEnd{MessageID: "m"})
	for query, want := range map[string]int{"error: link": 1, "31m": 1, "example": 0, "linked in": 1, "[0m": 0} {
		if hits := findIn(t, s, id, query, 10); len(hits) != want {
			t.Errorf("%q: %q", query, places(hits))
		}
	}
}

func TestFindRefusesWhatNothingMatches(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	for _, query := range []string{"", "\u0301", strings.Repeat("x", 11<<10)} {
		if _, err := s.Pages.Find(t.Context(), id, find.Request{Query: query, Limit: 5}); err == nil || !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("a query of %d bytes: %v", len(query), err)
		}
	}
	if _, err := s.Pages.Find(t.Context(), "none", find.Request{Query: "x", Limit: 5}); err == nil {
		t.Error("a search of a space that there is not")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if page, err := s.Pages.Find(ctx, id, find.Request{Query: "x", Limit: 5}); err == nil && page.Next != nil {
		t.Errorf("a search that was canceled: %+v", page)
	}
}

// BenchmarkFind searches 100,000 segments: a call and a text in turn, in 20 messages.
func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	id := newSpace(b, s, "a")
	for m := range 20 {
		name := fmt.Sprint("m", m)
		add(b, s, id, start(name))
		var bodies []transcript.Body
		for seg := 0; seg < 5000; seg += 2 {
			p := at(name, seg+1, 0)
			callID := fmt.Sprint(m, "-", seg)
			bodies = append(bodies, words(name, seg, strings.Repeat(prose, 4)),
				&transcript.ToolCallStart{At: p, ToolCallID: callID, Title: fmt.Sprintf("Read page-%d.md", seg), Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"docs/page.md"}`)},
				&transcript.ToolCallEnd{At: p, ToolCallID: callID, Status: transcript.StatusCompleted, Summary: "Read 12 lines", Output: []byte(`{"content":"` + strings.Repeat("some output of a tool ", 20) + `"}`)})
			if len(bodies) > 600 {
				add(b, s, id, bodies...)
				bodies = nil
			}
		}
		add(b, s, id, append(bodies, &transcript.MessageEnd{MessageID: name})...)
	}
	for _, query := range []string{"nowhere to be found", "page-4998.md", "lazy dog", "größe", "e"} {
		b.Run(query, func(b *testing.B) {
			var first time.Duration
			n, pages := 0, 0
			for b.Loop() {
				begin := time.Now()
				req := find.Request{Query: query, Limit: 500, Context: 60}
				for n, pages = 0, 0; ; {
					page, err := s.Pages.Find(b.Context(), id, req)
					if err != nil {
						b.Fatal(err)
					}
					if pages++; pages == 1 {
						first = time.Since(begin)
					}
					if n += len(page.Hits); page.Next == nil || n >= 10_000 {
						break
					}
					req.From = page.Next
				}
			}
			b.ReportMetric(float64(n), "hits")
			b.ReportMetric(float64(pages), "pages")
			b.ReportMetric(float64(first.Milliseconds()), "ms-first")
		})
	}
}

func TestRangesOfBlobs(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	id := newSpace(t, s, "a")
	r := rand.New(rand.NewPCG(1, 6))
	text := make([]byte, 700_000)
	for i := range text {
		text[i] = byte('a' + r.IntN(26))
	}
	blob := blobOf(string(text))
	add(t, s, id, start("m"))
	if _, err := s.Events.Append(t.Context(), events.Append{SpaceID: id, At: 1, MessageID: "m", Blobs: []transcript.Blob{blob}, Bodies: []transcript.Body{
		&transcript.ToolCallStart{At: at("m", 0, 0), ToolCallID: "1", Title: "Run", Kind: "execute", Status: transcript.StatusRunning, Content: []transcript.Content{{Type: "text", Ref: &blob.Ref}}},
	}}); err != nil {
		t.Fatal(err)
	}
	err := s.db.View(t.Context(), "read", func(c *db.Conn) error {
		for range 200 {
			from := r.IntN(len(text) + 10)
			to := from + r.IntN(len(text))
			got, err := blobs.Range(c, blob.Ref.Hash, int64(from), int64(to))
			want := text[min(from, len(text)):min(to, len(text))]
			if err != nil || string(got) != string(want) {
				t.Fatalf("%d..%d: %d bytes, want %d, %v", from, to, len(got), len(want), err)
			}
		}
		var all []byte
		err := blobs.Chunks(c, blob.Ref.Hash, func(data []byte) (bool, error) {
			all = append(all, data...)
			return true, nil
		})
		if string(all) != string(text) {
			t.Errorf("the chunks have %d bytes", len(all))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
