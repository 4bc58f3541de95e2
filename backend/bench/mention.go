package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/finder"
)

type mentionParams struct{ Files int }

// mentionResult is in ms.
type mentionResult struct {
	First float64   // until the first question is answered, with the index built for it
	Keys  []float64 // of every further keystroke
}

// typed are what a user types to find a file, one key after the other.
var typed = []string{"session_test", "srvhandgo", "backend/service/h", "main.go", "vwmdl", "qqqq", "eeeeeeee"}

func mentionWork(p mentionParams) (r mentionResult, err error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := grove(dir, p.Files); err != nil {
		return r, err
	}
	f := finder.New(time.Now)
	defer f.Close()
	ctx := context.Background()
	begin := time.Now()
	if _, err := f.Find(ctx, dir, "", 50); err != nil {
		return r, err
	}
	r.First = time.Since(begin).Seconds() * 1e3
	for _, word := range typed {
		for i := range word {
			begin := time.Now()
			if _, err := f.Find(ctx, dir, word[:i+1], 50); err != nil {
				return r, err
			}
			r.Keys = append(r.Keys, time.Since(begin).Seconds()*1e3)
		}
	}
	return r, nil
}

// grove makes n empty files whose paths are like those of a large project.
func grove(dir string, n int) error {
	words := strings.Fields("backend frontend service transcript handler model view render server client test util config store journal page index router agent session message token stream event parser widget")
	for i := 0; i < n; {
		parts := []string{dir}
		for rest := i/40 + 1; rest > 0; rest /= len(words) {
			parts = append(parts, words[rest%len(words)])
		}
		folder := filepath.Join(parts...)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for range min(40, n-i) {
			name := fmt.Sprintf("%s_%s_%d.go", words[i%len(words)], words[(i/7)%len(words)], i)
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// mention measures how long the files for a mention take per keystroke.
func (b *bench) mention() error {
	const files = 100_000
	var r mentionResult
	if err := b.work("mention", mentionParams{files}, &r); err != nil {
		return err
	}
	p95 := percentile(r.Keys, 95)
	b.add(row{
		fmt.Sprintf("files for a mention in a folder of %s, per keystroke, p95", thousands(files)),
		fmt.Sprintf("%.0f ms (p50 %.0f, longest %.0f, of %d; the first, which lists the folder, %.0f ms)", p95, median(r.Keys), percentile(r.Keys, 100), len(r.Keys), r.First),
		"≤ 30 ms", verdictOf(p95 <= 30),
	})
	return nil
}
