package agentnotes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"weft/backend/agent"
)

// values are a store that can fail.
type values struct {
	m    map[string]string
	fail bool
}

var errStore = errors.New("the disk is full")

func (v *values) Get(_ context.Context, key string) (value string, ok bool, err error) {
	if v.fail {
		return "", false, errStore
	}
	value, ok = v.m[key]
	return value, ok, nil
}

func (v *values) Set(_ context.Context, key, value string) error {
	if v.fail {
		return errStore
	}
	v.m[key] = value
	return nil
}

func newNotes(v *values, changed func()) *Notes {
	return New(Options{Meta: v, Go: func(do func()) { do() }, Changed: changed, Log: zerolog.Nop()})
}

// Whatever is noted, notes that are read from the store after a restart say the same, and a change is reported just when there is one.
func TestNotesAreTheSameAfterRestart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, changes := &values{m: map[string]string{}}, 0
		n := newNotes(v, func() { changes++ })
		agents := []string{"robin", "wren"}
		type known struct {
			seen    *Unasked
			may     map[string]bool
			logout  bool
			choices map[string]string
			tested  *Tested
		}
		want := map[string]*known{}
		for _, id := range agents {
			want[id] = &known{may: map[string]bool{}, choices: map[string]string{}}
		}
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := rapid.SampledFrom(agents).Draw(t, "agent")
			k, before, news := want[id], changes, false
			switch rapid.SampledFrom([]string{"let", "saw", "settle", "forget", "choose", "log out", "test", "restart"}).Draw(t, "what") {
			case "let":
				kind := rapid.SampledFrom([]string{"execute", "edit", "delete", "move", "switch_mode", "read", "other"}).Draw(t, "kind")
				n.Let(id, kind)
				for _, may := range map[string][]string{"execute": {"execute"}, "switch_mode": {"execute", "edit"}, "edit": {"edit"}, "delete": {"edit"}, "move": {"edit"}}[kind] {
					news = news || !k.may[may]
					k.may[may] = true
				}
			case "saw":
				did := Unasked{Kind: "edit", About: fmt.Sprint(i), SpaceID: "s", At: int64(i)}
				n.Saw(id, did)
				if news = k.seen == nil; news {
					k.seen = &did
				}
			case "settle":
				if err := n.SettleUnasked(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				if k.seen != nil {
					k.seen.Settled = true
				}
			case "forget":
				if err := n.Forget(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				k.seen, k.may, k.tested = nil, map[string]bool{}, nil
			case "choose":
				option, value := rapid.SampledFrom([]string{"mode", "model"}).Draw(t, "option"), fmt.Sprintf("%d", i)
				if err := n.Choose(t.Context(), id, option, jsontext.Value(value)); err != nil {
					t.Fatal(err)
				}
				k.choices[option] = value
			case "log out":
				offers := rapid.Bool().Draw(t, "offers")
				n.SawLogOut(agent.Config{ID: id, Source: "custom"}, offers)
				n.SawLogOut(agent.Config{ID: id}, !offers) // one that is only tried
				news = k.logout != offers
				k.logout = offers
			case "test":
				k.tested = &Tested{At: int64(i), OK: rapid.Bool().Draw(t, "works"), Name: "Robin", Version: fmt.Sprint(i), Launch: "a"}
				n.NoteTest(t.Context(), id, *k.tested)
				news = true
			case "restart":
				n = newNotes(v, func() { changes++ })
			}
			if (changes > before) != news {
				t.Fatalf("%d changes are reported, news: %v", changes-before, news)
			}
			for _, id := range agents {
				k := want[id]
				if got := n.Unasked(id); (got == nil) != (k.seen == nil) || got != nil && *got != *k.seen || n.Seen(id) != (got != nil) {
					t.Fatalf("%s was seen to do %+v, want %+v", id, got, k.seen)
				}
				for _, kind := range []string{"edit", "execute", "read"} {
					if n.Lets(id, kind) != k.may[kind] {
						t.Fatalf("%s may %s: %v", id, kind, !k.may[kind])
					}
				}
				if n.CanLogOut(t.Context(), id) != k.logout {
					t.Fatalf("%s logs out: %v", id, !k.logout)
				}
				if got := n.Tested(t.Context(), id); (got == nil) != (k.tested == nil) || got != nil && *got != *k.tested {
					t.Fatalf("the test of %s is %+v, want %+v", id, got, k.tested)
				}
				choices, err := n.Choices(t.Context(), id)
				got := map[string]string{}
				for name, value := range choices {
					got[name] = string(value)
				}
				if err != nil || !maps.Equal(got, k.choices) {
					t.Fatalf("%s has %v, want %v; %v", id, got, k.choices, err)
				}
			}
		}
	})
}

func TestNotesThatCannotBeReadOrStored(t *testing.T) {
	t.Parallel()
	v := &values{m: map[string]string{"unasked:robin": "no JSON", "choices:robin": "neither", "tested:robin": "nor that"}}
	n := newNotes(v, func() {})
	if n.Seen("robin") {
		t.Error("it was seen to do what can't be read")
	}
	if c, err := n.Choices(t.Context(), "robin"); c == nil || len(c) > 0 || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	if got := n.Tested(t.Context(), "robin"); got != nil {
		t.Errorf("it was tested: %+v", got)
	}
	n.Saw("robin", Unasked{Kind: "edit"})
	v.fail = true
	n.NoteTest(t.Context(), "robin", Tested{OK: true})
	if got := n.Tested(t.Context(), "robin"); got != nil {
		t.Errorf("it was tested, though that can't be read: %+v", got)
	}
	if err := n.SettleUnasked(t.Context(), "robin"); !errors.Is(err, errStore) {
		t.Errorf("settled: %v", err)
	}
	if err := n.Forget(t.Context(), "robin"); !errors.Is(err, errStore) {
		t.Errorf("forgotten: %v", err)
	}
	if err := n.Choose(t.Context(), "robin", "mode", jsontext.Value(`1`)); !errors.Is(err, errStore) {
		t.Errorf("chosen: %v", err)
	}
	if n.CanLogOut(t.Context(), "robin") {
		t.Error("it can log out, though that can't be read")
	}
}
