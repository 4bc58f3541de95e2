package main

import (
	"context"
	"fmt"
	"time"

	"weft/backend/conversation/transcript"
)

// floodParams is a flood for any contender.
type floodParams struct{ Lines int }

// floodResult is what one contender did with it.
type floodResult struct {
	Seconds  float64
	CPU      int64 // ns of processor time, all threads
	Lines    int   // that arrived
	Seen     digest
	Stored   digest
	Grown    int64 // bytes of resident memory at the peak, over those before
	Database int64 // bytes written to the database
	Text     int64 // bytes of text
}

// rate is in lines per second, effort in ns of processor time per line.
func (r floodResult) rate() float64   { return float64(r.Lines) / r.Seconds }
func (r floodResult) effort() float64 { return float64(r.CPU) / float64(r.Lines) }

// floodWeft sends the flood as the answer to a prompt.
func floodWeft(p floodParams) (r floodResult, err error) {
	h, err := openHouse(1)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	// Everything is there and has been used once: the agent, the database, the heap.
	if err := h.turn(h.spaces[0], "flood 1000", func(*transcript.Event) {}); err != nil {
		return r, err
	}
	resetPeak()
	memory, before := resident(), h.databaseBytes()
	see := newReader()
	begin, cpu := time.Now(), cpuTime()
	if err := h.turn(h.spaces[0], fmt.Sprint("flood ", p.Lines), see.see); err != nil {
		return r, err
	}
	r.Seconds, r.CPU = time.Since(begin).Seconds(), cpuTime()-cpu
	r.Grown = peak() - memory
	if r.Stored, err = h.stored(h.spaces[0], see.message); err != nil {
		return r, err
	}
	r.Seen, r.Text = see.text.digest(), see.text.bytes
	r.Lines = int(r.Text) / len(chunkText(0))
	if err := h.store.Close(context.Background()); err != nil {
		return r, err
	}
	r.Database = h.databaseBytes() - before
	return r, nil
}

const (
	wantFaster = 2.5
	wantGrown  = 64 << 20
	wantBytes  = 4.0
)

// flood measures the flood, in turns with the SDK alone on the same stream.
func (b *bench) flood() error {
	var ratios, rates, sdkRates, efforts, sdkEfforts, bytes []float64
	var grown, sdkGrown int64
	lost := 0
	want := sent(b.plan.lines)
	for range b.plan.rounds {
		var sdk, weft floodResult
		if err := b.work("sdk", floodParams{b.plan.lines}, &sdk); err != nil {
			return err
		}
		if err := b.work("flood", floodParams{b.plan.lines}, &weft); err != nil {
			return err
		}
		if sdk.Lines != b.plan.lines {
			return fmt.Errorf("the SDK handled %d of %d lines", sdk.Lines, b.plan.lines)
		}
		if weft.Lines != b.plan.lines || weft.Seen != want || weft.Stored != want {
			lost++
		}
		ratios = append(ratios, weft.rate()/sdk.rate())
		rates, sdkRates = append(rates, weft.rate()), append(sdkRates, sdk.rate())
		efforts, sdkEfforts = append(efforts, weft.effort()), append(sdkEfforts, sdk.effort())
		bytes = append(bytes, float64(weft.Database)/float64(weft.Text))
		grown, sdkGrown = max(grown, weft.Grown), max(sdkGrown, sdk.Grown)
	}
	b.add(row{
		thousands(b.plan.lines) + " chunk lines: pipe → decode → fold → journal → relay, against acp-go-sdk alone",
		fmt.Sprintf("%.1f × (%.0fk against %.0fk lines/s; processor time %.1f against %.1f µs a line)",
			median(ratios), median(rates)/1e3, median(sdkRates)/1e3, median(efforts)/1e3, median(sdkEfforts)/1e3), "≥ 2.5 ×", verdictOf(median(ratios) >= wantFaster),
	})
	b.add(row{"  lost on the way (bytes and hash at the subscriber and in the store)", fmt.Sprintf("in %d of %d floods", lost, b.plan.rounds), "in none", verdictOf(lost == 0)})
	b.add(row{"  growth of resident memory, at its peak", fmt.Sprintf("%.0f MB (SDK: %.0f MB)", mega(grown), mega(sdkGrown)), "< 64 MB", verdictOf(grown < wantGrown)})
	b.add(row{"  bytes written to the database per byte of text", fmt.Sprintf("%.2f", median(bytes)), "≤ 4", verdictOf(median(bytes) <= wantBytes)})
	return nil
}

func mega(n int64) float64 { return float64(n) / (1 << 20) }

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
