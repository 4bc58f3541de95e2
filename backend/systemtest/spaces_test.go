//go:build linux

package systemtest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// counts streams as much as its arguments say, all of it with the space's own word in it: the
// prompt. Arguments: chunks, bytes of padding. Half-way it tells the test and waits.
func counts(a *scripted) {
	chunks, _ := strconv.Atoi(a.args[0])
	padding, _ := strconv.Atoi(a.args[1])
	a.open()
	for {
		word := a.prompt()
		for n := range chunks {
			if n == chunks/2 {
				a.tell("half")
				a.await()
			}
			a.buffered(a.updateLine(chunk(counted(word, n, padding))))
			if n%50 == 49 {
				id := strconv.Quote(fmt.Sprint("call-", n))
				a.buffered(a.updateLine(`{"sessionUpdate":"tool_call","toolCallId":` + id + `,"title":` + quote(word) + `,"status":"in_progress"}`))
				a.buffered(a.updateLine(`{"sessionUpdate":"tool_call_update","toolCallId":` + id + `,"status":"completed"` + content(word) + `}`))
			}
		}
		a.tell("done")
		a.end("end_turn")
	}
}

func counted(word string, n, padding int) string {
	return fmt.Sprintf("%s-%d;", word, n) + strings.Repeat("·", padding)
}

// counted checks that the last message has all that counts sends.
func (r *room) counted(t testing.TB, word string, chunks, padding int) {
	t.Helper()
	var want strings.Builder
	for n := range chunks {
		want.WriteString(counted(word, n, padding))
	}
	r.st.now(func(v *seen) {
		m := v.message()
		if got := m.Content(); got != want.String() {
			at := 0
			for at < min(len(got), want.Len()) && got[at] == want.String()[at] {
				at++
			}
			t.Errorf("%s: %d bytes arrived of %d, right until byte %d: …%.80q", word, len(got), want.Len(), at, got[max(0, at-20):])
		}
		calls := 0
		for _, s := range m.Segments {
			for _, it := range s.Items {
				if calls++; it.Call.Title != word || it.Call.Status != transcript.StatusCompleted {
					t.Errorf("%s: a call is %s %q", word, it.Call.Status, it.Call.Title)
				}
			}
		}
		if calls != chunks/50 {
			t.Errorf("%s: %d calls arrived of %d", word, calls, chunks/50)
		}
	})
}

// TestManySpacesAtOnce has ten agents stream at the same time.
func TestManySpacesAtOnce(t *testing.T) {
	t.Parallel()
	const spaces, chunks = 10, 3000
	a := launch(t, t.TempDir())
	rooms := make([]*room, spaces)
	for i := range rooms {
		rooms[i] = a.scripted(t, "counts", strconv.Itoa(chunks), "4")
	}
	for i, r := range rooms {
		r.send(t, fmt.Sprint("space", i))
	}
	for _, r := range rooms { // all are in the middle of it …
		r.ctl.expect(t, "half")
	}
	for _, r := range rooms { // … and continue together
		r.ctl.say(t, "go")
	}
	var wg sync.WaitGroup
	for i, r := range rooms {
		wg.Go(func() {
			r.ended(t, "end_turn")
			r.counted(t, fmt.Sprint("space", i), chunks, 4)
			r.kept(t)
		})
	}
	wg.Wait()
	events := 0
	for _, r := range rooms {
		r.st.now(func(v *seen) { events += v.events })
	}
	t.Logf("%d spaces, %d chunks and %d calls each, %d events, nothing lost or mixed", spaces, chunks, chunks/50, events)
	a.stop(t)
	noneLeft(t, a.mark, 0)
}

// What was deleted can be brought back until the next start, and is gone then.
func TestDeletedSpacesGoAtTheNextStart(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	var kept, gone spaces.Space
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: home, Title: "Kept"}, &kept)
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: home, Title: "Gone"}, &gone)
	for _, sp := range []spaces.Space{kept, gone} {
		a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: sp.ID}, nil)
	}
	a.do(t, "RestoreSpace", ref.SpaceRef{SpaceID: kept.ID}, nil)
	a.stop(t)
	a = launch(t, home)
	// Purging is no hurry of the start's. Whoever is quicker brings the space back, and has to delete it again.
	for a.try("RestoreSpace", ref.SpaceRef{SpaceID: gone.ID}, nil) == nil {
		a.do(t, "DeleteSpace", spaces.DeleteSpaceRequest{SpaceID: gone.ID}, nil)
		a.stop(t)
		a = launch(t, home)
	}
	a.do(t, "OpenSpace", ref.SpaceRef{SpaceID: kept.ID}, nil)
}
