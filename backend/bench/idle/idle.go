// Package idle measures `weft serve` with nothing to do.
package idle

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// before is how long is waited before it counts. Weft gives memory back after 30 s without anything to do, and again after what it still
// did by itself in that time.
const before = 75 * time.Second

// Result has memory in MB, and wake-ups a second.
type Result struct {
	Before float64 // resident, before it rested
	Memory float64 // resident
	Own    float64 // of Memory, what isn't pages of files
	Wakes  float64
}

// Measure starts a Weft with this many spaces, in each of which the guide answers once, and counts for a while when it
// rests. It needs Linux.
func Measure(ctx context.Context, weft string, spaces int, within time.Duration) (r Result, err error) {
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "project")
	if err := project(folder); err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, weft, "serve", "--data", filepath.Join(dir, "data"), "--settings", filepath.Join(dir, "settings.json"))
	cmd.Env = append(os.Environ(), "SHELL=/bin/false")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	r, err = measure(ctx, bufio.NewScanner(out), cmd.Process.Pid, folder, spaces, within)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	return r, errors.Join(err, cmd.Wait())
}

func measure(ctx context.Context, lines *bufio.Scanner, pid int, folder string, spaces int, within time.Duration) (r Result, err error) {
	var base, key string
	for key == "" && lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "For programs: "); ok {
			base, _, _ = strings.Cut(address, " ")
			key = address[strings.LastIndexByte(address, ' ')+1:]
		}
	}
	if key == "" {
		return r, errors.New("weft serve has printed no address")
	}
	for range spaces {
		var space struct{ ID string }
		if err := call(ctx, base, key, "CreateSpace", map[string]any{"folder": folder, "agentId": "guide"}, &space); err != nil {
			return r, err
		}
		if err := call(ctx, base, key, "SendPrompt", map[string]any{"spaceId": space.ID, "text": "What can you do?"}, new(any)); err != nil {
			return r, err
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := pause(ctx, 5*time.Second); err != nil {
		return r, err
	}
	r.Before = statusOf(fmt.Sprintf("/proc/%d/status", pid), "VmRSS") / 1024
	if err := pause(ctx, before); err != nil {
		return r, err
	}
	begin := switches(pid)
	if err := pause(ctx, within); err != nil {
		return r, err
	}
	r.Wakes = (switches(pid) - begin) / within.Seconds()
	r.Memory, r.Own = statusOf(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")/1024, statusOf(fmt.Sprintf("/proc/%d/status", pid), "RssAnon")/1024
	return r, nil
}

// project writes 200 files of 4 KB.
func project(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("create a folder: %w", err)
	}
	for i := range 200 {
		text := strings.Repeat(fmt.Sprintf("line %d of a file of the project\n", i), 120)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("file%d.txt", i)), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a file: %w", err)
		}
	}
	return nil
}

// call runs a command of Weft.
func call(ctx context.Context, base, key, command string, request, answer any) error {
	raw, err := json.Marshal(request)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/"+command, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", command, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(answer)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// statusOf sums the numbers of these keys in a file of the form of /proc/PID/status; 0 where there is none.
func statusOf(file string, keys ...string) (sum float64) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		if slices.Contains(keys, key) {
			var n float64
			_, _ = fmt.Sscan(value, &n)
			sum += n
		}
	}
	return sum
}

// switches is how often the threads of a process have stopped running: each wake-up ends with that.
func switches(pid int) (n float64) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, file := range files {
		n += statusOf(file, "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
	}
	return n
}
