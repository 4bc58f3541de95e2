package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"aead.dev/minisign"

	"weft/backend/desktop/update"
)

// The versions: one that is installed, and one that a server on this machine publishes.
const (
	older = "1.0.0"
	newer = "1.1.0"
)

// updating has an installed Weft replace itself.
type updating struct {
	*drive

	archive string
	env     []string
	cut     atomic.Bool // the download ends in its middle
}

func (u *updating) steps() []step {
	return []step{
		{name: "a newer version is published on this machine, and found", do: u.finds},
		{name: "a download that is cut short leaves all as it was", do: u.cutShort},
		{name: "weft update puts the newer version in place", do: u.updates},
		{name: "its first start fails, and the next one goes back", do: u.goesBack},
		{name: "it is downloaded again, and Weft restarts in it, at the same address, for the same browser", do: u.restarts},
		{name: "after one more start nothing is left of the update", do: u.tidies},
	}
}

// state is what a step looks at of the state of updates.
type state struct {
	Version, Phase, Ready, Error string
	CanRestart, Replaces         bool
	Available                    *struct{ Version string }
	Outcome                      *struct {
		To, Why string
		Failed  bool
	}
}

// publish serves the newer version at an address of this machine.
func (u *updating) publish() error {
	raw, err := os.ReadFile(u.archive)
	if err != nil {
		return err
	}
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base, name, sum := "http://"+l.Addr().String()+"/", "weft-"+newer+"-windows-amd64.zip", sha256.Sum256(raw)
	list, signature, err := update.Sign(update.Manifest{
		Version: newer, Date: time.Now().UTC(), Notes: "* Pears are counted, too.",
		Files: []update.File{{OS: "windows", Arch: runtime.GOARCH, Kind: update.KindZip, Name: name, URL: base + name, Size: int64(len(raw)), SHA256: hex.EncodeToString(sum[:])}},
	}, private)
	if err != nil {
		return err
	}
	answer := func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }
	}
	mux := http.NewServeMux()
	mux.Handle("/weft.json", answer(list))
	mux.Handle("/weft.json.minisig", answer(signature))
	mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
		if u.cut.Load() {
			w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
			_, _ = w.Write(raw[:len(raw)/2])
			panic(http.ErrAbortHandler)
		}
		answer(raw)(w, r)
	})
	go func() { _ = (&http.Server{Handler: mux, ReadHeaderTimeout: patience}).Serve(l) }()
	u.env = []string{update.EnvAddress + "=" + base + "weft.json", update.EnvKey + "=" + public.String()}
	return nil
}

func (u *updating) data() string { return filepath.Join(u.work, "data") }

func (u *updating) begin() (err error) {
	u.weft, err = serve(u.program, u.data(), u.env...)
	return err
}

// end ends the Weft that serves now, which may be the successor of the one that was started.
func (u *updating) end(ctx context.Context) error {
	p, err := holder(u.data())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	u.weft.kill() // where another one waits for it
	return waitFor(ctx, p)
}

func (u *updating) ask(ctx context.Context, method string) (s state, err error) {
	// A connection that was made while the server closed may never be answered.
	ctx, cancel := context.WithTimeout(ctx, patience/6)
	defer cancel()
	err = u.weft.do(ctx, method, struct{}{}, &s)
	return s, err
}

// until asks for the state of updates until it fits.
func (u *updating) until(ctx context.Context, fits func(state) bool) (s state, err error) {
	for {
		if s, err = u.ask(ctx, "Updates"); err == nil && fits(s) {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, errors.Join(fmt.Errorf("the state of updates is %+v", s), err, ctx.Err())
		case <-time.After(50 * time.Millisecond): // there is no event without a browser
		}
	}
}

func (u *updating) finds(ctx context.Context) error {
	if err := u.publish(); err != nil {
		return err
	}
	if err := u.begin(); err != nil {
		return err
	}
	s, err := u.ask(ctx, "CheckForUpdates")
	if err == nil && (s.Version != older || s.Available == nil || s.Available.Version != newer || !s.Replaces || !s.CanRestart) {
		err = fmt.Errorf("the state of updates is %+v", s)
	}
	return err
}

func (u *updating) cutShort(ctx context.Context) error {
	u.cut.Store(true)
	defer u.cut.Store(false)
	if _, err := u.ask(ctx, "InstallUpdate"); err != nil {
		return err
	}
	s, err := u.until(ctx, func(s state) bool { return s.Error != "" })
	if err == nil && (s.Version != older || s.Ready != "") {
		err = fmt.Errorf("the state of updates is %+v", s)
	}
	return err
}

func (u *updating) downloads(ctx context.Context) error {
	if _, err := u.ask(ctx, "InstallUpdate"); err != nil {
		return err
	}
	_, err := u.until(ctx, func(s state) bool { return s.Phase == "ready" && s.Ready == newer })
	return err
}

func (u *updating) updates(ctx context.Context) error {
	if err := u.end(ctx); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, u.program, "update", "--data", u.data())
	cmd.Env = append(os.Environ(), u.env...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Weft "+newer+" is installed.") {
		return fmt.Errorf("weft update said %q: %w", out, err)
	}
	return u.says(ctx, newer)
}

func (u *updating) goesBack(ctx context.Context) error {
	// The first start fails: its data folder is a file.
	file := filepath.Join(u.work, "no folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	if w, err := serve(u.program, file, u.env...); err == nil {
		w.kill()
		return errors.New("it started with a file as its data folder")
	}
	if err := u.begin(); err != nil {
		return err
	}
	s, err := u.ask(ctx, "Updates")
	if err == nil && (s.Version != older || s.Outcome == nil || !s.Outcome.Failed || !strings.Contains(s.Outcome.Why, "went back to "+older)) {
		err = fmt.Errorf("the state of updates is %+v, %+v", s, s.Outcome)
	}
	return errors.Join(err, u.says(ctx, older))
}

// says fails unless the program in place is a version.
func (u *updating) says(ctx context.Context, version string) error {
	out, err := exec.CommandContext(ctx, u.program, "--version").Output()
	if got := strings.TrimSpace(string(out)); err == nil && got != "weft "+version {
		err = fmt.Errorf("the program in place is %q", got)
	}
	return err
}

func (u *updating) restarts(ctx context.Context) error {
	if err := u.downloads(ctx); err != nil {
		return err
	}
	if _, err := u.ask(ctx, "RestartToUpdate"); err != nil {
		return err
	}
	_, err := u.until(ctx, func(s state) bool { return s.Version == newer && s.Outcome != nil && !s.Outcome.Failed })
	return errors.Join(err, u.says(ctx, newer))
}

func (u *updating) tidies(ctx context.Context) error {
	if _, err := u.ask(ctx, "DismissUpdateOutcome"); err != nil {
		return err
	}
	if err := u.end(ctx); err != nil {
		return err
	}
	if err := u.begin(); err != nil {
		return err
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(u.program), "update")); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%v is left of the update: %w", left, err)
	}
	return u.end(ctx)
}

// holder returns the Weft that uses a data folder.
func holder(data string) (*os.Process, error) {
	text, err := os.ReadFile(filepath.Join(data, "weft.lock"))
	if err != nil {
		return nil, err
	}
	var pid int
	if _, err := fmt.Sscanf(string(text), "pid %d", &pid); err != nil {
		return nil, fmt.Errorf("the lock says %q: %w", text, err)
	}
	return os.FindProcess(pid)
}
