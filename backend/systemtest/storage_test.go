//go:build linux

package systemtest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/api/service"
	about "weft/backend/api/service/app"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"

	"golang.org/x/sys/unix"
)

// problem waits until the app tells (or no longer tells) a problem with one of the codes.
func (a *app) problem(t testing.TB, there bool, codes ...string) (found about.Problem) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		var b service.Bootstrap
		a.do(t, "Bootstrap", struct{}{}, &b)
		has := false
		for _, p := range b.Problems {
			for _, code := range codes {
				if p.Code == code {
					has, found = true, p
				}
			}
		}
		if has == there {
			if has {
				sentence(t, found.Message)
			}
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("the problems are %+v, want %v: %v", b.Problems, codes, there)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestSecondInstance starts the app twice on one data folder.
func TestSecondInstance(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	second, err := tryLaunch(a.home)
	if err == nil {
		second.kill()
		t.Fatal("a second instance started on the same data folder")
	}
	if !strings.Contains(err.Error(), "in_use: ") {
		t.Errorf("the second instance said %v", err)
	}
	sentence(t, err.Error())
	a.alive(t)
	a.stop(t)
	again := launch(t, a.home)
	again.alive(t)
}

// TestFullDisk lets no file of the app grow any more in the middle of a stream.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const chunks, padding = 10_000, 100
	r := a.scripted(t, "counts", "10000", "100")
	r.st.reset()
	r.send(t, "full")
	r.ctl.expect(t, "half")
	pid := a.cmd.Process.Pid
	limit := func(n uint64) {
		t.Helper()
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := memory(t, pid)
	limit(1024)
	r.ctl.say(t, "go")
	p := a.problem(t, true, "disk_full", "io")
	t.Logf("the user reads: %s", p.Message)
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap) // what is there can be read
	for _, code := range []string{"disk_full", "io"} {
		if err := a.try("CreateSpace", spaces.CreateSpaceRequest{Folder: a.home}, nil); err == nil {
			t.Error("a space was made on a full disk")
		} else if strings.Contains(err.Error(), " "+code+": ") {
			t.Logf("a new space is refused: %v", err)
		}
	}
	stuck := int64(0)
	r.st.now(func(v *seen) { stuck = v.seq })
	select {
	case what := <-r.ctl.lines:
		t.Errorf("the agent was not held up: it told %q", what.line)
	default:
	}
	after, _ := memory(t, pid)
	if after-before > 96<<20 {
		t.Errorf("memory grew from %d MB to %d MB while nothing could be stored", before>>20, after>>20)
	}
	limit(unix.RLIM_INFINITY)
	r.ctl.expect(t, "done")
	r.ended(t, "end_turn")
	a.problem(t, false, "disk_full", "io")
	r.counted(t, "full", chunks, padding)
	r.st.now(func(v *seen) { t.Logf("stuck at event %d, ended at %d", stuck, v.seq) })
	r.check(t)
	a.stop(t)
	noneLeft(t, a.mark, 0)
}

// TestQuitOnAFullDisk ends the app while nothing can be stored.
func TestQuitOnAFullDisk(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "counts", "10000", "100")
	r.send(t, "quit")
	r.ctl.expect(t, "half")
	if err := unix.Prlimit(a.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1024, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
	r.ctl.say(t, "go")
	a.problem(t, true, "disk_full", "io")
	_ = a.cmd.Process.Signal(unix.SIGTERM)
	select {
	case <-a.gone:
	case <-time.After(timeout):
		t.Fatal("the app does not end on a full disk")
	}
	<-r.st.done
	noneLeft(t, a.mark, 0)
	b := launch(t, a.home)
	conv, err := b.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	r.st.now(func(v *seen) {
		if err := covers(conv, &v.conv, true); err != nil {
			t.Errorf("something that was shown is lost: %v", err)
		}
	})
	if m := conv.Messages[len(conv.Messages)-1]; m.StopReason != "interrupted" {
		t.Errorf("the run ended with %q", m.StopReason)
	}
	b.alive(t)
}

// TestLockedDatabase has another program hold the database in the middle of a stream.
func TestLockedDatabase(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "counts", "2000", "10")
	r.st.reset()
	r.send(t, "locked")
	r.ctl.expect(t, "half")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(a.home, "data", "weft.db")+"?_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.ctl.say(t, "go")
	a.problem(t, true, "locked")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	r.ended(t, "end_turn")
	a.problem(t, false, "locked")
	r.counted(t, "locked", 2000, 10)
	r.check(t)
	a.stop(t)
}

// TestReadOnlyDataFolderIsReported starts on a read-only folder, and on a read-only database.
func TestReadOnlyDataFolderIsReported(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "echo")
	r.turn(t, "remember me", "end_turn")
	a.stop(t)
	data, file := filepath.Join(home, "data"), filepath.Join(home, "data", "weft.db")
	var user []string
	if os.Getuid() == 0 { // whom nothing can be refused
		user = []string{"--uid=65534"}
		for _, path := range []string{filepath.Dir(home), home, data, file} {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{data, file} {
		mode := os.FileMode(0o555)
		if path == file {
			mode = 0o444
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		b, err := tryLaunch(home, user...)
		if err == nil {
			b.kill()
			t.Fatalf("the app started although %s cannot be written", path)
		}
		if !strings.Contains(err.Error(), "read_only: ") {
			t.Errorf("%s cannot be written, and the app said %v", path, err)
		}
		sentence(t, err.Error())
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(content) {
		t.Errorf("the database was touched: %v", err)
	}
	again := launch(t, home)
	conv, err := again.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	r.st.now(func(v *seen) { same(t, &v.conv, conv) })
}

// TestDamagedDatabase overwrites a part of the database: it is kept aside, what can be read is
// recovered, and the user is told.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "echo")
	r.turn(t, "remember me", "end_turn")
	a.stop(t)
	f, err := os.OpenFile(filepath.Join(home, "data", "weft.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("damage", 100)), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := launch(t, home)
	p := again.problem(t, true, "recovered")
	if _, err := os.Stat(p.Path); err != nil || p.Path == "" {
		t.Errorf("the damaged file was not kept: %+v %v", p, err)
	}
	if p.Said == "" || p.Said.String() != p.Message || !strings.Contains(p.Message, p.Path) {
		t.Errorf("%q has the template %s", p.Message, p.Said)
	}
	conv, err := again.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(dump(conv.Messages), "remember me") {
		t.Errorf("recovered is\n%s", dump(conv.Messages))
	}
	again.alive(t)
}
