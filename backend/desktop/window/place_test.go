package window

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlaceIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "window.json")
	if _, known := readPlace(path); known {
		t.Error("a place is known that was never written")
	}
	for _, want := range []place{{X: -1920, Y: 30, Width: 900, Height: 700}, {Width: 480, Height: 420, Maximized: true, Middle: true}} {
		if err := want.Write(path); err != nil {
			t.Fatal(err)
		}
		if got, known := readPlace(path); !known || got != want {
			t.Errorf("it is %+v, %t, not %+v", got, known, want)
		}
	}
	if err := (place{}).Write(filepath.Join(path, "below", "a file")); err == nil {
		t.Error("it was written below a file")
	}
}

func TestPlaceThatNoWindowCanHaveIsNoPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "window.json")
	for _, text := range []string{
		"", "{}", "null", "[1]", `{"x":1,"y":2}`, `{"width":900,"height":0}`, `{"width":-900,"height":700}`, `{"width":900,"height":99999999}`,
		`{"x":-99999999,"y":0,"width":900,"height":700}`, `{"x":1e300,"width":900,"height":700}`, `{"width":900,"height":700`,
		`{"x":"left","width":900,"height":700}`, `{"y":-9223372036854775808,"width":900,"height":700}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, known := readPlace(path); known || got != (place{}) {
			t.Errorf("%s is %+v", text, got)
		}
	}
}
