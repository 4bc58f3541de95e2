package scan

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestObjectEndsWhereItIsComplete(t *testing.T) {
	for text, want := range map[string]struct {
		n        int
		progress Progress
	}{
		`{}`:                     {2, Finished},
		` {"a":[1,{"b":"}"}]} x`: {20, Finished},
		`{"a":`:                  {5, Unfinished},
		`{"a":1,`:                {7, Unfinished},
		``:                       {0, Unfinished},
		`{"a" 1}`:                {5, Malformed},
		`{a:1}`:                  {1, Malformed},
		`{"a":tru}`:              {5, Malformed},
		`{"a":01}`:               {5, Malformed},
		`{"a":"b`:                {7, Malformed},
		"{\"a\":\"\x1b[0m\",\"b": {11, Malformed}, // behind the string
		`{"a":1,}`:               {7, Malformed},
		`{"a":[1,]}`:             {8, Malformed},
		`{"a":[}`:                {6, Malformed},
		`{{`:                     {1, Malformed},
		`[1]`:                    {0, Malformed},
		`"a"`:                    {0, Malformed},
		`{"a":1}}`:               {7, Finished},
		`{"a":` + strings.Repeat("[", maxDepth-1) + "1": {maxDepth + 5, Unfinished},
		`{"a":` + strings.Repeat("[", maxDepth):         {maxDepth + 4, Malformed},
	} {
		var o Object
		if n, progress := o.Next([]byte(text)); n != want.n || progress != want.progress {
			t.Errorf("%.40s: %d, %d", text, n, progress)
		}
	}
}

// TestObjectsAgreeWithTheParser breaks texts into lines at their tokens and changes bytes of them: what is finished is valid, and what is valid is finished.
func TestObjectsAgreeWithTheParser(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	tokens := []string{"{", "}", "[", "]", ":", ",", `"a"`, `"{"`, `"\""`, "1", "-2.5e3", "true", "null", "x", `"`, "{}", `"b":`}
	for range 100_000 {
		var lines []string
		for range 1 + r.IntN(10) {
			lines = append(lines, tokens[r.IntN(len(tokens))])
		}
		if r.IntN(3) > 0 {
			lines = append([]string{"{"}, lines...)
		}
		text := strings.Join(lines, "\n")
		var o Object
		finished := -1
		for i, line := range lines {
			n, progress := o.Next([]byte(line))
			if progress == Finished && n == len(line) {
				finished = i
			}
			if progress != Unfinished {
				break
			}
		}
		valid := Valid([]byte(text)) && strings.HasPrefix(text, "{")
		if got := finished == len(lines)-1; got != valid {
			t.Fatalf("seed %d: %q is finished: %v, valid: %v", seed, text, got, valid)
		}
	}
}
