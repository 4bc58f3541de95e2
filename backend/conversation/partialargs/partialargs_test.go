package partialargs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func text(path, s string, more bool) Piece { return Piece{Path: path, Text: &s, More: more} }

func TestPiecesMakeOneObject(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name   string
		pieces []Piece
		want   string
	}{
		{"nothing", nil, `{}`},
		{"a text in pieces", []Piece{text("$.text", "He\"l", true), text("$.text", "lo\n", true), text("$.text", "", false)}, `{"text":"He\"llo\n"}`},
		{"texts that end without a word", []Piece{text("$.a", "x", true), text("$.b", "y", true)}, `{"a":"x","b":"y"}`},
		{"other values", []Piece{{Path: "$.n", Number: []byte("1e3")}, {Path: "$.b", Bool: &yes}, {Path: "$.z", Null: []byte(`"NULL_VALUE"`)}}, `{"n":1e3,"b":true,"z":null}`},
		{
			"lists of objects",
			[]Piece{text("$.rows[0].name", "a", false), text("$.rows[0].note", "b", false), text("$.rows[1].name", "c", true), text("$.rows[1].name", "d", false), text("$.last", "e", false)},
			`{"rows":[{"name":"a","note":"b"},{"name":"cd"}],"last":"e"}`,
		},
		{"lists of lists", []Piece{{Path: "$.m[0][0]", Number: []byte("1")}, {Path: "$.m[0][1]", Number: []byte("2")}, {Path: "$.m[1][0]", Number: []byte("3")}}, `{"m":[[1,2],[3]]}`},
		{"quoted names", []Piece{text(`$['a b']`, "x", false), text(`$["c\"d"]`, "y", false)}, `{"a b":"x","c\"d":"y"}`},
	} {
		var w Writer
		var got strings.Builder
		for _, p := range c.pieces {
			fragment, err := w.Add(p)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got.WriteString(fragment)
		}
		got.WriteString(w.Close())
		if got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.String(), c.want)
		}
	}
}

func TestPiecesOutOfOrderAreRefused(t *testing.T) {
	for _, paths := range [][]string{
		{"$.a", "$.b", "$.a"}, {"$.a[1]"}, {"$.a[0]", "$.a[2]"}, {"$.a", "$.a.b"}, {"$.a.b", "$.c", "$.a.d"}, {"$.a[0].x", "$.a[1].x", "$.a[0].y"}, {"a"}, {"$"}, {"$[0]"}, {"$.a[x]"}, {"$."}, {`$["a`},
	} {
		var w Writer
		var err error
		for _, p := range paths {
			if err == nil {
				_, err = w.Add(text(p, "x", false))
			}
		}
		if !errors.Is(err, ErrOrder) {
			t.Errorf("%v: %v, want ErrOrder", paths, err)
		}
	}
}

// TestRandomObjectsComeBack cuts random objects into pieces and puts them together again.
func TestRandomObjectsComeBack(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		want := object(r, 0)
		var pieces []Piece
		cut(r, "$", want, &pieces)
		var w Writer
		var got strings.Builder
		for _, p := range pieces {
			fragment, err := w.Add(p)
			if err != nil {
				t.Fatalf("seed %d: %s: %v after %s", seed, p.Path, err, got.String())
			}
			got.WriteString(fragment)
		}
		got.WriteString(w.Close())
		var back any
		if err := json.Unmarshal([]byte(got.String()), &back); err != nil || !reflect.DeepEqual(back, any(want)) {
			t.Fatalf("seed %d: %s (%v), want %v", seed, got.String(), err, want)
		}
	}
}

func value(r *rand.Rand, depth int) any {
	switch n := r.IntN(6); {
	case n == 0 && depth < 3:
		return object(r, depth+1)
	case n == 1 && depth < 3:
		list := make([]any, 1+r.IntN(3))
		for i := range list {
			list[i] = value(r, depth+1)
		}
		return list
	case n == 2:
		return float64(r.IntN(1000))
	case n == 3:
		return r.IntN(2) == 0
	case n == 4:
		return nil
	}
	var s strings.Builder
	for range r.IntN(20) {
		s.WriteString([]string{"a", "\"", "\\", "\n", "ü", "👍", "]", "}", "<"}[r.IntN(9)])
	}
	return s.String()
}

func object(r *rand.Rand, depth int) map[string]any {
	m := map[string]any{}
	for range 1 + r.IntN(4) {
		m[[]string{"a", "b", "c d", "e'f", `g"h`, "i.j", "k"}[r.IntN(7)]] = value(r, depth)
	}
	return m
}

func cut(r *rand.Rand, path string, v any, into *[]Piece) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			quoted, _ := json.Marshal(name)
			step := "[" + string(quoted) + "]"
			if strings.Trim(name, "abck") == "" {
				step = "." + name
			}
			cut(r, path+step, field, into)
		}
	case []any:
		for i, e := range v {
			cut(r, fmt.Sprintf("%s[%d]", path, i), e, into)
		}
	case string:
		runes := []rune(v)
		for len(runes) > 0 && r.IntN(4) > 0 {
			n := r.IntN(len(runes) + 1)
			*into = append(*into, text(path, string(runes[:n]), true))
			runes = runes[n:]
		}
		*into = append(*into, text(path, string(runes), r.IntN(2) == 0))
	case float64:
		*into = append(*into, Piece{Path: path, Number: fmt.Append(nil, v)})
	case bool:
		*into = append(*into, Piece{Path: path, Bool: &v})
	default:
		*into = append(*into, Piece{Path: path})
	}
}
