//go:build linux

package systemtest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/conversation/transcript"
)

// TestEventsAreResumed has a subscriber whose connection breaks again and again.
func TestEventsAreResumed(t *testing.T) {
	t.Parallel()
	const chunks = 10_000
	a := launch(t, t.TempDir())
	r := a.scripted(t, "counts", strconv.Itoa(chunks), "20")
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	whole := seen{epoch: snap.Epoch, seq: snap.Seq}
	breaks, asked := 0, 0
	for whole.runs["end_turn"] == 0 {
		again := breaks%2 == 1
		if again {
			asked++
		}
		st, err := a.follow(r.id, whole, again)
		if err != nil {
			t.Fatal(err)
		}
		switch breaks {
		case 0:
			r.send(t, "resume")
		case 1:
			r.ctl.expect(t, "half")
			r.ctl.say(t, "go")
		}
		n := whole.events + 1 + rand.IntN(60)
		st.until(t, "some more events", func(v *seen) bool { return v.events >= n || v.runs["end_turn"] > 0 })
		st.close()
		st.now(func(v *seen) { whole = *v })
		if whole.err != nil {
			t.Fatal(whole.err)
		}
		whole.ended = false
		breaks++
	}
	r.ended(t, "end_turn")
	r.counted(t, "resume", chunks, 20)
	r.st.now(func(v *seen) { same(t, &whole.conv, &v.conv) })
	r.check(t)
	t.Logf("%d events over %d connections, %d of them with Last-Event-ID", whole.events, breaks, asked)
}

// TestSlowSubscriberGetsAGap has a subscriber that does not read while an agent floods: it is
// told that it has missed something, the others miss nothing.
func TestSlowSubscriberGetsAGap(t *testing.T) {
	t.Parallel()
	const chunks, padding = 20_000, 100
	a := launch(t, t.TempDir())
	r := a.scripted(t, "counts", strconv.Itoa(chunks), strconv.Itoa(padding))
	slow := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
			return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
		}}
		return d.DialContext(ctx, network, addr)
	}}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/api/spaces/%s/events", a.Base, r.id), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.Key)
	res, err := slow.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r.st.reset()
	r.send(t, "gap")
	r.ctl.expect(t, "half")
	r.ctl.say(t, "go")
	r.ctl.expect(t, "done")
	r.ended(t, "end_turn")
	r.counted(t, "gap", chunks, padding)
	gaps, last := 0, int64(0)
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for gaps == 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended without a gap at event %d: %v", last, err)
		}
		if strings.HasPrefix(line, "event: gap") {
			gaps++
		}
		if data, ok := strings.CutPrefix(line, "data: {\"epoch\""); ok {
			e, err := transcript.ParseEvent([]byte("{\"epoch\"" + data))
			if err != nil || e.Seq != last+1 && last != 0 {
				t.Fatalf("event %d after %d, %v", e.Seq, last, err)
			}
			last = e.Seq
		}
	}
	// What a gap means: take a snapshot and continue from there.
	conv, err := a.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	r.st.now(func(v *seen) {
		same(t, &v.conv, conv)
		t.Logf("the slow one had %d of %d events before the gap", last, v.seq)
	})
	r.check(t)
}
