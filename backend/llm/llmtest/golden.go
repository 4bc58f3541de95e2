package llmtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Updating reports whether golden files are to be written again.
func Updating() bool { return *update }

// Indented is JSON to be read.
func Indented(t testing.TB, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n')
}

// Golden compares JSON with testdata/NAME.json, indented to be read; -update writes it. The name may begin with a
// folder. The order of keys counts.
func Golden(t *testing.T, name string, body []byte) {
	t.Helper()
	got := Indented(t, body)
	path := filepath.Join("testdata", strings.NewReplacer(" ", "-", ",", "").Replace(name)+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the request isn't as in %s (look at the difference after -update):\n%s", path, got)
	}
}
