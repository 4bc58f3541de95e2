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

// Updating reports whether golden files are to be written anew.
func Updating() bool { return *update }

// Golden compares JSON with testdata/NAME.json, indented to be read; -update writes it. The order of keys counts.
func Golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", strings.NewReplacer(" ", "-", ",", "").Replace(name)+".json")
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path) //nolint:gosec // a test's own file
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("the request is not as in %s (look at the difference after -update):\n%s", path, b.Bytes())
	}
}
