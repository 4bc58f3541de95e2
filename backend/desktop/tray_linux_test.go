package desktop

import (
	"testing"

	"github.com/godbus/dbus/v5"
)

// labels reads the menu as a panel does.
func labels(t *testing.T, m *trayMenu) (revision uint32, list []string) {
	t.Helper()
	revision, top, err := m.GetLayout(0, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range top.Children {
		node, ok := child.Value().(menuNode)
		if !ok {
			t.Fatalf("%T", child.Value())
		}
		label, _ := node.Props["label"].Value().(string)
		list = append(list, label)
		if one, err := m.GetProperty(node.ID, "label"); err != nil || one != dbus.MakeVariant(label) {
			t.Errorf("%d: %v %v, want %s", node.ID, one, err, label)
		}
	}
	return revision, list
}

func TestMenuOfTheIconIsRenamed(t *testing.T) {
	t.Parallel()
	clicked := make(chan string, 1)
	m := newTrayMenu(TrayOptions{
		ShowName: "Show Weft", QuitName: "Quit Weft",
		Show: func() { clicked <- "show" }, Quit: func() { clicked <- "quit" },
	})
	first, list := labels(t, m)
	if len(list) != 2 || list[0] != "Show Weft" || list[1] != "Quit Weft" {
		t.Errorf("%v", list)
	}
	if revision, changed := m.rename([2]string{"Show Weft", "Quit Weft"}); changed || revision != first {
		t.Errorf("revision %d for the same names", revision)
	}
	revision, changed := m.rename([2]string{"Weft anzeigen", "Weft beenden"})
	now, list := labels(t, m)
	if !changed || revision == first || now != revision || list[0] != "Weft anzeigen" || list[1] != "Weft beenden" {
		t.Errorf("revision %d, then %d with %v", revision, now, list)
	}
	all, err := m.GetGroupProperties(nil, nil)
	if err != nil || len(all) != 3 || all[2].Props["label"] != dbus.MakeVariant("Weft beenden") {
		t.Errorf("%v %v", all, err)
	}
	for _, id := range []int32{1, 2, 0, 3, -1} { // ids without an item do nothing
		if err := m.Event(id, "clicked", dbus.MakeVariant(""), 0); err != nil {
			t.Error(err)
		}
		if id == 1 || id == 2 {
			if got := <-clicked; got != map[int32]string{1: "show", 2: "quit"}[id] {
				t.Errorf("entry %d: %s", id, got)
			}
		}
	}
}
