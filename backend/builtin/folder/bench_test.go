package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSearch searches 2,000 files of 20 KB both ways.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		name := filepath.Join(dir, fmt.Sprintf("d%d", i%40), fmt.Sprintf("f%d.go", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		text := strings.Repeat("func some(line int) { of(code) }\n", 600) + fmt.Sprintf("needle%d\n", i%50)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	for _, own := range []bool{false, true} {
		b.Run(map[bool]string{false: "ripgrep", true: "own"}[own], func(b *testing.B) {
			f.withoutRipgrep = own
			for b.Loop() {
				found, err := f.Search(b.Context(), Query{Pattern: `needle1\d`, Regexp: true})
				if err != nil || found.Total != 400 {
					b.Fatal(found.Total, err)
				}
			}
		})
	}
}
