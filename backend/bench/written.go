package main

import (
	"context"
	"fmt"

	"weft/backend/transcript"
)

type dripParams struct{ Bytes, Every, Seconds int }

// dripResult is what a slow stream costs.
type dripResult struct {
	Database, Text int64
	Commits        int64
}

func dripWork(p dripParams) (r dripResult, err error) {
	h, err := openHouse(1)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	if err := h.turn(h.spaces[0], "drip 5 10 1", func(*transcript.Event) {}); err != nil {
		return r, err
	}
	before, commits := h.databaseBytes(), h.store.Stats().Commits
	see := newReader()
	if err := h.turn(h.spaces[0], fmt.Sprintf("drip %d %d %d", p.Bytes, p.Every, p.Seconds), see.see); err != nil {
		return r, err
	}
	r.Commits = h.store.Stats().Commits - commits
	if err := h.store.Close(context.Background()); err != nil {
		return r, err
	}
	r.Database, r.Text = h.databaseBytes()-before, see.text.bytes
	return r, nil
}

// written measures what streams that are not floods write. (What the flood writes is
// with the flood.)
func (b *bench) written() error {
	for _, p := range []struct {
		name string
		dripParams
	}{
		{"24 characters every 16 ms (1.5 KB/s)", dripParams{24, 16, b.plan.seconds}},
		{"240 characters every 16 ms (15 KB/s)", dripParams{240, 16, b.plan.seconds}},
	} {
		var r dripResult
		if err := b.work("drip", p.dripParams, &r); err != nil {
			return err
		}
		b.add(row{
			What:    "bytes written per byte of text, slow stream: " + p.name,
			Reached: fmt.Sprintf("%.0f (%.1f KB a commit)", float64(r.Database)/float64(r.Text), float64(r.Database)/float64(r.Commits)/1024),
		})
	}
	return nil
}
