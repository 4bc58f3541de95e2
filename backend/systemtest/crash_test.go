//go:build linux

package systemtest

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// streams counts: every piece of text, thought and tool call carries the next number, so that a
// hole shows wherever it is. Now and then a call has an output that does not fit into an event.
func streams(a *scripted) {
	a.open()
	a.prompt()
	a.say("0;")
	pace := time.NewTicker(2 * time.Millisecond)
	rnd := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	var open []string
	for n := 1; ; n++ {
		id := strconv.Itoa(n)
		switch rnd.IntN(8) {
		case 0:
			a.buffered(a.updateLine(thought(id + ";")))
		case 1, 2:
			a.buffered(a.updateLine(`{"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"Call ` + id + `","kind":"search","status":"in_progress","rawInput":{"n":` + id + `}}`))
			open = append(open, id)
		case 3:
			a.buffered(a.updateLine(chunk(id + ";" + strings.Repeat("x", rnd.IntN(3000)))))
		default:
			a.buffered(a.updateLine(chunk(id + ";")))
		}
		if len(open) > 0 && rnd.IntN(3) == 0 {
			size := 10
			if rnd.IntN(8) == 0 {
				size = 20_000
			}
			a.buffered(a.updateLine(`{"sessionUpdate":"tool_call_update","toolCallId":"` + open[0] + `","status":"completed"` + content(id+strings.Repeat("y", size)) + `}`))
			open = open[1:]
		}
		if rnd.IntN(4) == 0 {
			a.flush()
			<-pace.C
		}
	}
}

// TestKillLosesNothing kills the app at random moments while an agent streams, and compares what
// its subscriber had been shown with what the next start finds. One database goes through all
// the rounds.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	rounds := 30 // WEFT_CRASH_ROUNDS for a longer run
	if brief() {
		rounds = 15
	}
	if n, err := strconv.Atoi(os.Getenv("WEFT_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &crash{home: t.TempDir(), rnd: rand.New(rand.NewPCG(seed, 0))}
	t.Cleanup(func() {
		if t.Failed() && c.app != nil {
			c.app.kill()
			t.Logf("Weft said:\n%.4000s", c.app.said)
		}
	})
	for n := range rounds {
		c.round(t, n)
		if t.Failed() {
			t.Fatalf("in round %d", n)
		}
	}
	t.Logf("the app took %s of processor time", c.cpu)
	c.integrity(t) // as it was left
	c.start(t)
	c.verifyNew(t)
	for i := 0; i < len(c.rooms); i += 20 {
		c.verify(t, c.rooms[i], true)
	}
	noneLeft(t, c.app.mark, c.app.cmd.Process.Pid)
	c.app.stop(t)
	c.app.sound(t)
	c.integrity(t)
	t.Logf("%d kills in %d runs: %d events were shown, none lost; the store had %d numbers, the subscribers %d", rounds, len(c.rooms), c.shown, c.stored, c.seen)
}

type crash struct {
	home     string
	rnd      *rand.Rand
	app      *app
	agentID  string
	rooms    []*room
	verified int // of them

	cpu                 time.Duration
	shown, stored, seen int // events; numbers
}

func (c *crash) start(t *testing.T) {
	t.Helper()
	a, err := tryLaunch(c.home)
	c.app = a
	if err != nil {
		t.Fatal(err)
	}
}

// round starts the app, looks now and then whether the rounds before lost anything, has an agent
// stream and kills the app.
func (c *crash) round(t *testing.T, n int) {
	t.Helper()
	if n > 0 && n%10 == 0 {
		// In the middle of the start, while the last round is being cleaned up.
		a, err := tryLaunchKilled(c.home, time.Duration(c.rnd.IntN(150))*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		a.sound(t)
	}
	c.start(t)
	a := c.app
	if n%4 == 0 {
		c.verifyNew(t)
	}
	if c.agentID == "" {
		c.agentID = a.custom(t, "Streams", scriptedProgram, nil, "scripted", "streams")
	}
	r := a.enter(t, c.home, c.agentID)
	c.rooms = append(c.rooms, r)
	r.send(t, "go")
	// Every tenth dies before there is a word, the others somewhere in the stream.
	if n%10 != 5 {
		r.st.until(t, "the first words", func(v *seen) bool { return v.text > 2 })
	}
	<-time.After(time.Duration(c.rnd.IntN(50_000)) * time.Microsecond)
	a.kill()
	<-r.st.done
	c.cpu += a.cmd.ProcessState.UserTime() + a.cmd.ProcessState.SystemTime()
	a.sound(t)
	r.st.now(func(v *seen) {
		c.shown += v.events
		if v.err != nil || v.gap {
			t.Errorf("the stream was broken: %v, gap %v", v.err, v.gap)
		}
	})
	noneLeft(t, a.mark, 0)
}

// tryLaunchKilled starts the app and kills it after d, whatever it is doing then.
func tryLaunchKilled(home string, d time.Duration) (*app, error) {
	a, err := prepare(home)
	if err != nil {
		return nil, err
	}
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	<-time.After(d)
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
	_ = a.hold.Close()
	return a, nil
}

// verifyNew goes through the spaces that were not verified yet.
func (c *crash) verifyNew(t *testing.T) {
	t.Helper()
	for ; c.verified < len(c.rooms); c.verified++ {
		n, m := c.verify(t, c.rooms[c.verified], c.verified%5 == 0)
		c.seen += n
		c.stored += m
	}
}

// verify compares what was shown of a space with what is stored, and returns how many numbers
// that were.
func (c *crash) verify(t *testing.T, r *room, details bool) (shown, stored int) {
	t.Helper()
	conv, err := c.app.stored(r.id, details)
	if err != nil {
		t.Fatal(err)
	}
	r.st.now(func(v *seen) {
		if err := covers(conv, &v.conv, details); err != nil {
			t.Fatalf("something that was shown is lost: %v\nshown\n%s\nstored\n%s", err, tail(dump(v.conv.Messages)), tail(dump(conv.Messages)))
		}
		for _, m := range v.conv.Messages {
			if m.Role == transcript.RoleAgent {
				n, _ := count(m)
				shown += n
			}
		}
	})
	for _, m := range conv.Messages {
		if m.EndedAt == 0 {
			t.Fatalf("message %s was not ended", m.ID)
		}
		if m.Role != transcript.RoleAgent {
			continue
		}
		if m.StopReason != "interrupted" || m.Error == nil || m.Error.Code != "interrupted" {
			t.Fatalf("the run was not closed visibly: %q %+v", m.StopReason, m.Error)
		}
		sentence(t, m.Error.Message)
		n, err := count(m)
		if err != nil {
			t.Fatal(err)
		}
		stored += n
	}
	var snap conversation.Snapshot
	c.app.do(t, "OpenSpace", r.ref(), &snap)
	if snap.Run != nil || snap.Space.State != spaces.SpaceFailed && snap.Space.State != spaces.SpaceIdle {
		t.Fatalf("the space is %s, its run %+v", snap.Space.State, snap.Run)
	}
	return shown, stored
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// covers checks that stored has everything that was shown, and perhaps more behind it.
func covers(stored, shown *transcript.Conversation, details bool) error {
	for i, m := range shown.Messages {
		if i >= len(stored.Messages) || stored.Messages[i].ID != m.ID {
			return fmt.Errorf("message %d, %s", i, m.ID)
		}
		has := stored.Messages[i]
		if has.Role != m.Role || has.RunID != m.RunID || has.Author != m.Author || has.CreatedAt != m.CreatedAt || len(has.Segments) < len(m.Segments) {
			return fmt.Errorf("message %s is another one: %s", m.ID, picture(has))
		}
		for j, s := range m.Segments {
			if err := segmentCovers(has.Segments[j], s, details); err != nil {
				return fmt.Errorf("segment %d: %w", j, err)
			}
		}
	}
	return nil
}

func segmentCovers(has, s *transcript.Segment, details bool) error {
	if has.Type != s.Type || !strings.HasPrefix(has.Text, s.Text) || len(has.Items) < len(s.Items) {
		return fmt.Errorf("a %s of %d bytes and %d items, stored is a %s of %d bytes and %d items",
			s.Type, len(s.Text), len(s.Items), has.Type, len(has.Text), len(has.Items))
	}
	for k, it := range s.Items {
		h := has.Items[k]
		if h.Type != it.Type || !strings.HasPrefix(h.Text, it.Text) || (h.Call == nil) != (it.Call == nil) {
			return fmt.Errorf("item %d", k)
		}
		if it.Call == nil {
			continue
		}
		a, b := it.Call, h.Call
		if a.ID != b.ID || a.Title != b.Title || a.Kind != b.Kind || details && string(a.Input) != string(b.Input) || a.StartedAt != b.StartedAt {
			return fmt.Errorf("call %s is another one: %+v", a.ID, b)
		}
		if a.Status.Ended() && (a.Status != b.Status || a.Summary != b.Summary || *a.DurationMs != *b.DurationMs || details && picture(a) != picture(b)) {
			return fmt.Errorf("the end of call %s: %+v, stored %+v", a.ID, a, b)
		}
		if !b.Status.Ended() {
			return fmt.Errorf("call %s is %s for ever", b.ID, b.Status)
		}
	}
	return nil
}

// count goes through the numbers of a message of streams and returns how many there are.
func count(m *transcript.Message) (n int, err error) {
	numbers := func(text string) {
		for piece := range strings.SplitSeq(text, ";") {
			piece = strings.TrimLeft(piece, "x")
			if piece == "" {
				continue
			}
			if piece != strconv.Itoa(n) && err == nil {
				err = fmt.Errorf("message %s has %.20q where number %d should be", m.ID, piece, n)
			}
			n++
		}
	}
	for _, s := range m.Segments {
		numbers(s.Text)
		for _, it := range s.Items {
			if it.Call != nil {
				numbers(it.Call.ID)
			} else {
				numbers(it.Text)
			}
		}
	}
	return n, err
}

// integrity has SQLite check the database file.
func (c *crash) integrity(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(c.home, "data", "weft.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity: %q %v", verdict, err)
	}
	var blobs int
	err = db.QueryRowContext(t.Context(), "SELECT count(*) FROM blob").Scan(&blobs)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("integrity ok, %d blobs", blobs)
}
