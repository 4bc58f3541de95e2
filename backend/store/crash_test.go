package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/backend/base/raced"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/events"
)

// TestKillLosesNothingThatWasShown starts a process that appends events and prints those shown, kills it at a random
// moment, and checks that all printed events are stored. All rounds use the same database.
func TestKillLosesNothingThatWasShown(t *testing.T) {
	if dir := os.Getenv("WEFT_TEST_CRASH"); dir != "" {
		appendUntilKilled(dir)
		return
	}
	rounds := 50 // WEFT_CRASH_ROUNDS for a longer run
	if testing.Short() || raced.On {
		rounds = 20
	}
	if n, err := strconv.Atoi(os.Getenv("WEFT_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	s := open(t, dir)
	newSpace(t, s, "a")
	closeStore(t, s)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	total := int64(0)
	for round := range rounds {
		shown := runAndKill(t, dir, rnd)
		c := copyDB(t, dir) // as the crash left it, to check the file itself
		s := open(t, dir)
		_, seq, err := s.Events.Head("a")
		if err != nil || seq < shown {
			t.Fatalf("round %d: %d was shown, the store is at %d, %v", round, shown, seq, err)
		}
		total = seq
		if round%10 == 0 || round == rounds-1 {
			checkCrashed(t, s, c, seq)
		}
		closeStore(t, s)
	}
	t.Logf("%d kills, %d events, none lost", rounds, total)
}

// runAndKill returns the last number that the process printed.
func runAndKill(t *testing.T, dir string, rnd *rand.Rand) (shown int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillLosesNothingThatWasShown$")
	cmd.Env = append(os.Environ(), "WEFT_TEST_CRASH="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the process says %q", lines.Text())
		}
		if shown == 0 { // it runs: kill it somewhere in the next milliseconds
			kill.Reset(time.Duration(rnd.IntN(25_000)) * time.Microsecond)
		}
		shown = n
	}
	kill.Stop()
	_ = cmd.Wait()
	return shown
}

// appendUntilKilled appends events whose content is their own number.
func appendUntilKilled(dir string) {
	ctx := context.Background()
	s, rec, err := Open(ctx, dir, Options{})
	if err != nil || rec != nil {
		fmt.Println(err, rec)
		os.Exit(1)
	}
	_, seq, _ := s.Events.Head("a")
	for {
		m := fmt.Sprintf("m%d", seq)
		bodies := []transcript.Body{start(m)}
		for i := range rand.IntN(6) {
			bodies = append(bodies, words(m, 0, fmt.Sprintf("%d;", seq+int64(i)+2)))
		}
		if rand.IntN(4) == 0 {
			bodies = append(bodies, words(m, 0, strings.Repeat("x", 5000)+";"))
		}
		if rand.IntN(3) == 0 {
			bodies = append(bodies, &transcript.MessageEnd{MessageID: m})
		}
		ev, err := s.Events.Append(ctx, events.Append{SpaceID: "a", At: 1, Bodies: bodies})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		seq = ev[len(ev)-1].Seq
		os.Stdout.WriteString(strconv.FormatInt(seq, 10) + "\n")
	}
}

func checkCrashed(t *testing.T, s *Store, copied string, seq int64) {
	t.Helper()
	var verdict string
	if inFile(t, s, "PRAGMA integrity_check", &verdict); verdict != "ok" {
		t.Fatalf("integrity after the start: %q", verdict)
	}
	raw, err := db.Dial(copied+"/weft.db", "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.One("PRAGMA integrity_check", nil, &verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity as it was left: %q %v", verdict, err)
	}
	last := int64(0)
	for m, err := range s.Pages.Messages(context.Background(), "a") {
		if err != nil {
			t.Fatal(err)
		}
		first, err := strconv.ParseInt(m.ID[1:], 10, 64)
		if err != nil || first < last {
			t.Fatalf("message %s after event %d", m.ID, last)
		}
		n := first + 1
		for piece := range strings.SplitSeq(m.Content(), ";") {
			if piece == "" {
				continue
			}
			n++
			if got, err := strconv.ParseInt(piece, 10, 64); !strings.HasPrefix(piece, "x") && (err != nil || got != n) {
				t.Fatalf("message %s has %.20q where event %d was", m.ID, piece, n)
			}
		}
		if m.EndedAt > 0 {
			n++
		}
		last = n
	}
	if last != seq {
		t.Fatalf("the messages end at event %d, the store is at %d", last, seq)
	}
}
