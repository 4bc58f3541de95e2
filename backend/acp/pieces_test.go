package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weft/backend/acp/lines"
	"weft/backend/acp/rpc"
	"weft/backend/base/raced"
)

var noiseSeed = flag.Uint64("noise-seed", 0, "seed of the random streams; 0 takes the time")

// noises are texts that are no messages, some with such in them.
var noises = []string{
	"\x1b[0m", "\x1b[32m✔ ready\x1b[0m", "[debug]", "2026-11-28T12:00:00Z INFO", "}", "]", "{", "{}", "{ }", "[]", "[", ",", ":", "}}", "null", "42", `"`, `\`, `"text"`, "\x00", "\ufeff", "\xff\xfe", "\t", "…",
	"{not json}", "function f() {", "} else {", "a{b}c", `say "hi {name}"`, `{"level":"info","id":1,"msg":"answered"}`, `{"level":"info","id":1,"error":"none"}`, `{"level":"debug","method":"POST","id":7,"path":"/"}`, `{"a":{"b":[1,{"c":"}"}]}}`,
	`{"id":3}x`, `{"msg":{"jsonrpc":"2.0","id":1,"result":{}}}`, `{"msg":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}`, `"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"`, `{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}`, "{'jsonrpc': '2.0', 'id': 1, 'result': {}}",
	`{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":7}`, `{"jsonrpc":"2.0","id":1,"result":}`, `{"result":{}}`, `{"method":"x","foreign":1}`, "<!DOCTYPE html>", "Content-Length: 120", "data:", "event: message", "{\"a\":tru", `{"a"`, `{"a":1,`, `{"a`, `{{`,
}

// stream is what an agent writes, and which messages it is.
type stream struct {
	r    *rand.Rand
	n    int
	out  bytes.Buffer
	want []string // each as a line of its own
}

func (s *stream) often(percent int) bool { return s.r.IntN(100) < percent }

func (s *stream) pick(list ...string) string { return list[s.r.IntN(len(list))] }

// message is a random one, with members in a random order, as the only one of its number.
func (s *stream) message() string {
	s.n++
	text, _ := json.Marshal(s.pick("word ", "{", "}", `"`, `\`, "\n", `{"jsonrpc":"2.0","id":1,"result":{}}`, "é😀", "", "\x1b[0m", "[debug] {") + fmt.Sprint(s.n))
	parts := []string{`"jsonrpc":"2.0"`}
	switch s.r.IntN(6) {
	case 0, 1:
		parts = append(parts, `"method":"session/update"`, `"params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":`+string(text)+`}}}`)
	case 2:
		parts = append(parts, `"method":"session/update"`, fmt.Sprintf(`"params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t%d","rawInput":{"jsonrpc":"2.0","id":1,"result":[%s,[],{}]}}}`, s.n, text))
	case 3:
		parts = append(parts, fmt.Sprintf(`"method":"_x/%d"`, s.n), `"params":[{"jsonrpc":"2.0","id":1,"method":"nested"},`+string(text)+`]`)
	case 4:
		parts = append(parts, fmt.Sprintf(`"id":%d`, s.n), `"method":"fs/read_text_file"`, `"params":{"path":`+string(text)+`}`)
	case 5:
		parts = append(parts, fmt.Sprintf(`"id":%d`, s.n), s.pick(`"result":{"stopReason":"end_turn"}`, `"error":{"code":-32603,"message":`+string(text)+`}`, `"result":null`, `"result":{"jsonrpc":"2.0","id":1,"result":{}}`))
	}
	if s.often(40) {
		s.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	line := "{" + strings.Join(parts, ",") + "}"
	s.want = append(s.want, line)
	return line
}

// pretty prints a message over several lines.
func (s *stream) pretty(line string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(line), "", s.pick(" ", "  ", "\t")); err != nil {
		panic(err)
	}
	return strings.ReplaceAll(b.String(), "\n", s.pick("\n", "\n", "\r\n", "\n\n"))
}

// cut returns the beginning of a message that is never finished, and whether that is within a string.
func (s *stream) cut() (head string, inString bool) {
	line := s.message()
	s.want = s.want[:len(s.want)-1]
	for {
		head = line[:1+s.r.IntN(len(line)-1)]
		bare := strings.NewReplacer(`\\`, "", `\"`, "").Replace(head)
		if inString = strings.Count(bare, `"`)%2 > 0; inString {
			return head, true
		}
		if !valueFollows(head) {
			return head, false
		}
	}
}

// valueFollows reports whether a message behind the text would be a part of what is begun there.
func valueFollows(text string) bool {
	text = strings.TrimRight(text, " \t")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, ",") || strings.HasSuffix(text, "[")
}

// noise is some of the noises. A message behind it is no part of it.
func (s *stream) noise() string {
	for {
		var b strings.Builder
		for range 1 + s.r.IntN(3) {
			b.WriteString(s.pick(noises...))
			b.WriteString(s.pick("", " ", " ", "\t"))
		}
		if !valueFollows(b.String()) {
			return b.String()
		}
	}
}

func (s *stream) add() {
	switch s.r.IntN(10) {
	case 0:
		s.out.WriteString(s.noise())
	case 1:
		s.out.WriteString(s.noise() + s.message())
	case 2:
		s.out.WriteString(s.message() + s.noise())
	case 3:
		s.out.WriteString(s.noise() + s.message() + s.noise())
	case 4:
		for range 2 + s.r.IntN(3) {
			s.out.WriteString(s.message() + s.pick("", " ", ",", "\x1b[0m", " | "))
		}
	case 5:
		s.out.WriteString(s.pretty(s.message()))
	case 6:
		s.out.WriteString(s.noise() + s.pretty(s.message()) + s.noise())
	case 7:
		s.out.WriteString("[\n  " + s.message() + ",\n  " + s.message() + "\n]")
	case 8:
		head, inString := s.cut()
		s.out.WriteString(head)
		if !inString { // so that nothing can finish it
			s.out.WriteString("\n" + s.message())
		} else if s.often(50) {
			s.out.WriteString(s.message() + s.pick("", s.noise()))
		}
	default:
		s.out.WriteString(s.message())
	}
	s.out.WriteString(s.pick("\n", "\n", "\r\n", "\n\n"))
}

// pieces reads as the agent's output in pieces of any size.
type pieces struct {
	b []byte
	r *rand.Rand
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(to, p.b[:min(1+p.r.IntN(1+p.r.IntN(4096)), len(p.b))])
	p.b = p.b[n:]
	return n, nil
}

// TestMessagesInNoise writes random messages with random noise around them, over one line or several: each arrives once, in order, and nothing else does.
func TestMessagesInNoise(t *testing.T) {
	seed := *noiseSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % (1 << 53)
	}
	for i := range uint64(raced.Of(3000)) {
		s := &stream{r: rand.New(rand.NewPCG(seed, i))}
		for range 1 + s.r.IntN(12) {
			s.add()
		}
		want := dumpAll(decodeAll(true, s.want...))
		written := s.out.String()
		got := dumpAll(decodeStream(&pieces{[]byte(written), s.r}))
		if got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			at := 0
			for at < min(len(g), len(w)) && g[at] == w[at] {
				at++
			}
			t.Fatalf("seed %d, case %d:\n%q\ngot %.300q\nwant %.300q", seed, i, written, strings.Join(g[at:], "\n"), strings.Join(w[at:], "\n"))
		}
	}
}

// dumpAll is dump without what is no message.
func dumpAll(list []Inbound) string {
	var messages []Inbound
	for _, in := range list {
		if in.Kind != KindBroken {
			messages = append(messages, in)
		}
	}
	return dump(messages)
}

// decodeStream decodes what an agent writes.
func decodeStream(r io.Reader) (out []Inbound) {
	d := NewDecoder(func(in *Inbound) { out = append(out, *in) })
	reader := lines.New(r, MaxLine)
	for {
		for line, _, ok := reader.Next(); ok; line, _, ok = reader.Next() {
			d.Line(line)
		}
		if reader.Fill() != nil {
			line, _ := reader.Rest()
			d.End(line)
			return out
		}
	}
}

func TestPrettyPrintedMessageIsShownAsALine(t *testing.T) {
	var shown []string
	r := strings.NewReader("{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\"\n} behind\n\nbefore " + `{"jsonrpc":"2.0","method":"b"}{"jsonrpc":"2.0","method":"c"}` + "\n{\n\"x\"")
	c := New(r, io.Discard, Options{Tap: func(_ string, line []byte) { shown = append(shown, string(line)) }})
	if err := c.Run(t.Context(), HandlerFunc(func(*Inbound, bool) {})); err != nil {
		t.Error(err)
	}
	want := []string{`{"jsonrpc":"2.0","method":"a"}`, " behind", "", "before ", `{"jsonrpc":"2.0","method":"b"}`, `{"jsonrpc":"2.0","method":"c"}`, "{\n\"x\""}
	if !slices.Equal(shown, want) {
		t.Errorf("got %q", shown)
	}
}

func TestOversizeObjectOverSeveralLinesIsOneThing(t *testing.T) {
	var got []Inbound
	d := NewDecoder(func(in *Inbound) { got = append(got, *in) })
	d.finder = rpc.NewFinder(100)
	for _, line := range []string{"{", `  "jsonrpc": "2.0",`, `  "method": "session/update",`, `  "params": {`, `    "sessionId": "s",`, `    "update": {"sessionUpdate": "plan", "entries": [`, `      {"jsonrpc":"2.0","method":"nested"},`, "      {", `        "jsonrpc":"2.0","method":"nested"`, "      }", "    ] } } }", `{"jsonrpc":"2.0","method":"next"}`} {
		d.Line([]byte(line))
	}
	if len(got) != 2 || got[0].Kind != KindOversize || got[0].SessionID != "s" || got[0].Update.UnknownKind != "plan" || got[1].Method != "next" {
		t.Errorf("got %s", dump(got))
	}
}

func TestIDsAreComparedByValue(t *testing.T) {
	var asked *Request
	c, end := serve(t, Options{}, HandlerFunc(func(in *Inbound, _ bool) {
		if in.Kind == KindRequest {
			asked = in.Request
		}
		if in.Kind == KindWithdrawn && in.Request == asked {
			_ = in.Request.Cancelled()
		}
	}), func(a *agent) {
		a.hear()
		a.say(`{"jsonrpc":"2.0","id":5.0,"method":"fs/read_text_file"}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`)
		if got := a.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":5.0,"error"`) {
			t.Errorf("it was answered with %s", got)
		}
		a.say(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)
	})
	if err := c.Call(t.Context(), "x", nil, nil); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestDamagedResponseFailsItsCall: a line of which too little is left to be read fails the call whose answer it is, and no other.
func TestDamagedResponseFailsItsCall(t *testing.T) {
	for line, ours := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"a":"b`:                                                 true,
		`{"jsonrpc":"2.0","id":1,"result":{"a":"b"}`:                                               true,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\x1b[0m\"result\":{}}":                                      true,
		"[debug] {\"jsonrpc\":\"2.0\",\"id\":1,\x1b[0m\"result\":{}}":                              true,
		`{"id":1,"error":{"code":1,"message":"x}`:                                                  true,
		`{"jsonrpc":"2.0","result":{"a":b},"id":1}`:                                                true,
		`{"jsonrpc":"2.0","result":{"a":b},"id":1.0} [debug]`:                                      true,
		`2.0","id":1,"result":{"a":"b"}}`:                                                          true,
		"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"a\": b\n  }\n}":          true,
		`{"jsonrpc":"2.0","id":2,"result":{"a":"b`:                                                 false,
		`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"a":"b`:                    false,
		`{"jsonrpc":"2.0","method":"x","params":{"id":1,"result":{"a":"b`:                          false,
		`{"level":"info","id":1,"msg":"the answer`:                                                 false,
		`{"jsonrpc":"2.0","method":"x","params":{"rawInput":{"jsonrpc":"2.0","id":1,"result":x}}}`: false,
		`"method":"x","params":{"rawInput":{"jsonrpc":"2.0","id":1,"result":x}}}`:                  false,
	} {
		var broken atomic.Int32
		c, end := serve(t, Options{}, HandlerFunc(func(in *Inbound, _ bool) {
			if in.Kind == KindBroken {
				broken.Add(1)
			}
		}), func(a *agent) {
			a.hear()
			a.say(line)
			if !ours {
				if strings.Contains(line, "fs/") {
					if got := a.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error"`) {
						t.Errorf("%s: answered with %s", line, got)
					}
				}
				a.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			} else {
				a.say("{}")
			}
		})
		err := c.Call(t.Context(), "x", nil, nil)
		if errors.Is(err, ErrUnreadable) != ours || err == nil == ours || broken.Load() == 0 {
			t.Errorf("%s: %v, %d broken", line, err, broken.Load())
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}
