package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/relay"
	"weft/backend/store/spaces"
)

// early is the position that later ones are compared with.
const early = 1000

// The batches of updates that are measured; each is long enough to hold what is done only now and
// then, such as folding the journal into rows.
const (
	placeBatch   = 300
	placeBatches = 15
)

type positionParams struct{ Late int }

// positionResult is the processor time of one update in ns by kind of update, per batch. (Other work
// of the machine hardly changes that.)
type positionResult struct{ Early, Late map[string][]float64 }

// place is a message that is as long as wanted, in a database of its own.
type place struct {
	dir   string
	store *store.Store
	relay *relay.Relay
	space string
	box   transcript.Outbox
	fold  *transcript.Fold
	seen  chan struct{} // closed when the subscriber has ended
	n     int           // tool calls so far
}

// The kinds of update whose cost is compared. Every one is committed by itself.
var placeKinds = []struct {
	name string
	do   func(p *place, i int)
}{
	{"text", func(p *place, _ int) { p.text() }},
	{"tool update in an early segment", func(p *place, i int) {
		title := fmt.Sprintf("Read %06d", i)
		p.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "t0", Title: &title}}, now())
	}},
	{"new segment", func(p *place, i int) {
		if i%2 == 0 {
			p.call()
		} else {
			p.text()
		}
	}},
}

func positionWork(params positionParams) (r positionResult, err error) {
	var places [2]*place
	for i, n := range []int{early, params.Late} {
		p, err := openPlace(n)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		places[i] = p
	}
	r = positionResult{map[string][]float64{}, map[string][]float64{}}
	for batch := range placeBatches {
		for _, k := range placeKinds {
			for turn := range places {
				which := (turn + batch) % 2 // neither always comes first
				begin := cpuTime()
				for i := range placeBatch {
					k.do(places[which], batch*placeBatch+i)
					if err := places[which].commit(); err != nil {
						return r, err
					}
				}
				cost, list := float64(cpuTime()-begin)/placeBatch, r.Early
				if which == 1 {
					list = r.Late
				}
				list[k.name] = append(list[k.name], cost)
			}
		}
	}
	return r, nil
}

func now() int64 { return time.Now().UnixMilli() }

func (p *place) text() {
	p.fold.Apply(&transcript.Update{Kind: transcript.UpdateText, Text: "twenty-four characters. "}, now())
}

func (p *place) call() {
	title, kind, status := "Read a file", "read", transcript.StatusCompleted
	p.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{
		ID: fmt.Sprintf("t%d", p.n), Announced: true, Title: &title, Kind: &kind, Status: &status,
	}}, now())
	p.n++
}

func (p *place) commit() error {
	out := p.box.Take()
	_, err := p.store.Events.Append(context.Background(), events.Append{SpaceID: p.space, At: now(), MessageID: p.fold.ID, Bodies: out.Bodies, Blobs: out.Blobs, Superseded: out.Superseded})
	return err
}

// openPlace makes a message of n updates: eight chunks of text, then a tool call, and again. Its
// last segment is text.
func openPlace(n int) (*place, error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, relay: relay.New(), seen: make(chan struct{})}
	ctx := context.Background()
	p.store, _, err = store.Open(ctx, dir, store.Options{OnCommit: func(id string, events []transcript.Event) {
		p.relay.Publish(relay.SpaceTopic(id), events)
	}})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	sp, err := p.store.Spaces.Create(ctx, spaces.Space{Title: "Bench", Folder: dir})
	if err != nil {
		return nil, err
	}
	p.space = sp.ID
	sub := p.relay.Subscribe(relay.SpaceTopic(p.space))
	go func() {
		defer close(p.seen)
		for {
			if _, err := sub.Next(ctx); err != nil {
				return
			}
		}
	}()
	p.fold = transcript.NewFold(&p.box, transcript.MessageStart{MessageID: "m", RunID: "r", Role: transcript.RoleAgent})
	for i := range n {
		if i%10 == 8 {
			p.call()
		} else if i%10 != 9 || i == n-1 {
			p.text()
		} else {
			title := "Read it"
			p.fold.Apply(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: fmt.Sprintf("t%d", p.n-1), Title: &title}}, now())
		}
		if p.box.Size() > 64<<10 || i == n-1 {
			if err := p.commit(); err != nil {
				return nil, err
			}
		}
	}
	if err := p.store.Events.Flush(ctx, p.space); err != nil {
		return nil, err
	}
	return p, p.store.Search.Idle(ctx)
}

func (p *place) close() error {
	err := p.store.Close(context.Background())
	p.relay.Close()
	<-p.seen
	return errors.Join(err, os.RemoveAll(p.dir))
}

// position compares updates far into a message with those near its beginning.
func (b *bench) position() error {
	var r positionResult
	if err := b.work("position", positionParams{b.plan.place}, &r); err != nil {
		return err
	}
	worst := 0.0
	var kinds []string
	for _, k := range placeKinds {
		var ratios []float64
		for i, late := range r.Late[k.name] {
			ratios = append(ratios, late/r.Early[k.name][i])
		}
		ratio := median(ratios)
		worst = max(worst, ratio)
		kinds = append(kinds, fmt.Sprintf("%s %.2f × (%.0f against %.0f µs of processor time)", k.name, ratio, median(r.Late[k.name])/1e3, median(r.Early[k.name])/1e3))
	}
	b.add(row{
		fmt.Sprintf("an update at position %s against one at %s", thousands(b.plan.place), thousands(early)),
		strings.Join(kinds, ", "), "≤ 1.3 × each", verdictOf(worst <= 1.3),
	})
	return nil
}
