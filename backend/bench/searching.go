package main

import (
	"fmt"
	"slices"
	"strings"

	"weft/backend/bench/history"
)

// searching measures searches over many texts.
func (b *bench) searching() error {
	var r history.SearchResult
	if err := b.work("search", history.SearchParams{Rows: b.plan.lines, Queries: 25}, &r); err != nil {
		return err
	}
	var kinds []string
	for kind, times := range r.Times {
		kinds = append(kinds, fmt.Sprintf("%s %.1f", kind, history.Percentile(times, 95)))
	}
	slices.Sort(kinds)
	p95 := r.P95()
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
