package partialjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// FuzzReader compares every prefix of a document with encoding/json.
func FuzzReader(f *testing.F) {
	for _, c := range tableCases(f) {
		f.Add(c.In, uint8(3))
	}
	f.Fuzz(func(t *testing.T, doc string, size uint8) {
		if len(doc) > 600 { // every prefix is read by both: the square of it
			return
		}
		final := map[string]json.RawMessage{}
		whole := json.Unmarshal([]byte(doc), &final) == nil
		twice := whole && comesTwice(doc)
		r, each := &Reader{}, &log{rows: [][]string{}}
		for i := range len(doc) {
			changes, _ := r.Write(doc[i : i+1])
			each.add(changes)
			if refused := refuses(doc[:i+1]); refused != (r.Err() != nil) {
				t.Fatalf("%q: encoding/json refuses it: %v; the reader says %v", doc[:i+1], refused, r.Err())
			}
			if r.Err() != nil {
				if r.Len() != i {
					t.Fatalf("%q: broken at %d", doc[:i+1], r.Len())
				}
				break
			}
			if whole && !twice {
				isOnTheWay(t, r, doc, final)
			}
		}
		if got, want := r.Done() || r.Err() == nil && len(r.open) == 0 && r.state.endsNumber(), json.Valid([]byte(doc)); got != want {
			t.Fatalf("%q: valid %v, want %v", doc, got, want)
		}
		if whole && json.Valid([]byte(doc)) {
			isAll(t, r, doc, final)
		}
		if _, joined := read(doc, int(size)); !reflect.DeepEqual(joined.rows, each.rows) {
			t.Fatalf("%q in fragments of %d:\n%q\none by one:\n%q", doc, size, joined.rows, each.rows)
		}
	})
}

// refuses reports whether encoding/json would refuse the document however it continued.
func refuses(doc string) bool {
	var syntax *json.SyntaxError
	var any json.RawMessage
	err := json.Unmarshal([]byte(doc), &any)
	if !errors.As(err, &syntax) || syntax.Error() == "unexpected end of JSON input" {
		return false
	}
	// At its end, encoding/json tries a space: the same words as for a byte that does not fit.
	if strings.HasPrefix(syntax.Error(), "invalid character ' '") && doc[len(doc)-1] != ' ' {
		return false
	}
	return true
}

func isOnTheWay(t *testing.T, r *Reader, doc string, final map[string]json.RawMessage) {
	t.Helper()
	if !json.Valid(r.Object()) {
		t.Fatalf("%q: object %q", doc, r.Object())
	}
	for name, raw := range final {
		var text string
		if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
			text = ""
		}
		if !strings.HasPrefix(text, r.Text(name)) {
			t.Fatalf("%q: %s is %q, which is not the beginning of %q", doc, name, r.Text(name), text)
		}
		if got, ok := r.Field(name); ok && string(got) != string(raw) {
			t.Fatalf("%q: %s is %q, want %q", doc, name, got, raw)
		}
	}
}

// comesTwice reports whether a top-level name of a whole document comes twice.
func comesTwice(doc string) bool {
	r, _ := read(doc, 0)
	return len(r.doc.fields) != len(r.doc.latest)
}

func isAll(t *testing.T, r *Reader, doc string, final map[string]json.RawMessage) {
	t.Helper()
	if len(r.doc.latest) != len(final) {
		t.Fatalf("%q: %d fields, want %d", doc, len(r.doc.latest), len(final))
	}
	for name, raw := range final {
		if got, ok := r.Field(name); !ok || string(got) != string(raw) {
			t.Fatalf("%q: %s is %q, want %q", doc, name, got, raw)
		}
		var text string
		if raw[0] == '"' && json.Unmarshal(raw, &text) == nil && r.Text(name) != text {
			t.Fatalf("%q: text of %s is %q, want %q", doc, name, r.Text(name), text)
		}
	}
	var a, b any
	if json.Unmarshal(r.Object(), &a) != nil || json.Unmarshal([]byte(doc), &b) != nil || len(final) > 0 && !reflect.DeepEqual(a, b) {
		t.Fatalf("%q: object %q", doc, r.Object())
	}
}
