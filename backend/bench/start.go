package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"weft/backend/bench/idle"
)

// start measures how long `weft serve` takes until it answers, in turns with `weft
// --version`, which only loads the program.
func (b *bench) start() error {
	weft, err := filepath.Abs(b.weft)
	if err != nil {
		return err
	}
	what := "process start → `weft serve` answers over HTTP, against `weft --version`"
	if info, _ := os.Stat(weft); info == nil {
		b.add(row{What: what, Reached: b.weft + " isn't built (make build)"})
		return nil
	}
	var serve, version []float64
	for range b.plan.starts {
		begin := time.Now()
		if err := exec.CommandContext(b.ctx, weft, "--version").Run(); err != nil {
			return err
		}
		version = append(version, time.Since(begin).Seconds()*1e3)
		ms, err := serveOnce(b.ctx, weft)
		if err != nil {
			return err
		}
		serve = append(serve, ms)
	}
	b.add(row{What: what, Reached: fmt.Sprintf("%.0f ms against %.0f ms", median(serve), median(version))})
	return nil
}

// idle measures the memory and the wake-ups of `weft serve` at rest.
func (b *bench) idle() error {
	weft, err := filepath.Abs(b.weft)
	if err != nil {
		return err
	}
	r, err := idle.Measure(b.ctx, weft, 20, time.Duration(3*b.plan.seconds)*time.Second)
	if err != nil {
		return err
	}
	b.add(row{
		What:    "`weft serve` with 20 idle spaces: resident memory; of it not pages of files; wake-ups a second",
		Reached: fmt.Sprintf("%.0f MB (%.0f MB before it rested); %.0f MB; %.2f", r.Memory, r.Before, r.Own, r.Wakes),
		Want:    "≤ 60 MB; ; ≤ 1", OK: verdictOf(r.Memory <= 60 && r.Wakes <= 1),
	})
	return nil
}

// serveOnce starts a server with an empty data folder and ends it after its first answer.
func serveOnce(ctx context.Context, weft string) (ms float64, err error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, weft, "serve", "--data", dir, "--settings", filepath.Join(dir, "settings.json"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ms, err = firstAnswer(ctx, bufio.NewScanner(out), begin)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	return ms, errors.Join(err, cmd.Wait())
}

// firstAnswer gets the page at the address that the server prints.
func firstAnswer(ctx context.Context, lines *bufio.Scanner, begin time.Time) (ms float64, err error) {
	for lines.Scan() {
		_, address, found := strings.Cut(lines.Text(), "http://")
		if !found {
			continue
		}
		address, _, _ = strings.Cut(address, "/")
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
		if err != nil {
			return 0, err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		_ = res.Body.Close()
		return time.Since(begin).Seconds() * 1e3, nil
	}
	return 0, errors.New("weft serve has printed no address")
}
