package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/backend/bench/history"
	"weft/backend/bench/sessions"
	"weft/backend/store"
	"weft/backend/transcript"
)

const (
	branchSegments = 50_000
	fewBranched    = 5_000
)

type branchParams struct{ Rounds int }

// branchResult is how long branching took, in ms.
type branchResult struct{ Few, Many []float64 }

func branchWork(p branchParams) (r branchResult, err error) {
	ctx := context.Background()
	s, done, err := openStore(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	messages := shapes[1].fill
	var ids [2]string
	for i, n := range []int{fewBranched, branchSegments} {
		if ids[i], err = fill(ctx, s, messages(n)); err != nil {
			return r, err
		}
	}
	for range p.Rounds {
		for i, id := range ids {
			begin := time.Now()
			if _, err := s.BranchSpace(ctx, store.Branch{SpaceID: id}); err != nil {
				return r, err
			}
			list := &r.Few
			if i == 1 {
				list = &r.Many
			}
			*list = append(*list, time.Since(begin).Seconds()*1e3)
		}
	}
	return r, nil
}

// branch measures the copy of a long conversation.
func (b *bench) branch() error {
	var r branchResult
	if err := b.work("branch", branchParams{b.plan.rounds}, &r); err != nil {
		return err
	}
	few, many := median(r.Few), median(r.Many)
	ratio := many / few / (branchSegments / fewBranched)
	b.add(row{
		fmt.Sprintf("branching a space of %s segments against one of %s: time per segment", thousands(branchSegments), thousands(fewBranched)),
		fmt.Sprintf("%.2f × (%.0f against %.0f ms)", ratio, many, few), "≤ 1.3 ×", verdictOf(ratio <= 1.3),
	})
	return nil
}

const (
	wantExport = 5.0
	wantHeld   = 100 << 20

	wantImported = 50.0      // MB/s
	importHeld   = 200 << 20 // bytes
)

func exportWork(p history.ExportParams) (r history.ExportResult, err error) {
	ctx := context.Background()
	s, done, err := openStore(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return history.Export(p, history.Memory{Reset: resetPeak, Now: resident, Peak: peak}, s, func(bodies []transcript.Body) (string, error) { return fill(ctx, s, bodies) })
}

// exports measures the export of a long conversation to a file.
func (b *bench) exports() error {
	var r history.ExportResult
	if err := b.work("export", history.ExportParams{Rounds: b.plan.rounds}, &r); err != nil {
		return err
	}
	for _, format := range []string{"html", "json"} {
		var all []float64
		var parts []string
		grown := int64(0)
		for _, shape := range []string{"in one message", "in 1,000 messages"} {
			one := r[format+" "+shape]
			all = append(all, one.Seconds...)
			grown = max(grown, one.Grown)
			parts = append(parts, fmt.Sprintf("%s %.1f s, %.0f MB", shape, median(one.Seconds), mega(one.Bytes)))
		}
		slowest := percentile(all, 100)
		b.add(row{
			fmt.Sprintf("export of %s segments as %s to a file", thousands(history.ExportSegments), strings.ToUpper(format)),
			fmt.Sprintf("%.1f s (longest of %d; %s)", slowest, len(all), strings.Join(parts, "; ")), "≤ 5 s", verdictOf(slowest <= wantExport),
		})
		b.add(row{"  growth of resident memory, at its peak", fmt.Sprintf("%.0f MB", mega(grown)), "≤ 100 MB", verdictOf(grown <= wantHeld)})
	}
	return nil
}

func importWork(p sessions.Params) (sessions.Result, error) {
	return sessions.Import(p, resetPeak, peak)
}

// importing measures the import of other programs' conversations.
func (b *bench) importing() error {
	var r sessions.Result
	if err := b.work("import", sessions.Params{Conversations: b.plan.imported}, &r); err != nil {
		return err
	}
	rate := float64(r.Bytes) / 1e6 / r.Seconds
	b.add(row{
		fmt.Sprintf("import of %s conversations of Claude Code (%.0f MB)", thousands(r.Conversations), float64(r.Bytes)/1e6),
		fmt.Sprintf("%.0f MB/s (%.1f s; database %.0f MB)", rate, r.Seconds, float64(r.Database)/1e6), "≥ 50 MB/s", verdictOf(rate >= wantImported),
	})
	b.add(row{"  imported, and known the next time", fmt.Sprintf("%d and %d", r.Imported, r.Known), "all", verdictOf(r.Imported == r.Conversations && r.Known == r.Conversations)})
	b.add(row{"  resident memory at its peak", fmt.Sprintf("%.0f MB", mega(r.Held)), "≤ 200 MB", verdictOf(r.Held <= importHeld)})
	b.add(row{"  another import, when nothing has changed", fmt.Sprintf("%.2f s", r.Again), "", none})
	return nil
}

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
