package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/backend/partialjson"
)

type inputParams struct{ Bytes, Fragment, Times, Rounds int }

// inputResult is the processor time of reading a whole input in fragments so many times, in ns, per round.
type inputResult struct{ NS []float64 }

// inputWork reads the input of a tool call as a model writes it, and asks for what is known after every fragment.
func inputWork(p inputParams) (r inputResult, err error) {
	const line = `\tif err := run(ctx, \"größe\", 42); err != nil { return err } // what a line of code looks like\n`
	doc := `{"path":"src/app.go","content":"` + strings.Repeat(line, p.Bytes/len(line)) + `"}`
	for range p.Rounds {
		began := cpuTime()
		for range p.Times { // the clock is coarse
			if err := readInput(doc, p.Fragment); err != nil {
				return r, err
			}
		}
		r.NS = append(r.NS, float64(cpuTime()-began))
	}
	return r, nil
}

func readInput(doc string, fragment int) error {
	var reader partialjson.Reader
	for i := 0; i < len(doc); i += fragment {
		if _, err := reader.Write(doc[i:min(i+fragment, len(doc))]); err != nil {
			return err
		}
		_, _ = reader.Text("content"), reader.Object()
	}
	if !reader.Done() {
		return fmt.Errorf("an input of %d bytes didn't end", len(doc))
	}
	return nil
}

// input measures the reader of tool input at two lengths, in turns.
func (b *bench) input() error {
	var short, long []float64
	for range b.plan.rounds {
		for _, p := range []struct {
			inputParams
			into *[]float64
		}{{inputParams{100 << 10, 4, 100, 10}, &short}, {inputParams{1 << 20, 4, 10, 10}, &long}} {
			var r inputResult
			if err := b.work("input", p.inputParams, &r); err != nil {
				return err
			}
			*p.into = append(*p.into, r.NS...)
		}
	}
	// The best of each: whatever else the machine does only adds to it.
	took := time.Duration(slices.Min(long) / 10)
	ratio := slices.Min(long) / slices.Min(short) * (100 * 100 << 10) / (10 << 20)
	b.add(row{
		What:    "tool input of 1 MB in fragments of 4 bytes, read as it is written",
		Reached: fmt.Sprintf("%.0f ms, per byte %.2f × that of 100 KB", float64(took.Microseconds())/1e3, ratio),
		Want:    "≤ 100 ms, ≤ 1.3 ×",
		OK:      verdictOf(took <= 100*time.Millisecond && ratio <= 1.3),
	})
	return nil
}
