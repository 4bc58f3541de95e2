package partialjson

import (
	"strings"
	"testing"
)

// written is a file of about n bytes as the input of a tool call.
func written(n int) string {
	const line = `\tif err := run(ctx, \"größe\", 42); err != nil { return err } // what a line of code looks like\n`
	return `{"path":"src/app.go","content":"` + strings.Repeat(line, n/len(line)) + `"}`
}

func benchmark(b *testing.B, size int) {
	doc := written(size)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		r := Reader{}
		for i := 0; i < len(doc); i += 4 {
			if _, err := r.Write(doc[i:min(i+4, len(doc))]); err != nil {
				b.Fatal(err)
			}
			_ = r.Object()
			_ = r.Text("content")
		}
		if !r.Done() {
			b.Fatal("not done")
		}
	}
}

func BenchmarkFragments100KB(b *testing.B) { benchmark(b, 100<<10) }
func BenchmarkFragments1MB(b *testing.B)   { benchmark(b, 1<<20) }
