package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

const (
	openSegments = 100_000
	fewSegments  = 100
	openPage     = 60 // segments, as the service asks for
)

type openingParams struct{ Rounds int }

// openingResult is how long opening took, in ms, by the shape of the space.
type openingResult struct{ Few, Many map[string][]float64 }

// shapes are the ways in which a space may have many segments.
var shapes = []struct {
	name string
	fill func(n int) []transcript.Body
}{
	{"one message", func(n int) []transcript.Body {
		bodies := []transcript.Body{&transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent}}
		for i := 0; i < n; i += 2 {
			bodies = append(bodies, twoSegments("m", i)...)
		}
		return append(bodies, &transcript.MessageEnd{MessageID: "m", StopReason: "end_turn"})
	}},
	{"two segments a message", func(n int) (bodies []transcript.Body) {
		for i := 0; i < n; i += 2 {
			id := fmt.Sprint("m", i)
			bodies = append(bodies, &transcript.MessageStart{MessageID: id, Role: transcript.RoleAgent})
			bodies = append(append(bodies, twoSegments(id, 0)...), &transcript.MessageEnd{MessageID: id, StopReason: "end_turn"})
		}
		return bodies
	}},
}

func twoSegments(message string, i int) []transcript.Body {
	at := transcript.At{MessageID: message, Segment: i + 1}
	id := fmt.Sprint("t", i)
	return []transcript.Body{
		&transcript.TextDelta{MessageID: message, Segment: i, Content: "I read the file to see what it says about this, and then continue with the next one.\n\n"},
		&transcript.ToolCallStart{At: at, ToolCallID: id, Title: "Read docs/numbers.md", Kind: "read", Status: transcript.StatusRunning, Input: []byte(`{"path":"docs/numbers.md"}`)},
		&transcript.ToolCallEnd{At: at, ToolCallID: id, Status: transcript.StatusCompleted, Summary: "Read 120 lines", DurationMs: 12},
	}
}

func openingWork(p openingParams) (r openingResult, err error) {
	ctx := context.Background()
	s, done, err := openStore(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done()) }()
	spaces := map[string][2]string{}
	for _, shape := range shapes {
		var ids [2]string
		for i, n := range []int{fewSegments, openSegments} {
			if ids[i], err = fill(ctx, s, shape.fill(n)); err != nil {
				return r, err
			}
		}
		spaces[shape.name] = ids
	}
	r = openingResult{map[string][]float64{}, map[string][]float64{}}
	for round := range p.Rounds {
		for name, ids := range spaces {
			for turn := range ids {
				which := (turn + round) % 2
				begin := time.Now()
				snap, err := s.Pages.Snapshot(ctx, ids[which], openPage)
				if err != nil {
					return r, err
				}
				if _, err := json.Marshal(snap.Page); err != nil {
					return r, err
				}
				list := r.Few
				if which == 1 {
					list = r.Many
				}
				list[name] = append(list[name], time.Since(begin).Seconds()*1e3)
			}
		}
	}
	return r, nil
}

// openStore opens a database of its own, which goes with done.
func openStore(ctx context.Context) (s *store.Store, done func() error, err error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return nil, nil, err
	}
	if s, _, err = store.Open(ctx, dir, store.Options{}); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, func() error { return errors.Join(s.Close(ctx), os.RemoveAll(dir)) }, nil
}

func fill(ctx context.Context, s *store.Store, bodies []transcript.Body) (string, error) {
	sp, err := s.Spaces.Create(ctx, spaces.Space{Title: "Bench", Folder: "/"})
	for len(bodies) > 0 && err == nil {
		n := min(len(bodies), 1000)
		_, err = s.Events.Append(ctx, events.Append{SpaceID: sp.ID, At: now(), Bodies: bodies[:n]})
		bodies = bodies[n:]
	}
	if err == nil {
		err = s.Events.Flush(ctx, sp.ID)
	}
	return sp.ID, err
}

// opening compares reading a very long space with reading a short one.
func (b *bench) opening() error {
	var r openingResult
	if err := b.work("opening", openingParams{100}, &r); err != nil {
		return err
	}
	worst := 0.0
	var reached []string
	for _, shape := range shapes {
		few, many := r.Few[shape.name], r.Many[shape.name]
		ratio := median(many) / median(few)
		worst = max(worst, ratio)
		reached = append(reached, fmt.Sprintf("%s %.2f × (%.1f against %.1f ms, p99 %.0f ms)", shape.name, ratio, median(many), median(few), percentile(many, 99)))
	}
	b.add(row{
		fmt.Sprintf("opening a space of %s segments against one of %d: snapshot and its JSON", thousands(openSegments), fewSegments),
		strings.Join(reached, ", "), "≤ 1.3 × each", verdictOf(worst <= 1.3),
	})
	return nil
}
