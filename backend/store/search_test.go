package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/base/raced"
	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	index "weft/backend/store/search"
)

// requestOf returns the request for a query. Filters call the agent of all messages guide.
func requestOf(query string, below int64) index.Request {
	req := index.Request{Query: search.Parse(query, time.Now()), Below: below}
	if slices.Contains(req.Query.Without.Agent, "guide") {
		req.NotAgents = []string{"guide"}
	}
	return req
}

// lookUp returns the places of all hits of a query, sorted.
func lookUp(tb testing.TB, s *Store, query string) []string {
	tb.Helper()
	var places []string
	for below, first := int64(0), true; first || below > 0; first = false {
		page, err := s.Search.Search(context.Background(), requestOf(query, below))
		if err != nil {
			tb.Fatalf("search for %q: %v", query, err)
		}
		for _, h := range page.Hits {
			places = append(places, fmt.Sprintf("%s/%s.%d.%d", h.SpaceID, h.MessageID, h.Segment, h.Item))
		}
		below = page.Next
	}
	slices.Sort(places)
	return places
}

// counted returns the number of hits that Count finds for a query.
func counted(tb testing.TB, s *Store, query string) (n int) {
	tb.Helper()
	req := requestOf(query, 0)
	for {
		c, err := s.Search.Count(tb.Context(), req)
		if err != nil {
			tb.Fatal(err)
		}
		if n += c.Hits; c.Next == 0 {
			return n
		}
		req.Below = c.Next
	}
}

// conversation generates random events from a seed.
type conversation struct {
	r        *rand.Rand
	messages int
	open     bool
	segments int
	calls    []transcript.At // that have not ended
}

var vocabulary = strings.Fields(`apple apples banana Datenbankverbindung Verbindung useEffect(() useEffect a.b.c --flag src/apples.js error Error XMLHttpRequest
	连接到数据库失败 数据库 ファイルを読む Straße strasse café cafe\u0301 the and of in 42 e0b1c2 hello world "quoted" x=1 foo_bar fooBar 👍 done✅ 👩🏽‍💻 → ❤️`)

// exclusions are filters that leave something out.
var exclusions = []string{"-kind:call", "-kind:thought -kind:prompt", "-has:error", "-agent:guide", "-agent:nobody", "kind:answer -kind:answer", "has:error -kind:call", "-after:2020", "-before:2020", "-space:x"}

func (g *conversation) text() string {
	var b strings.Builder
	for range g.r.IntN(8) + 1 {
		b.WriteString(vocabulary[g.r.IntN(len(vocabulary))])
		b.WriteString([]string{" ", "\n", ", ", ""}[g.r.IntN(4)])
	}
	if g.r.IntN(40) == 0 {
		return strings.Repeat(b.String()+" ", 1+8000/b.Len())
	}
	return b.String()
}

func (g *conversation) id() string { return fmt.Sprintf("m%d", g.messages) }

func (g *conversation) next() []transcript.Body {
	if !g.open {
		g.messages++
		g.open, g.segments = true, 0
		if g.r.IntN(3) == 0 {
			g.open = false
			return []transcript.Body{
				&transcript.MessageStart{MessageID: g.id(), Role: transcript.RoleUser, Author: transcript.Author{Kind: "person"}},
				words(g.id(), 0, g.text()), &transcript.MessageEnd{MessageID: g.id()},
			}
		}
		return []transcript.Body{start(g.id())}
	}
	switch g.r.IntN(9) {
	case 0:
		g.open = false
		return []transcript.Body{&transcript.MessageEnd{MessageID: g.id()}}
	case 1, 2:
		g.segments++
		return []transcript.Body{words(g.id(), g.segments-1, g.text())}
	case 3:
		if g.segments == 0 {
			return nil
		}
		return []transcript.Body{words(g.id(), g.segments-1, g.text())} // ignored if that is a group
	case 4:
		g.segments++
		return []transcript.Body{&transcript.ReasoningDelta{At: at(g.id(), g.segments-1, 0), Content: g.text()}}
	case 5, 6:
		g.segments++
		place := at(g.id(), g.segments-1, 0)
		g.calls = append(g.calls, place)
		input, _ := json.Marshal(map[string]string{"command": g.text()})
		return []transcript.Body{&transcript.ToolCallStart{At: place, ToolCallID: "c", ToolName: "run", Title: g.text(), Kind: "execute", Status: transcript.StatusRunning, Input: input}}
	case 7:
		if len(g.calls) == 0 {
			return nil
		}
		i := g.r.IntN(len(g.calls))
		place := g.calls[i]
		output, _ := json.Marshal(g.text())
		if g.r.IntN(2) == 0 {
			return []transcript.Body{&transcript.ToolCallUpdate{At: place, ToolCallID: "c", Output: output}}
		}
		g.calls = slices.Delete(g.calls, i, i+1)
		return []transcript.Body{&transcript.ToolCallEnd{At: place, ToolCallID: "c", Status: transcript.StatusCompleted, Output: output}}
	}
	return []transcript.Body{&transcript.Error{MessageID: g.id(), Failure: transcript.Failure{Code: "c", Message: g.text()}}}
}

// unit is a text as it is read back.
type unit struct {
	place  string
	texts  []string
	kind   search.Kind
	failed bool
	agent  bool // written by an agent
}

// passes reports whether a unit passes the filters. All agents are the guide, and all spaces are searched.
func (u *unit) passes(q *search.Query) bool {
	f, w := &q.Filters, &q.Without
	guide := u.agent && slices.Contains(w.Agent, "guide")
	return (len(f.Kind) == 0 || slices.Contains(f.Kind, u.kind)) && !slices.Contains(w.Kind, u.kind) && (!f.Error || u.failed) && (!w.Error || !u.failed) && !guide &&
		f.After == 0 // everything is from 1970
}

// everything returns all texts of a space.
func everything(tb testing.TB, s *Store, space string, messages int) (units []unit) {
	tb.Helper()
	for n := range messages {
		m, err := s.Pages.Message(context.Background(), space, fmt.Sprintf("m%d", n+1))
		if err != nil {
			tb.Fatal(err)
		}
		add := func(kind search.Kind, failed bool, segment, item int, texts ...string) {
			agent := m.Role == transcript.RoleAgent
			if !agent {
				kind = search.KindPrompt
			}
			units = append(units, unit{fmt.Sprintf("%s/%s.%d.%d", space, m.ID, segment, item), texts, kind, failed, agent})
		}
		if m.Error != nil {
			add(search.KindNote, true, -1, -1, m.Error.Message)
		}
		for i, seg := range m.Segments {
			if seg.Type == transcript.SegmentText {
				add(search.KindAnswer, false, i, -1, seg.Text)
			}
			for j, it := range seg.Items {
				c := it.Call
				if c == nil {
					add(search.KindThought, false, i, j, it.Text)
					continue
				}
				texts := []string{c.Title, c.Name}
				for _, raw := range [][]byte{c.Input, c.Output} {
					texts = append(texts, values(tb, raw)...)
				}
				add(search.KindCall, c.Status == transcript.StatusFailed, i, j, texts...)
			}
		}
	}
	return units
}

// scan returns the places where a query matches, by reading everything.
func scan(units []unit, query string) (places []string) {
	q := search.Parse(query, time.Now())
	for _, u := range units {
		if _, ok := q.Match(u.texts...); ok && u.passes(&q) {
			places = append(places, u.place)
		}
	}
	slices.Sort(places)
	return places
}

// values returns the strings and keys in a JSON value of a random conversation.
func values(tb testing.TB, raw []byte) (list []string) {
	tb.Helper()
	var v any
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		tb.Fatal(err)
	}
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for key, value := range v {
			list = append(list, key+"\n"+value.(string))
		}
	}
	return list
}

// The index finds the same as a full scan, however much is indexed already.
func TestSearchFindsWhatScanningFinds(t *testing.T) {
	for seed := range uint64(raced.Of(10)) {
		g := &conversation{r: rand.New(rand.NewPCG(seed, 17))}
		dir := t.TempDir()
		s := open(t, dir)
		newSpace(t, s, "a")
		for range 250 {
			if bodies := g.next(); len(bodies) > 0 {
				add(t, s, "a", bodies...)
			}
		}
		compareSearch(t, s, g, seed, "while it is indexed")
		closeStore(t, s)
		s = open(t, dir)
		compareSearch(t, s, g, seed, "opened again")
		for _, place := range g.calls {
			add(t, s, "a", &transcript.ToolCallEnd{At: place, ToolCallID: "c", Status: transcript.StatusCompleted})
		}
		if g.open {
			add(t, s, "a", &transcript.MessageEnd{MessageID: g.id()})
		}
		if err := s.Search.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		compareSearch(t, s, g, seed, "indexed")
		closeStore(t, s)
	}
}

func compareSearch(t *testing.T, s *Store, g *conversation, seed uint64, when string) {
	t.Helper()
	if err := s.Events.Flush(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	found, units := 0, everything(t, s, "a", g.messages)
	for range raced.Of(80) {
		query := vocabulary[g.r.IntN(len(vocabulary))]
		switch g.r.IntN(8) {
		case 4:
			query = exclusions[g.r.IntN(len(exclusions))] + " " + query
		case 5:
			query = exclusions[g.r.IntN(len(exclusions))]
		case 0:
			query += " " + vocabulary[g.r.IntN(len(vocabulary))]
		case 1:
			query += " -" + vocabulary[g.r.IntN(len(vocabulary))]
		case 2:
			query = `"` + strings.ReplaceAll(strings.TrimSpace(g.text()), `"`, "") + `"`
		case 3: // a part of a word
			r := []rune(query)
			from := g.r.IntN(len(r))
			query = string(r[from : from+1+g.r.IntN(len(r)-from)])
		}
		got, want := lookUp(t, s, query), scan(units, query)
		if q := search.Parse(query, time.Now()); q.Empty() && !q.Limited() {
			continue
		}
		got, want = slices.Compact(got), slices.Compact(want)
		found += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %s: %q\ngot  %v\nwant %v", seed, when, query, got, want)
		}
		if n := counted(t, s, query); n < len(want) || n == 0 != (len(want) == 0) {
			t.Fatalf("seed %d, %s: %d hits of %q are counted, want %v", seed, when, n, query, want)
		}
	}
	if found < 100 {
		t.Errorf("seed %d, %s: only %d texts were found", seed, when, found)
	}
}

// Each page has older texts than the previous one, each text occurs once, and Count returns the same number.
func TestPagesGoFromNewToOld(t *testing.T) {
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	for m := range 250 {
		name := fmt.Sprint("m", m)
		add(t, s, "a", start(name), words(name, 0, "apples and pears"), &transcript.MessageEnd{MessageID: name})
	}
	if err := s.Search.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"apples", "pea", "ear", "kind:answer", "and -bananas"} {
		req, found, oldest := index.Request{Query: search.Parse(query, time.Now())}, 0, int64(1000)
		for pages := 0; pages == 0 || req.Below > 0; pages++ {
			page, err := s.Search.Search(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			least := oldest
			for _, h := range page.Hits {
				if h.Ord >= oldest {
					t.Fatalf("%q: page %d has message %d, the one before went down to %d", query, pages, h.Ord, oldest)
				}
				least = min(least, h.Ord)
			}
			oldest, found, req.Below = least, found+len(page.Hits), page.Next
		}
		if n := counted(t, s, query); query != "ear" && found != 250 || n != found {
			t.Errorf("%q: %d found, %d counted", query, found, n)
		}
	}
}

// queryPieces is the grammar of hostile queries.
var queryPieces = []string{
	"apple", "Äpfel", "数据库", "ファイル", "useEffect(() =>", "a.b.c", "--flag", "-", "--", "-apple", `-"`, `"`, `""`, `"apple`, `"连接`, "*", "^", "(", ")", "NEAR(", " OR ", " AND ", " NOT ", "{tokens}:", "tokens:", ":", "kind:", "kind:call", "has:error",
	"space:", `space:"`, "agent:x", "file:src/", `file:"`, "before:2026-11-25", "after:7d", "before:x", "'", "''", ";", "--;", "DROP TABLE", "%", "_", "\\", "\x00", "\xff", "\u0301", "\u202e", "\ue000", "ß", "😀", "\n", "\t", "  ", "x=1",
}

// TestHostileQueriesAreSearched runs queries from a grammar: none fails, and each finds only what it should.
func TestHostileQueriesAreSearched(t *testing.T) {
	g := &conversation{r: rand.New(rand.NewPCG(99, 17))}
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	for range 200 {
		if bodies := g.next(); len(bodies) > 0 {
			add(t, s, "a", bodies...)
		}
	}
	if err := s.Search.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	units := everything(t, s, "a", g.messages)
	for seed := range uint64(raced.Of(400)) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		size := 40
		if seed%40 == 0 {
			size = 10 << 10
		}
		for b.Len() < 1+r.IntN(size) {
			b.WriteString(queryPieces[r.IntN(len(queryPieces))])
			if r.IntN(3) == 0 {
				b.WriteByte(' ')
			}
		}
		query := b.String()
		q := search.Parse(query, time.Now())
		got := slices.Compact(lookUp(t, s, query))
		if n := counted(t, s, query); n < len(got) {
			t.Errorf("seed %d: %q finds %d and counts %d", seed, query, len(got), n)
		}
		if q.Empty() || q.Limited() {
			continue
		}
		if want := slices.Compact(scan(units, query)); !slices.Equal(got, want) {
			t.Errorf("seed %d: %q\ngot  %v\nwant %v", seed, query, got, want)
		}
	}
}

// A long text is searched in pieces, but an excluded term in any piece excludes the whole text.
func TestWordsAreExcludedFromWholeTexts(t *testing.T) {
	s := open(t, t.TempDir())
	newSpace(t, s, "a")
	filler := strings.Repeat("filler words without end ", 2000)
	add(t, s, "a", start("m1"), words("m1", 0, "apple "+filler+"banana"), &transcript.MessageEnd{MessageID: "m1"},
		start("m2"), words("m2", 0, filler+"apple"), words("m2", 1, "an apple"), &transcript.MessageEnd{MessageID: "m2"})
	for _, when := range []string{"noted", "indexed"} {
		if err := s.Events.Flush(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]string{
			"apple -banana": {"a/m2.0.-1", "a/m2.1.-1"}, "apple -filler": {"a/m2.1.-1"}, "banana -apple": nil, `filler -"an apple" -banana`: {"a/m2.0.-1"},
		} {
			if got := slices.Compact(lookUp(t, s, query)); !slices.Equal(got, want) {
				t.Errorf("%s: %q finds %v, want %v", when, query, got, want)
			}
		}
		if err := s.Search.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndexIsMadeAgainWhenItIsDamaged(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	newSpace(t, s, "a")
	add(t, s, "a", start("m"), words("m", 0, "the needle in the haystack"), &transcript.MessageEnd{MessageID: "m"})
	want := lookUp(t, s, "needle")
	if len(want) != 1 {
		t.Fatalf("found %v", want)
	}
	for _, damage := range []string{
		"UPDATE %s_data SET block = x'00112233445566778899'",
		"DELETE FROM %s_data",
		"DROP TABLE %s",
	} {
		var table string
		inFile(t, s, "SELECT max(name) FROM sqlite_schema WHERE name LIKE 'search_tokens_%_1'", &table)
		damage = fmt.Sprintf(damage, table)
		if err := s.db.Change(t.Context(), "damage the index", func(c *db.Conn) error { return c.Script(damage) }); err != nil {
			t.Fatal(damage, err)
		}
		// Writes still succeed, whether a write or a search finds the damage.
		add(t, s, "a", start(damage), words(damage, 0, "another text"), &transcript.MessageEnd{MessageID: damage})
		for try := 0; ; try++ {
			_, err := s.Search.Search(t.Context(), index.Request{Query: search.Parse("needle", time.Now())})
			if err == nil && s.Search.Idle(t.Context()) == nil {
				if got := lookUp(t, s, "needle"); slices.Equal(got, want) {
					break
				}
			}
			if try == 1000 {
				t.Fatalf("%s: %v", damage, err)
			}
		}
	}
}

func TestDeletedAndPurgedSpacesAreNotFound(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	for _, id := range []string{"a", "b"} {
		newSpace(t, s, id)
		add(t, s, id, start("m"), words("m", 0, "needle"), &transcript.MessageEnd{MessageID: "m"})
	}
	if got := lookUp(t, s, "needle"); len(got) != 2 {
		t.Fatalf("found %v", got)
	}
	if err := s.PurgeSpace(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := lookUp(t, s, "needle"); len(got) != 1 || got[0] != "b/m.0.-1" {
		t.Errorf("after a purge: %v", got)
	}
	for _, table := range []string{"search_doc", "search_todo"} {
		var n int
		inFile(t, s, "SELECT count(*) FROM "+table+" WHERE mid NOT IN (SELECT mid FROM message)", &n)
		if n != 0 {
			t.Errorf("%d rows of purged messages are left in %s", n, table)
		}
	}
}

// The index keeps no tokens or words of a purged space, whatever else is in the same tables.
func TestIndexForgetsPurgedSpaces(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	for i, id := range []string{"kept", "gone", "other"} {
		newSpace(t, s, id)
		for m := range 60 {
			name := fmt.Sprint("m", m)
			add(t, s, id, start(name), words(name, 0, fmt.Sprintf("shared Donaudampfschiff %[1]sonly %[1]scompoundword %[2]d%[3]d", id, i, m)), &transcript.MessageEnd{MessageID: name})
		}
		if err := s.Search.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if terms := indexedTerms(t, s); !slices.Contains(terms, "goneonly") {
		t.Fatalf("the terms can't be read: %q", terms)
	}
	if err := s.PurgeSpace(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	if err := s.Search.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	terms := indexedTerms(t, s)
	if left := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return !strings.Contains(term, "gone") }); len(left) > 0 {
		t.Errorf("terms that are left: %q", left)
	}
	for _, term := range []string{"shared", "donaudampfschiff", "keptonly", "othercompoundword"} {
		if !slices.Contains(terms, term) {
			t.Errorf("%q is not in the index any more", term)
		}
	}
	if got := lookUp(t, s, "dampfschiff"); len(got) != 120 {
		t.Errorf("%d hits of a part of a word", len(got))
	}
	add(t, s, "kept", start("late"), words("late", 0, "gonecompoundword"), &transcript.MessageEnd{MessageID: "late"})
	if got := lookUp(t, s, "compoundword"); len(got) != 121 {
		t.Errorf("%d hits of a part of a word that came again", len(got))
	}
}

// indexedTerms returns all terms in the token tables and all words in the word list.
func indexedTerms(t *testing.T, s *Store) (all []string) {
	t.Helper()
	err := s.db.Change(t.Context(), "read the index", func(c *db.Conn) error {
		tables, err := db.List[string](c, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE search%'")
		if err != nil {
			return err
		}
		words, err := db.List[string](c, "SELECT CAST(words AS TEXT) FROM search_word")
		if err != nil {
			return err
		}
		all = strings.Fields(strings.Join(words, "\n"))
		for _, table := range tables {
			if err := c.Script("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', '" + table + "', 'row')"); err != nil {
				return err
			}
			terms, err := db.List[string](c, "SELECT term FROM temp.terms")
			if err != nil {
				return err
			}
			all = append(all, terms...)
			if err := c.Script("DROP TABLE temp.terms"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestBranchesAreFound(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	newSpace(t, s, "a")
	add(t, s, "a", start("m"), words("m", 0, "needle"), &transcript.MessageEnd{MessageID: "m"})
	if _, err := s.BranchSpace(t.Context(), Branch{SpaceID: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Search.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := lookUp(t, s, "needle"); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

// TestSearchIsNotCompleteBeforeAnImportIsFound searches from the moment at which an import is stored: once the index is
// reported complete, everything is found.
func TestSearchIsNotCompleteBeforeAnImportIsFound(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	for n := range 3 {
		im := importOf("a needle", "another needle")
		im.Key = fmt.Sprint(n)
		if _, _, err := s.ImportSpace(t.Context(), im); err != nil {
			t.Fatal(err)
		}
		for complete := false; !complete; {
			p, err := s.Search.Progress(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			complete = p.Total == 0
			if got := lookUp(t, s, "needle"); complete && len(got) != 2*n+2 {
				t.Fatalf("import %d: the index is complete, and %d texts are found", n, len(got))
			}
		}
	}
}

// Overlapping ranges are indexed once, whatever is between their messages.
func TestRangesThatOverlapAreIndexedOnce(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	for _, id := range []string{"a", "b"} {
		newSpace(t, s, id)
	}
	for n := range 40 {
		m := fmt.Sprintf("m%d", n)
		add(t, s, []string{"a", "b"}[n%2], start(m), words(m, 0, "needle"), &transcript.MessageEnd{MessageID: m})
	}
	for _, r := range [][2]int64{{1, 30}, {7, 12}, {7, 40}, {31, 35}, {12, 12}, {40, 90}} {
		err := s.db.Change(t.Context(), "add a range", func(c *db.Conn) error { return s.Search.AddRange(c, r[0], r[1]) })
		if err != nil {
			t.Fatal(r, err)
		}
	}
	if err := s.Search.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var docs, ranges int
	inFile(t, s, "SELECT count(*) FROM search_doc", &docs)
	inFile(t, s, "SELECT count(*) FROM search_range", &ranges)
	if docs != 40 || ranges != 0 || len(lookUp(t, s, "needle")) != 40 {
		t.Errorf("%d documents, %d ranges left", docs, ranges)
	}
}

func TestTextsAreFoundByTheirAgents(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	newSpace(t, s, "a")
	for i, name := range []string{"Claude Code", "Codex", ""} {
		id := fmt.Sprintf("m%d", i)
		add(t, s, "a", &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: fmt.Sprint("id", i), Name: name}},
			words(id, 0, "needle"), &transcript.MessageEnd{MessageID: id})
	}
	for query, want := range map[string]int{"needle": 3, "needle agent:codex": 1, "needle agent:code": 2, `needle agent:"claude code"`: 1, "needle agent:nobody": 0, "agent:claude": 1} {
		if got := lookUp(t, s, query); len(got) != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	page, err := s.Search.Search(t.Context(), index.Request{Query: search.Parse("needle agent:x", time.Now()), Agents: []string{"id2"}})
	if err != nil || len(page.Hits) != 1 {
		t.Errorf("by id: %v %v", page.Hits, err)
	}
}
