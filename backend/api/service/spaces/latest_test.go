package spaces

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// TestLatestIsWhatIsStored changes a space in random order, and compares the cached space with the stored one after
// each step.
func TestLatestIsWhatIsStored(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := openLatest(t, seed)
			for range 150 {
				w.step()
				for _, id := range w.ids {
					w.same(id)
				}
			}
		})
	}
}

// TestMessagesDontReadTheirSpaceAgain covers that a message costs no read of its space, and the end of a run exactly one.
func TestMessagesDontReadTheirSpaceAgain(t *testing.T) {
	w := openLatest(t, 1)
	id := w.ids[0]
	w.same(id)
	reads := 0
	look := func() {
		if _, read, err := w.s.row(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if read {
			reads++
		}
	}
	for range 200 {
		w.message(id, true)
		look()
	}
	if reads != 0 {
		t.Errorf("200 messages read the space %d times", reads)
	}
	w.run(id)
	look()
	look()
	if reads != 1 {
		t.Errorf("a run read the space %d times, want once", reads)
	}
	w.same(id)
}

type latestWorld struct {
	t    *testing.T
	rand *rand.Rand
	s    *Rows
	ids  []string
	at   int64
	n    int
}

func openLatest(t *testing.T, seed uint64) *latestWorld {
	w := &latestWorld{t: t, rand: rand.New(rand.NewPCG(seed, 7)), s: &Rows{}, at: 1 << 42}
	st, _, err := store.Open(t.Context(), t.TempDir(), store.Options{OnCommit: func(id string, events []transcript.Event) { w.s.Happened(id, events) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.s.store = st
	for i := range 3 {
		sp, err := st.Spaces.Create(t.Context(), spaces.Space{Title: fmt.Sprint("Space ", i), Folder: "/tmp", AgentID: "a", AgentName: "Agent"})
		if err != nil {
			t.Fatal(err)
		}
		w.ids = append(w.ids, sp.ID)
	}
	return w
}

func (w *latestWorld) same(id string) {
	w.t.Helper()
	want, wantErr := w.s.store.Spaces.Get(w.t.Context(), id)
	got, _, gotErr := w.s.row(w.t.Context(), id)
	if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
		w.t.Fatalf("%v, want %v", gotErr, wantErr)
	}
	if wantErr == nil && !reflect.DeepEqual(got, want) {
		w.t.Fatalf("after %d steps:\n got %+v\nwant %+v", w.n, got, want)
	}
}

// step changes something of one of the spaces. Most of what it does are messages.
func (w *latestWorld) step() {
	w.n++
	ctx, st, id := w.t.Context(), w.s.store, w.ids[w.rand.IntN(len(w.ids))]
	name := fmt.Sprint("name ", w.n)
	var err error
	switch w.rand.IntN(16) {
	case 0:
		_, err = st.Spaces.Update(ctx, id, spaces.Change{Title: &name})
	case 1:
		archived := w.rand.IntN(2) == 0
		_, err = st.Spaces.Update(ctx, id, spaces.Change{Archived: &archived})
	case 2:
		_, err = st.Members.Add(ctx, spaces.Member{SpaceID: id, Name: name, AgentID: "a", AgentName: "Agent"})
	case 3:
		err = st.Spaces.MarkSeen(ctx, id)
	case 4:
		_, _, err = st.Drafts.Save(ctx, spaces.Draft{SpaceID: id, Text: []string{"", name}[w.rand.IntN(2)]}, 0, 0)
	case 5:
		var tag spaces.Tag
		if tag, err = st.Tags.Save(ctx, spaces.Tag{Name: name}); err == nil {
			_, err = st.Tags.Set(ctx, []string{id}, []string{tag.ID}, nil)
		}
	case 6:
		_, err = st.Spaces.SetProject(ctx, "/tmp", "/tmp/"+name)
	case 7:
		err = st.Spaces.Delete(ctx, id)
	case 8:
		_, err = st.Spaces.Restore(ctx, id)
	case 9:
		err = st.Events.Flush(ctx, id)
	case 10, 11:
		w.run(id)
	default:
		w.message(id, w.rand.IntN(3) > 0)
	}
	_ = err // a space that is deleted refuses most of it
}

// message adds a message that begins, and one that ends, too.
func (w *latestWorld) message(id string, whole bool) {
	w.n++
	message := fmt.Sprint("m", w.n)
	w.add(id, &transcript.MessageStart{MessageID: message, Role: transcript.RoleAgent}, &transcript.TextDelta{MessageID: message, Content: "text"})
	if whole {
		w.add(id, &transcript.MessageEnd{MessageID: message})
	}
}

// run adds a run, with an error or without.
func (w *latestWorld) run(id string) {
	w.n++
	run := fmt.Sprint("r", w.n)
	w.add(id, &transcript.RunCreated{RunID: run, AgentID: "a", AgentName: "Agent"})
	end := &transcript.RunCompleted{RunID: run, StopReason: "end_turn"}
	if w.rand.IntN(2) == 0 {
		end.Error = &transcript.Failure{Code: "broken", Message: "Broken."}
	}
	w.add(id, end)
}

func (w *latestWorld) add(id string, bodies ...transcript.Body) {
	w.at += int64(w.rand.IntN(1000))
	_, _ = w.s.store.Events.Append(w.t.Context(), events.Append{SpaceID: id, At: w.at, Bodies: bodies})
}
