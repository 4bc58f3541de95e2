package openspaces_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/space/openspaces"
	"weft/backend/space/requests"
)

// space is a runtime.
type space struct {
	id   string
	mode permission.Mode
}

// read opens a space whose mode in the database is "ask", and calls meanwhile during the read.
func read(set *openspaces.Set[*space], id string, meanwhile func()) (*space, error) {
	sp, found, err := set.Begin(id)
	if found || err != nil {
		return sp, err
	}
	defer set.End(id)
	sp = &space{id: id, mode: permission.AskAlways}
	meanwhile()
	return set.Add(id, func(mode *permission.Mode) *space {
		if mode != nil {
			sp.mode = *mode
		}
		return sp
	})
}

func TestModeSetWhileASpaceIsReadHolds(t *testing.T) {
	var set openspaces.Set[*space]
	first, err := read(&set, "s", func() {
		if set.SetMode("s", permission.ReadOnly) != nil {
			t.Error("there is a runtime before the space was read")
		}
		set.SetMode("other", permission.ReadOnly)
	})
	if err != nil || first.mode != permission.ReadOnly {
		t.Errorf("its mode is %q, %v", first.mode, err)
	}
	if got := set.SetMode("s", permission.AskAlways); got != first {
		t.Error("the runtime isn't told of a later change")
	}
	set.Take("s")
	if again, _ := read(&set, "s", func() {}); again == first || again.mode != permission.AskAlways {
		t.Errorf("read once more it has the mode of an earlier reading: %q", again.mode)
	}
	if other, _ := read(&set, "other", func() {}); other.mode != permission.AskAlways {
		t.Errorf("a space that wasn't being read: %q", other.mode)
	}
}

func TestOneRuntimeASpace(t *testing.T) {
	var set openspaces.Set[*space]
	var got [8]*space
	var all, half sync.WaitGroup
	half.Add(len(got)) // all of them read at once
	for i := range got {
		all.Go(func() { got[i], _ = read(&set, "s", func() { half.Done(); half.Wait() }) })
	}
	all.Wait()
	for i := range got {
		if got[i] == nil || got[i] != got[0] || got[i] != set.Get("s") {
			t.Fatalf("runtime %d is another one", i)
		}
	}
}

func TestRequestsAreRecalledUntilTheSpaceIsOpen(t *testing.T) {
	var set openspaces.Set[*space]
	waits := []requests.Wait{{RequestID: "r"}}
	set.Recall("s", waits)
	set.Recall("s", nil)
	if got := set.Recalled("s"); len(got) != 1 || got[0].RequestID != "r" {
		t.Errorf("recalled %v", got)
	}
	if _, err := read(&set, "s", func() {}); err != nil {
		t.Fatal(err)
	}
	set.Recall("s", waits)
	if got := set.Recalled("s"); got != nil {
		t.Errorf("the space is open, and %v is told beside it", got)
	}
}

func TestNothingOpensAfterTheEnd(t *testing.T) {
	var set openspaces.Set[*space]
	for _, id := range []string{"a", "b"} {
		if _, err := read(&set, id, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	all := slices.SortedFunc(set.All(), func(a, b *space) int { return strings.Compare(a.id, b.id) })
	if len(all) != 2 || all[0] != set.Get("a") || all[1] != set.Get("b") {
		t.Errorf("open: %v", all)
	}
	if closed := set.Close(); len(closed) != 2 {
		t.Errorf("%d spaces are to be closed", len(closed))
	}
	if _, err := read(&set, "a", func() {}); !closing(err) {
		t.Errorf("a space opens: %v", err)
	}
	if set.Get("a") != nil || set.Take("b") != nil {
		t.Error("a runtime is left")
	}
}

func TestSpaceThatIsReadWhileWeftClosesIsNotOpened(t *testing.T) {
	var set openspaces.Set[*space]
	if _, err := read(&set, "a", func() { set.Close() }); !closing(err) || set.Get("a") != nil {
		t.Errorf("the space opens: %v", err)
	}
}

func closing(err error) bool {
	var e *fault.Error
	return errors.As(err, &e) && e.Code == "closing"
}
