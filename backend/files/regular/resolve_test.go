package regular

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links of every shape lead where the system says that they lead, or out.
func TestResolveAgreesWithTheSystem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c"}
	pick := func() string { return names[random.IntN(len(names))] }
	spell := func() string { // a/../b, ../c, ./a/b
		parts := make([]string, 1+random.IntN(4))
		for i := range parts {
			parts[i] = []string{pick(), pick(), "..", "."}[random.IntN(4)]
		}
		return strings.Join(parts, "/")
	}
	led, out := 0, 0
	for range 300 {
		space, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			at := filepath.Join(space, pick())
			if random.IntN(2) == 0 {
				at = filepath.Join(space, pick(), pick())
			}
			switch random.IntN(3) {
			case 0:
				_ = os.MkdirAll(at, 0o700)
			case 1:
				_ = os.WriteFile(at, nil, 0o600)
			default:
				_ = os.Symlink(spell(), at)
			}
		}
		root, err := os.OpenRoot(space)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			name := filepath.Join(pick(), pick())
			if random.IntN(2) == 0 {
				name = pick()
			}
			got, err := Resolve(root, name)
			if errors.Is(err, ErrOutside) {
				out++
				if _, statErr := root.Stat(name); statErr == nil {
					t.Fatalf("%s does not lead out", name)
				}
				continue
			}
			if !filepath.IsLocal(got) && err == nil {
				t.Fatalf("%s leads to %s", name, got)
			}
			want, realErr := filepath.EvalSymlinks(filepath.Join(space, name))
			if realErr != nil {
				continue // it leads nowhere, or in circles
			}
			led++
			if err != nil || filepath.Join(space, got) != want {
				t.Fatalf("%s leads to %s (%v), want %s", name, got, err, want)
			}
		}
		_ = root.Close()
	}
	if led == 0 || out == 0 {
		t.Errorf("%d names led somewhere, %d out", led, out)
	}
}
