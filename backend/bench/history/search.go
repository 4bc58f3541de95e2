package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/search"
	"weft/backend/store"
	index "weft/backend/store/search"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// SearchParams say how much is searched.
type SearchParams struct {
	Rows    int // texts: prompts, answers, calls
	Queries int // of each kind
}

// SearchResult is how long searches took until their first page was there, in ms, by kind of query.
type SearchResult struct {
	Times    map[string][]float64
	Found    map[string]int // queries that found something
	Database int64          // bytes of the database without an index
	Index    int64          // bytes that the index added
	Text     int64          // bytes of text
	Indexing float64        // seconds of the background
}

// P95 returns the 95th percentile of all searches.
func (r *SearchResult) P95() float64 {
	var all []float64
	for _, list := range r.Times {
		all = append(all, list...)
	}
	return Percentile(all, 95)
}

// Percentile returns a percentile of values.
func Percentile(list []float64, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, len(list)*p/100)]
}

// Search fills a database with conversations, waits until they are indexed, and searches them.
func Search(p SearchParams) (r SearchResult, err error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx := context.Background()
	st, _, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, st.Close(ctx)) }()
	c := newCorpus(1)
	began := time.Now()
	if r.Text, err = fill(ctx, st, c, dir, p.Rows); err != nil {
		return r, err
	}
	if err := st.Search.Idle(ctx); err != nil {
		return r, err
	}
	r.Indexing = time.Since(began).Seconds()
	if r.Database, r.Index, err = st.Search.Size(ctx); err != nil {
		return r, err
	}
	r.Times, r.Found = map[string][]float64{}, map[string]int{}
	queries := c.queries(p.Queries)
	c.r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	for _, q := range queries {
		began := time.Now()
		page, err := st.Search.Search(ctx, index.Request{Query: search.Parse(q.text, time.Now())})
		if err != nil {
			return r, fmt.Errorf("%q: %w", q.text, err)
		}
		r.Times[q.kind] = append(r.Times[q.kind], float64(time.Since(began).Microseconds())/1000)
		if len(page.Hits) > 0 {
			r.Found[q.kind]++
		}
	}
	return r, nil
}

// spaceRows is how many texts a space has.
const spaceRows = 1000

// fill adds conversations with so many texts, and returns their size.
func fill(ctx context.Context, st *store.Store, c *corpus, dir string, rows int) (text int64, err error) {
	at := time.Now().AddDate(-2, 0, 0).UnixMilli()
	step := (time.Now().UnixMilli() - at) / int64(rows+1)
	for done := 0; done < rows; {
		im := store.Import{Key: fmt.Sprint(done), Space: spaces.Space{Title: c.text(20), Folder: filepath.Join(dir, "f"), AgentID: "a", AgentName: "Agent", CreatedAt: at}}
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
