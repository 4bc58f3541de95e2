package main

import "fmt"

const (
	wantFaster = 2.5
	wantGrown  = 64 << 20
	wantBytes  = 4.0
)

// flood measures the flood, in turns with the SDK alone on the same stream, and then the
// replay of a longer one.
func (b *bench) flood() error {
	var ratios, rates, sdkRates, efforts, sdkEfforts, bytes []float64
	var grown, sdkGrown int64
	lost := 0
	check := func(r floodResult, lines int) {
		if want := sent(lines); r.Lines != lines || r.Seen != want || r.Stored != want {
			lost++
		}
	}
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
		check(weft, b.plan.lines)
		ratios = append(ratios, weft.rate()/sdk.rate())
		rates, sdkRates = append(rates, weft.rate()), append(sdkRates, sdk.rate())
		efforts, sdkEfforts = append(efforts, weft.effort()), append(sdkEfforts, sdk.effort())
		bytes = append(bytes, float64(weft.Database)/float64(weft.Text))
		grown, sdkGrown = max(grown, weft.Grown), max(sdkGrown, sdk.Grown)
	}
	lines := thousands(b.plan.lines)
	effort := median(efforts)
	b.add(row{
		lines + " chunk lines: pipe → decode → fold → journal → relay, against acp-go-sdk alone",
		fmt.Sprintf("%.1f × (%.0fk against %.0fk lines/s; processor time %.1f against %.1f µs a line)",
			median(ratios), median(rates)/1e3, median(sdkRates)/1e3, effort/1e3, median(sdkEfforts)/1e3), "≥ 2.5 ×", verdictOf(median(ratios) >= wantFaster),
	})
	b.add(row{"  lost on the way (bytes and hash at the subscriber and in the store)", lossOf(lost, b.plan.rounds), "nothing", verdictOf(lost == 0)})
	b.add(row{"  growth of resident memory, at its peak", fmt.Sprintf("%.0f MB (SDK: %.0f MB)", mega(grown), mega(sdkGrown)), "< 64 MB", verdictOf(grown < wantGrown)})
	b.add(row{"  bytes written to the database per byte of text", fmt.Sprintf("%.2f", median(bytes)), "≤ 4", verdictOf(median(bytes) <= wantBytes)})

	var replay floodResult
	if err := b.work("replay", floodParams{b.plan.replay}, &replay); err != nil {
		return err
	}
	lost = 0
	check(replay, b.plan.replay)
	slower := replay.effort() / effort
	b.add(row{
		thousands(b.plan.replay) + " lines as a replay (session/load): processor time per line against that of the flood",
		fmt.Sprintf("%.2f × (%.1f µs a line, %.0fk lines/s)", slower, replay.effort()/1e3, replay.rate()/1e3), "same (≤ 1.2 ×)", verdictOf(slower <= 1.2),
	})
	b.add(row{"  lost on the way", lossOf(lost, 1), "nothing", verdictOf(lost == 0)})
	b.add(row{"  growth of resident memory, at its peak", fmt.Sprintf("%.0f MB", mega(replay.Grown)), "< 64 MB", verdictOf(replay.Grown < wantGrown)})
	b.add(row{"  bytes written to the database per byte of text", fmt.Sprintf("%.2f", float64(replay.Database)/float64(replay.Text)), "≤ 4", verdictOf(float64(replay.Database)/float64(replay.Text) <= wantBytes)})
	return nil
}

func lossOf(lost, of int) string {
	if lost == 0 {
		return "nothing"
	}
	return fmt.Sprintf("something in %d of %d floods", lost, of)
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
