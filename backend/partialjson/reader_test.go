package partialjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
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

// log is the changes in the table's words, with neighboring texts of one place joined.
type log struct{ rows [][]string }

func (l *log) add(changes []Change) {
	for _, c := range changes {
		switch c.Kind {
		case Started:
			l.rows = append(l.rows, []string{"start", c.Field})
		case Text:
			if n := len(l.rows); n > 0 && l.rows[n-1][0] == "text" && l.rows[n-1][1] == c.Field && l.rows[n-1][2] == c.Path {
				l.rows[n-1][3] += c.Text
				continue
			}
			l.rows = append(l.rows, []string{"text", c.Field, c.Path, c.Text})
		case Complete:
			l.rows = append(l.rows, []string{"field", c.Field, string(c.Raw)})
		case Ended:
			l.rows = append(l.rows, []string{"end"})
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
				if !reflect.DeepEqual(l.rows, c.Want) {
					t.Errorf("got  %q\nwant %q", l.rows, c.Want)
				}
				var broken *SyntaxError
				switch isBroken := errors.As(r.Err(), &broken); {
				case isBroken != (c.Error != nil):
					t.Errorf("error %v", r.Err())
				case isBroken && broken.Offset != *c.Error:
					t.Errorf("broken at %d, want %d: %v", broken.Offset, *c.Error, broken)
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
	if err := r.Close(); !errors.Is(err, io.ErrUnexpectedEOF) || r.Done() {
		t.Fatalf("close: %v", err)
	}
	write(`\ny"}`)
	if !r.Done() || r.Close() != nil || r.Text("content") != "x\ny" || r.Text("limit") != "" {
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
	if want := `broken JSON at byte 23: '\n' within a string`; r.Close().Error() != want {
		t.Fatalf("got %q", r.Close())
	}
}

func TestDeepNesting(t *testing.T) {
	deepest := `{"a":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`
	if r, _ := read(deepest, 7); !r.Done() || !json.Valid([]byte(deepest)) {
		t.Fatalf("refused: %v", r.Err())
	}
	tooDeep := `{"a":` + strings.Repeat("[", 2_000_000)
	r, _ := read(tooDeep, 64)
	var broken *SyntaxError
	if !errors.As(r.Err(), &broken) || broken.Offset != len(`{"a":`)+maxDepth-1 {
		t.Fatalf("got %v", r.Err())
	}
	if cap(r.in.stack) > 2*maxDepth {
		t.Fatalf("the stack takes %d bytes", cap(r.in.stack))
	}
}

// TestHostileNames: long names over many texts cost no path each.
func TestHostileNames(t *testing.T) {
	doc := `{"a":{"` + strings.Repeat("n", 200_000) + `":[` + strings.Repeat(`"x",`, 50_000) + `"x"]}}`
	r, l := read(doc, 16)
	if !r.Done() || len(l.rows) != 3 {
		t.Fatalf("%v, %d changes", r.Err(), len(l.rows))
	}
}
