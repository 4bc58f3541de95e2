package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/backend/store"
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
