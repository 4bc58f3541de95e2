package partialjson

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tableCase is one of testdata/cases.json, which the TypeScript reader is tested with too.
type tableCase struct {
	Name  string     `json:"name"`
	In    string     `json:"in"`
	Want  [][]string `json:"want"`
	Error *int       `json:"error"`
}

func tableCases(t testing.TB) []tableCase {
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []tableCase
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// told returns the rows that the reader reports: those of top-level fields. The TypeScript reader also reports what is inside of them.
func (c *tableCase) told() [][]string {
	return slices.DeleteFunc(slices.Clone(c.Want), func(row []string) bool {
		return row[0] == "start" || row[0] == "end" || row[0] == "text" && row[2] != ""
	})
}

// log is the changes in the table's words, with neighboring texts of one place joined.
type log struct{ rows [][]string }

func (l *log) add(changes []Change) {
	for _, c := range changes {
		n := len(l.rows)
		switch {
		case c.Raw != nil:
			l.rows = append(l.rows, []string{"field", c.Field, string(c.Raw)})
		case n > 0 && l.rows[n-1][0] == "text" && l.rows[n-1][1] == c.Field:
			l.rows[n-1][3] += c.Text
		default:
			l.rows = append(l.rows, []string{"text", c.Field, "", c.Text})
		}
	}
}

// read writes doc in fragments of size bytes; 0 writes it whole.
func read(doc string, size int) (*Reader, *log) {
	r, l := &Reader{}, &log{rows: [][]string{}}
	for doc != "" {
		n := len(doc)
		if size > 0 {
			n = min(n, size)
		}
		changes, _ := r.Write(doc[:n])
		l.add(changes)
		doc = doc[n:]
	}
	return r, l
}

func TestTable(t *testing.T) {
	for _, c := range tableCases(t) {
		for _, size := range []int{0, 1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%s/%d", c.Name, size), func(t *testing.T) {
				r, l := read(c.In, size)
				if want := c.told(); !reflect.DeepEqual(l.rows, want) {
					t.Errorf("got  %q\nwant %q", l.rows, want)
				}
				switch isBroken := r.Err() != nil; {
				case isBroken != (c.Error != nil):
					t.Errorf("error %v", r.Err())
				case isBroken && r.Len() != *c.Error:
					t.Errorf("broken at %d, want %d: %v", r.Len(), *c.Error, r.Err())
				}
			})
		}
	}
}

func TestFieldsAreKnownBeforeTheEnd(t *testing.T) {
	r := &Reader{}
	write := func(s string) {
		t.Helper()
		if _, err := r.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	write(`{ "path" : "a`)
	if got := string(r.Object()); got != "{}" || r.Text("path") != "a" || len(r.Fields()) != 0 {
		t.Fatalf("object %s, path %q", got, r.Text("path"))
	}
	write(`.go", "limit": 1`)
	if got := string(r.Object()); got != `{ "path" : "a.go"}` {
		t.Fatalf("object %s", got)
	}
	if raw, ok := r.Field("limit"); ok {
		t.Fatalf("limit is complete: %s", raw)
	}
	write(`2, "content": "x`)
	if raw, ok := r.Field("limit"); !ok || string(raw) != "12" {
		t.Fatalf("limit: %s", raw)
	}
	if got := string(r.Object()); got != `{ "path" : "a.go", "limit": 12`+`}` {
		t.Fatalf("object %s", got)
	}
	if r.Err() != nil || r.Done() {
		t.Fatalf("done %v, %v", r.Done(), r.Err())
	}
	write(`\ny"}`)
	if !r.Done() || r.Text("content") != "x\ny" || r.Text("limit") != "" {
		t.Fatalf("done %v, content %q", r.Done(), r.Text("content"))
	}
}

// TestInvalidJSONKeepsEarlierFields: the text before the byte that does not fit stays, and nothing after it counts.
func TestInvalidJSONKeepsEarlierFields(t *testing.T) {
	r, _ := read(`{"a":1,"content":"hello`+"\n", 4)
	if _, err := r.Write(`","b":2}`); err == nil {
		t.Fatal("went on")
	}
	if r.Text("content") != "hello" || string(r.Object()) != `{"a":1}` || r.Len() != 23 {
		t.Fatalf("content %q, object %s, len %d", r.Text("content"), r.Object(), r.Len())
	}
	if want := `broken JSON at byte 23: '\n' within a string`; r.Err().Error() != want {
		t.Fatalf("got %q", r.Err())
	}
}

func TestDeepNesting(t *testing.T) {
	deepest := `{"a":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`
	if r, _ := read(deepest, 7); !r.Done() || !json.Valid([]byte(deepest)) {
		t.Fatalf("refused: %v", r.Err())
	}
	tooDeep := `{"a":` + strings.Repeat("[", 2_000_000)
	r, _ := read(tooDeep, 64)
	if r.Err() == nil || r.Len() != len(`{"a":`)+maxDepth-1 {
		t.Fatalf("got %v", r.Err())
	}
	if cap(r.open) > 2*maxDepth {
		t.Fatalf("the stack takes %d bytes", cap(r.open))
	}
}
