package rpc

import (
	"strings"
	"testing"
)

// find returns what becomes of lines, each piece as a line.
func find(f *Finder, lines ...string) (out []string) {
	show := func(pieces []Piece) {
		for _, p := range pieces {
			switch {
			case p.Oversize != nil:
				out = append(out, "oversize")
			case p.About != nil:
				out = append(out, "about "+string(p.About.ID)+string(p.About.Method)+": "+string(p.Text))
			case p.Noise != "":
				out = append(out, "noise: "+string(p.Text))
			default:
				out = append(out, string(p.Text))
			}
		}
	}
	for _, line := range lines {
		show(f.Line([]byte(line)))
	}
	show(f.End(nil))
	return out
}

func TestFinder(t *testing.T) {
	const a, b = `{"jsonrpc":"2.0","method":"a"}`, `{"id":1,"result":{}}`
	for _, c := range []struct{ name, in, want string }{
		{"alone", a, a},
		{"blank", " \t", ""},
		{"two", a + b, a + "|" + b},
		{"a list", "[" + a + "," + b + "]", "[" + a + "," + b + "]"},
		{"a list over lines", "[\n " + a + ",\n " + a + "\n]", "noise: [|" + a + "|noise: ,|" + a + "|noise: ]"},
		{"noise around", "x {y} " + a + " {z", "noise: x {y} |" + a + "|noise:  {z"},
		{"a message without jsonrpc behind text", "[debug] " + b, "noise: [debug] " + b},
		{"a message in a log", `{"msg":` + a + `}x`, `noise: {"msg":` + a + `}x`},
		{"a message in a damaged one", `{"jsonrpc":"2.0","method":"x","params":{"a":` + a + `,"b":x}}`, `noise: {"jsonrpc":"2.0","method":"x","params":{"a":` + a + `,"b":x}}`},
		{"over lines", "{\n \"jsonrpc\":\"2.0\",\n\n \"method\":\n \"a\"\r\n} x", a + "|noise:  x"},
		{"a member over lines of what is lost", " \"call\": {\n  \"jsonrpc\":\"2.0\",\n  \"method\":\"a\"\n }", "noise: \"call\": |noise: {\n  \"jsonrpc\":\"2.0\",\n  \"method\":\"a\"\n }"},
		{"given up for a log", "{\n[debug] x\n" + a, "noise: {|noise: [debug] x|" + a},
		{"given up for a message", `{"a":` + "\n" + a, `noise: {"a":|` + a},
		{"given up for a message over lines", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":` + "\n{\n \"jsonrpc\":\"2.0\",\n \"method\":\"a\"\n}", `about 3"x": {"jsonrpc":"2.0","id":3,"method":"x","params":{"a":|` + a},
		{"given up for a list over lines", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":` + "\n[\n  " + a + ",\n  " + b + "\n]", `about 3"x": {"jsonrpc":"2.0","id":3,"method":"x","params":{"a":|` + a + "|noise: ,|" + b + "|noise: ]"},
		{"given up for a list of messages over lines", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":` + "\n[\n  {\n    \"jsonrpc\":\"2.0\",\n    \"method\":\"a\"\n  }\n]", `about 3"x": {"jsonrpc":"2.0","id":3,"method":"x","params":{"a":|` + a + "|noise: ]"},
		{"given up for a list", `{"a":[` + "\n[" + a + "," + b + "]", `noise: {"a":[|[` + a + "," + b + "]"},
		{"kept for its last member, a list", `{"jsonrpc":"2.0","method":"a","params":` + "\n[\n {\n \"b\":{}\n}\n]}", `{"jsonrpc":"2.0","method":"a","params":[{"b":{}}]}`},
		{"kept for its last member over lines", `{"jsonrpc":"2.0","method":"a","params":` + "\n{\n \"b\":{}\n}}", `{"jsonrpc":"2.0","method":"a","params":{"b":{}}}`},
		{"given up at the end", a + "{", a + "|noise: {\n"},
		{"interleaved", `{"jsonrpc":"2.0","method":"session/upd` + a, `noise: {"jsonrpc":"2.0","method":"session/upd|` + a},
		{"an answer that is broken off", `{"jsonrpc":"2.0","id":3,"result":{"a":"b`, `about 3: {"jsonrpc":"2.0","id":3,"result":{"a":"b`},
		{"a request that is broken off", `{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":"b`, `about 3"x": {"jsonrpc":"2.0","id":3,"method":"x","params":{"a":"b`},
		{"an answer over lines that is damaged", "{\n \"jsonrpc\":\"2.0\",\n \"id\":3,\n \"result\":x\n}", "about 3: {\n \"jsonrpc\":\"2.0\",\n \"id\":3,|noise: \"result\":x|noise: }"},
		{"a log that is broken off", `{"level":"info","id":3,"msg":"x`, `noise: {"level":"info","id":3,"msg":"x`},
	} {
		if got := strings.Join(find(NewFinder(1<<20), strings.Split(c.in, "\n")...), "|"); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// TestUnfinishedObjectIsBounded: it is neither kept without a bound, nor does it keep what follows it from being found.
func TestUnfinishedObjectIsBounded(t *testing.T) {
	const most, next = 4 << 10, `{"jsonrpc":"2.0","method":"next"}`
	for name, line := range map[string]string{"members": `  "name": {},`, "lists": `  "a": [{}, 1.5, true],`, "blank lines": "", "logs": "[debug] all is well"} {
		f := NewFinder(most)
		f.Line([]byte(`{"jsonrpc":"2.0","id":7,"result":`))
		f.Line([]byte("{"))
		for range 10_000 {
			f.Line([]byte(line))
			if f.held != nil && cap(f.held.text) > 2*most {
				t.Fatalf("%s: %d bytes are kept", name, cap(f.held.text))
			}
		}
		got := strings.Join(find(f, next), "|")
		want := "oversize|" + next
		if name == "logs" {
			want = next
		}
		if got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
