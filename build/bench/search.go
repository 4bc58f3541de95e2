package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	index "weft/backend/store/search"
	"weft/backend/store/spaces"
)

// searchParams say how much is searched.
type searchParams struct {
	Rows    int // texts: prompts, answers, calls
	Queries int // of each kind
}

// searchResult is how long searches took until their first page was there, in ms, by kind of query.
type searchResult struct {
	Times    map[string][]float64
	Database int64   // bytes of the database without an index
	Index    int64   // bytes that the index added
	Text     int64   // bytes of text
	Indexing float64 // seconds of the background
}

// searchWork fills a database with conversations, waits until they are indexed, and searches them.
func searchWork(p searchParams) (r searchResult, err error) {
	ctx := context.Background()
	st, done, err := openStore(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := newCorpus(1)
	began := time.Now()
	if r.Text, err = converse(ctx, st, c, p.Rows); err != nil {
		return r, err
	}
	if err := st.Search.Idle(ctx); err != nil {
		return r, err
	}
	r.Indexing = time.Since(began).Seconds()
	if r.Database, r.Index, err = st.Search.Size(ctx); err != nil {
		return r, err
	}
	r.Times = map[string][]float64{}
	queries := c.queries(p.Queries)
	c.r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	for _, q := range queries {
		began := time.Now()
		if _, err := st.Search.Search(ctx, index.Request{Query: search.Parse(q.text, time.Now())}); err != nil {
			return r, fmt.Errorf("%q: %w", q.text, err)
		}
		r.Times[q.kind] = append(r.Times[q.kind], float64(time.Since(began).Microseconds())/1000)
	}
	return r, nil
}

// spaceRows is how many texts a space has.
const spaceRows = 1000

// converse adds conversations with so many texts, and returns their size.
func converse(ctx context.Context, st *store.Store, c *corpus, rows int) (text int64, err error) {
	at := time.Now().AddDate(-2, 0, 0).UnixMilli()
	step := (time.Now().UnixMilli() - at) / int64(rows+1)
	for done := 0; done < rows; {
		im := store.Import{Key: fmt.Sprint(done), Space: spaces.Space{Title: c.text(20), Folder: "/", AgentID: "a", AgentName: "Agent", CreatedAt: at}}
		for n := 0; n < spaceRows && done < rows; {
			m := store.Imported{ID: fmt.Sprintf("m%d", n), At: at}
			id := m.ID
			add := func(b transcript.Body, s string) {
				m.Bodies = append(m.Bodies, b)
				text += int64(len(s))
				n, done, at = n+1, done+1, at+step
			}
			if c.r.IntN(4) == 0 {
				m.Bodies = append(m.Bodies, &transcript.MessageStart{MessageID: id, Role: transcript.RoleUser, Author: transcript.Author{Kind: "person"}})
				s := c.text(40 + c.r.IntN(300))
				add(&transcript.TextDelta{MessageID: id, Segment: 0, Content: s}, s)
			} else {
				m.Bodies = append(m.Bodies, &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent", ID: "a", Name: "Agent"}})
				for seg := 0; seg < 6; seg += 2 {
					s := c.text(100 + c.r.IntN(700))
					add(&transcript.TextDelta{MessageID: id, Segment: seg, Content: s}, s)
					place := transcript.At{MessageID: id, Segment: seg + 1}
					title, out := "Run "+c.text(20), c.text(100+c.r.IntN(1500))
					input, _ := json.Marshal(map[string]string{"command": c.text(60)})
					output, _ := json.Marshal(out)
					status := transcript.StatusCompleted
					add(&transcript.ToolCallStart{At: place, ToolCallID: fmt.Sprint(seg), ToolName: "bash", Title: title, Kind: "execute", Status: transcript.StatusRunning, Input: input}, out)
					m.Bodies = append(m.Bodies, &transcript.ToolCallEnd{At: place, ToolCallID: fmt.Sprint(seg), Status: status, Output: output})
				}
			}
			m.Bodies = append(m.Bodies, &transcript.MessageEnd{MessageID: id})
			im.Messages = append(im.Messages, m)
		}
		if _, _, err := st.ImportSpace(ctx, im); err != nil {
			return text, err
		}
	}
	return text, nil
}

// searching measures searches over many texts.
func (b *bench) searching() error {
	var r searchResult
	if err := b.work("search", searchParams{Rows: b.plan.lines, Queries: 25}, &r); err != nil {
		return err
	}
	var kinds []string
	var all []float64
	for kind, times := range r.Times {
		kinds = append(kinds, fmt.Sprintf("%s %.1f", kind, percentile(times, 95)))
		all = append(all, times...)
	}
	slices.Sort(kinds)
	p95 := percentile(all, 95)
	b.add(row{
		"first hits of a search in " + thousands(b.plan.lines) + " texts, p95 of a mixed set of queries",
		fmt.Sprintf("%.1f ms (%s)", p95, strings.Join(kinds, ", ")), "≤ 30 ms", verdictOf(p95 <= 30),
	})
	growth := float64(r.Index) / float64(r.Database) * 100
	b.add(row{
		"  growth of the database by the index", fmt.Sprintf("%.0f %% (%.0f MB of text, %.0f MB of rows, %.0f MB of index; filled and indexed in %.0f s)",
			growth, mega(r.Text), mega(r.Database), mega(r.Index), r.Indexing), "≤ 35 %", verdictOf(growth <= 35),
	})
	return nil
}
