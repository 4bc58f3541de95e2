package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestView(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Builder{}
	for i := 1; i <= 60_000; i++ {
		fmt.Fprintf(&long, "line %d of many\n", i)
	}
	write("small.txt", "one\ntwo\nthree")
	write("empty", "")
	write("long.txt", long.String())
	write("data.bin", "a\x00b")
	write("odd.txt", "caf\xe9\n"+strings.Repeat("x", 100_000)+"\nend")
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"out": filepath.Join(outside, "secret"), "dev": "/dev/zero", "dir": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		path string
		line int
		want string
	}{
		{"small.txt", 2, `1+3 of 3, 13 B: "one"…"three"`},
		{filepath.Join(dir, "small.txt"), 99, `1+3 of 3, 13 B: "one"…"three"`},
		{"empty", 1, `1+0 of 0, 0 B: ""…""`},
		{"long.txt", 0, `1+5000 of 60000, 1128894 B: "line 1 of many"…""`},
		{"long.txt", 30_000, `28000+5000 of 60000, 1128894 B: "line 28000 of many"…""`},
		{"data.bin", 1, "binary"},
		{"odd.txt", 2, `1+3 of 3, 100009 B: "caf` + "\uFFFD" + `"…"end"`},
		{"out", 1, "outside"},
		{"dir/secret", 1, "outside"},
		{"dev", 1, "outside"},
		{"../x", 1, "outside"},
		{"/dev/zero", 1, "outside"},
		{"/etc/passwd", 1, "outside"},
		{"none", 1, "not_found"},
		{".", 1, "is_directory"},
	} {
		v, err := f.View(c.path, c.line)
		var got string
		var refused *Error
		switch {
		case errors.As(err, &refused):
			got = refused.Code
		case v.Binary:
			got = "binary"
		default:
			lines := strings.Split(v.Text, "\n")
			got = fmt.Sprintf("%d+%d of %d, %d B: %q…%q", v.From, v.Lines, v.Total, v.Size, lines[0], lines[len(lines)-1])
		}
		if got != c.want {
			t.Errorf("%s:%d: %s, want %s", c.path, c.line, got, c.want)
		}
		if len(v.Text) > maxView+2*longLine {
			t.Errorf("%s: %d bytes", c.path, len(v.Text))
		}
	}
}
