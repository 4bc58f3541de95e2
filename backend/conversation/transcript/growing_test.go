package transcript

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"weft/backend/base/raced"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func inputOf(input string) *Update {
	return with(change("t", ""), func(p *ToolPatch) { p.Input = jsontext.Value(input) })
}

// TestGrowingInput: what an agent resends with more in it goes out as what it has grown by.
func TestGrowingInput(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs []string // the first with the announcement
		want   []string // the deltas, "= …" for an input that is sent whole
	}{
		{
			"a text grows",
			[]string{`{"path":"a","content":"x"}`, `{"path":"a","content":"xy"}`, `{"path":"a","content":"xyz\n"}`},
			[]string{`{"path":"a","content":"xy`, `z\n`},
		},
		{
			"the first that is known is sent whole",
			[]string{`{}`, `{"path":"a"}`, `{"path":"a","content":"x"}`},
			[]string{`= {"path":"a"}`, `{"path":"a","content":"x`},
		},
		{
			"a field is added",
			[]string{`{"old":"a"}`, `{"old":"ab"}`, `{"old":"ab","new":"c"}`, `{"old":"ab","new":"cd"}`},
			[]string{`{"old":"ab`, `","new":"c`, `d`},
		},
		{
			"a text grows that is not the last",
			[]string{`{"content":"x","path":"a"}`, `{"content":"xy","path":"a"}`, `{"content":"xyz","path":"a"}`},
			[]string{`{"path":"a","content":"xy`, `z`},
		},
		{
			"a field is added in front",
			[]string{`{"a":"x"}`, `{"a":"xy"}`, `{"all":false,"a":"xyz"}`, `{"all":false,"a":"xyzz"}`},
			[]string{`{"a":"xy`, `z","all":false`, `,"a":"xyzz`},
		},
		{
			"inside a list",
			[]string{`{"edits":[{"old":"a"}]}`, `{"edits":[{"old":"ab"}]}`, `{"edits":[{"old":"ab","new":"c"},{"old":"d"}]}`},
			[]string{`{"edits":[{"old":"ab`, `","new":"c"},{"old":"d`},
		},
		{
			"a number grows",
			[]string{`{"n":1,"b":""}`, `{"n":12,"b":""}`, `{"n":123,"b":"x"}`},
			[]string{`{"b":"","n":12`, `3,"b":"x`},
		},
		{
			"another value replaces",
			[]string{`{"a":null}`, `{"a":"x"}`, `{"a":"y"}`},
			[]string{`{"a":"x`, `","a":"y`},
		},
		{
			"half of a surrogate pair waits",
			[]string{`{"a":"x"}`, `{"a":"xy\ud83d"}`, `{"a":"xy😀z"}`},
			[]string{`{"a":"xy`, `😀z`},
		},
		{
			"a backslash is no half pair",
			[]string{`{"a":"x"}`, `{"a":"x\\ud83d"}`, `{"a":"x\\ud83d!"}`},
			[]string{`{"a":"x\\ud83d`, `!`},
		},
		{
			"brackets in a text",
			[]string{`{"a":"{[\"","b":"}"}`, `{"a":"{[\"","b":"}]}"}`, `{"a":"{[\"","b":"}]}\""}`},
			[]string{`{"a":"{[\"","b":"}]}`, `\"`},
		},
		{"the same again", []string{`{"a":"x"}`, `{"a":"x"}`, `{"a":"xy"}`, `{"a":"xy"}`}, []string{`{"a":"xy`}},
		{
			"a field is lost",
			[]string{`{"a":"x","b":1}`, `{"a":"xy","b":1}`, `{"a":"xyz"}`, `{"a":"xyzz"}`},
			[]string{`{"b":1,"a":"xy`, `= {"a":"xyz"}`, `{"a":"xyzz`},
		},
		{"no object", []string{`"a"`, `"ab"`, `["a"]`}, []string{`= "ab"`, `= ["a"]`}},
		{"a name twice", []string{`{"a":1}`, `{"a":1,"a":2}`}, []string{`= {"a":1,"a":2}`}},
		{
			"white space",
			[]string{`{ "a" : "x" }`, "{ \"a\" :\n\"xy\" , \"b\" : [ 1 ] }", `{"a":"xy","b":[ 1, 2 ]}`},
			[]string{`{"a":"xy","b":[ 1`, `, 2`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.do(with(announce("t", "T", StatusPending), func(p *ToolPatch) { p.Input = jsontext.Value(c.inputs[0]) }))
			b.flush()
			var got []string
			for _, in := range c.inputs[1:] {
				b.do(inputOf(in))
				for _, body := range b.box.Take().Bodies {
					switch e := body.(type) {
					case *ToolInputDelta:
						got = append(got, e.Delta)
					case *ToolCallUpdate:
						got = append(got, "= "+string(e.Input))
					}
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestGrowingInputSettles: however a call continues, the whole input is sent once and takes the fragments' place.
func TestGrowingInputSettles(t *testing.T) {
	last := `{"path":"a","content":"xyz"}`
	for _, c := range []struct {
		name string
		do   func(b *bench)
	}{
		{"it runs", func(b *bench) { b.do(change("t", StatusRunning)) }},
		{"it ends", func(b *bench) { b.do(change("t", StatusCompleted)) }},
		{"it fails", func(b *bench) { b.do(change("t", StatusFailed)) }},
		{"it is asked for", func(b *bench) {
			b.turns.AskPermission(&ToolPatch{ID: "t", Announced: true}, "q", []PermissionOption{{ID: "y", Kind: "allow_once"}}, nil, b.now)
		}},
		{"it is asked for with its input", func(b *bench) {
			b.turns.AskPermission(&ToolPatch{ID: "t", Announced: true, Input: jsontext.Value(last)}, "q", []PermissionOption{{ID: "y", Kind: "allow_once"}}, nil, b.now)
		}},
		{"the turn ends", func(b *bench) { b.turns.Current().End("end_turn", nil, b.now) }},
		{"the turn is cancelled", func(b *bench) { b.turns.Current().End("cancelled", nil, b.now) }},
		{"the agent dies", func(b *bench) { b.turns.Current().Fail(Failure{Message: "gone"}, b.now) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.turns.Begin("r", "")
			b.do(announce("t", "T", StatusPending), inputOf(`{"path":"a","content":"x"}`), inputOf(`{"path":"a","content":"xy"}`), inputOf(last))
			b.flush()
			call := b.conv.Messages[0].Segments[0].Items[0].Call
			if call.InputText != `{"path":"a","content":"xyz` {
				t.Fatalf("on the way: %q", call.InputText)
			}
			c.do(b)
			b.flush()
			call = b.conv.Messages[0].Segments[0].Items[0].Call
			if string(call.Input) != last || call.InputText != "" {
				t.Errorf("input %s, text %q", call.Input, call.InputText)
			}
		})
	}
}

// TestGrowingInputCosts: a file of 1 MB whose content is resended in steps sends 1 MB, not the sum of the steps.
func TestGrowingInputCosts(t *testing.T) {
	const line = "a line of a file that is being written, some 60 bytes.\\n"
	b := newBench(t)
	b.do(announce("t", "T", StatusPending))
	sent, content := 0, ""
	for range 200 {
		content += strings.Repeat(line, 90)
		b.do(inputOf(`{"path":"a","content":"` + content + `"}`))
		out := b.box.Take()
		for _, body := range out.Bodies {
			if d, ok := body.(*ToolInputDelta); ok {
				sent += len(d.Delta)
			}
		}
		for _, blob := range out.Blobs {
			sent += len(blob.Data)
		}
	}
	if limit := len(content) * 11 / 10; sent > limit {
		t.Errorf("sent %d bytes for an input of %d", sent, len(content))
	}
}

// TestGrowingInputIsTheInput: at every step the fragments so far, closed, mean what the agent sent.
func TestGrowingInputIsTheInput(t *testing.T) {
	seed := testSeed(t)
	for i := range uint64(raced.Of(150)) {
		r := rand.New(rand.NewPCG(seed, i))
		b := newBench(t)
		b.do(announce("t", "T", StatusPending))
		inputs := map[string][]string{}
		for range 40 {
			pieces := []string{"", "x", "\n", `"`, `\`, "é", "😀", "}]", "long enough to be a line of text "}
			in := randomGrowth(r, inputs, "t", pieces[r.IntN(len(pieces))])
			b.do(inputOf(string(in)))
			b.flush()
			call := b.conv.Messages[0].Segments[0].Items[0].Call
			got := string(call.Input)
			if call.InputText != "" {
				got = closed(call.InputText)
			}
			var is, want any
			if err := json.Unmarshal([]byte(got), &is, wire); err != nil {
				t.Fatalf("seed %d, case %d: %v\n%s\n%s", seed, i, err, got, in)
			}
			if err := json.Unmarshal(in, &want, wire); err != nil || !reflect.DeepEqual(is, want) {
				t.Fatalf("seed %d, case %d:\ngot  %s\nwant %s", seed, i, got, in)
			}
		}
	}
}

// closed adds what closes the beginning of a JSON document.
func closed(s string) string {
	var ends []byte
	inText, escaped := false, false
	for _, c := range []byte(s) {
		switch {
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped = true
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			ends = append(ends, c+2)
		case c == '}' || c == ']':
			ends = ends[:len(ends)-1]
		}
	}
	if inText {
		s += `"`
	}
	for i := len(ends) - 1; i >= 0; i-- {
		s += string(ends[i])
	}
	return s
}

// TestWholeInputReplacesItsFragments: an agent that sends fragments and, with them, the fields that are complete loses
// nothing of the field that it is writing.
func TestWholeInputReplacesItsFragments(t *testing.T) {
	b := newBench(t)
	b.do(announce("t", "T", StatusPending))
	b.flush()
	for _, p := range []ToolPatch{
		{InputDelta: `{"path":"a`},
		{InputDelta: `.txt","content":"li`, Input: jsontext.Value(`{"path":"a.txt"}`)},
		{InputDelta: `ne"}`, Input: jsontext.Value(`{"path":"a.txt","content":"line"}`)},
	} {
		b.do(with(change("t", ""), func(q *ToolPatch) { q.Status, q.InputDelta, q.Input = nil, p.InputDelta, p.Input }))
	}
	var joined string
	for _, body := range b.box.Take().Bodies {
		switch e := body.(type) {
		case *ToolInputDelta:
			joined += e.Delta
		case *ToolCallUpdate:
			if e.Input != nil {
				t.Errorf("a whole input went out: %s", e.Input)
			}
		}
	}
	if joined != `{"path":"a.txt","content":"line"}` {
		t.Errorf("%s", joined)
	}
}
