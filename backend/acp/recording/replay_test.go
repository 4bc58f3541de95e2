package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// client talks to a replay.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	exit chan int
}

func replay(t *testing.T, speed, path string) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), exit: make(chan int, 1)}
	go func() {
		c.exit <- Replay(path, speed, inR, outW, io.Discard)
		outW.Close()
	}()
	return c
}

func (c *client) say(line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Errorf("the replay takes no input: %v", err)
	}
}

func (c *client) hear() string {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *client) close() int {
	c.in.Close()
	go func() { _, _ = io.Copy(io.Discard, c.out) }()
	return <-c.exit
}

// same sends a replay what the recorded client sent, and compares every line of the agent
// with the recorded one.
func same(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := replay(t, "max", path)
	ours, asked := map[string]string{}, map[string]string{} // recorded id → id in the replay
	next := 100
	reader := NewReader(bytes.NewReader(data))
	for {
		e, err := reader.Next()
		if err != nil {
			break
		}
		var m envelope
		if e.Msg != nil {
			_ = json.Unmarshal(e.Msg, &m, lenient)
		}
		id := string(m.ID)
		if e.Dir == ToAgent {
			switch {
			case m.Method != "" && m.hasID():
				next++
				ours[id] = fmt.Sprintf(`"c%d"`, next)
				c.say(withID(e.Msg, ours[id]))
			case m.hasID():
				c.say(withID(e.Msg, asked[id]))
			default:
				c.say(string(e.Msg))
			}
			continue
		}
		got := c.hear()
		want := string(e.Msg)
		if e.Msg == nil {
			want = e.Raw
		}
		var g envelope
		_ = json.Unmarshal([]byte(got), &g, lenient)
		switch {
		case m.Method != "" && m.hasID():
			asked[id] = string(g.ID)
			want, got = withID(e.Msg, "0"), withID(jsontext.Value(got), "0")
		case m.hasID():
			want = withID(e.Msg, ours[id])
		}
		if canonical(got) != canonical(want) {
			t.Fatalf("line %d:\ngot  %.300s\nwant %.300s", e.Line, got, want)
		}
	}
	if code := c.close(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func withID(msg jsontext.Value, id string) string {
	var m map[string]jsontext.Value
	if json.Unmarshal(msg, &m, lenient) != nil {
		return string(msg)
	}
	m["id"] = jsontext.Value(id)
	b, _ := json.Marshal(m, json.Deterministic(true))
	return string(b)
}

func canonical(s string) string {
	v := jsontext.Value(s)
	if v.Canonicalize() != nil {
		return s
	}
	return string(v)
}

func TestReplayRepeatsTheRecording(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	// To try others, set for example WEFT_RECORDINGS='/some/folder/*/*.jsonl'.
	more, _ := filepath.Glob(os.Getenv("WEFT_RECORDINGS"))
	for _, f := range append(files, more...) {
		t.Run(f, func(t *testing.T) { same(t, f) })
	}
}

// write writes a recording of lines "> message" (from the client) and "< message", ms
// milliseconds apart.
func write(t *testing.T, ms int, text string) string {
	var b strings.Builder
	at := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		dir := FromAgent
		if line[0] == '>' {
			dir = ToAgent
		}
		at += ms * 1000
		body := strings.TrimSpace(line[1:])
		key := "msg"
		if !jsontext.Value(body).IsValid(lenient) {
			key = "raw"
			q, _ := json.Marshal(body)
			body = string(q)
		}
		fmt.Fprintf(&b, `{"t":%d,"dir":"%s","%s":%s}`+"\n", at, dir, key, body)
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const turns = `
	< Starting …
	> {"id":0,"method":"initialize","params":{}}
	< {"id":0,"result":{"protocolVersion":1}}
	> {"id":1,"method":"session/new","params":{}}
	< {"method":"early","params":{}}
	< {"id":1,"result":{"sessionId":"s"}}
	< {"method":"late","params":{}}
	> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
	< {"method":"a"}
	< {"id":"u-1","method":"session/request_permission","params":{}}
	< {"method":"b"}
	> {"id":"u-1","result":{}}
	< {"method":"c"}
	> {"method":"session/cancel","params":{"sessionId":"s"}}
	< {"id":2,"result":{"stopReason":"cancelled"}}
	> {"id":3,"method":"session/prompt","params":{"sessionId":"s"}}
	< {"method":"d"}
	< {"method":"e"}
	< {"id":3,"result":{"stopReason":"end_turn"}}
	< {"method":"f"}
	> {"id":4,"method":"session/set_mode","params":{"sessionId":"s"}}
	< {"method":"mode"}
	< {"id":4,"result":{}}`

func expect(t *testing.T, c *client, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := c.hear(); got != w {
			t.Errorf("got %s\nwant %s", got, w)
		}
	}
}

func TestReplayWaitsForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := replay(t, "2", write(t, 100, turns))
		expect(t, c, "Starting …")
		c.say(`{"id":7,"method":"initialize","params":{}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":1}}`)
		c.say(`{"id":8,"method":"session/new"}`)
		expect(t, c, `{"method":"early","params":{}}`, `{"jsonrpc":"2.0","id":8,"result":{"sessionId":"s"}}`, `{"method":"late","params":{}}`)
		began := time.Now()
		c.say(`{"id":"p","method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"a"}`, `{"jsonrpc":"2.0","id":"replay-1","method":"session/request_permission","params":{}}`, `{"method":"b"}`)
		if d := time.Since(began); d != 150*time.Millisecond {
			t.Errorf("three lines took %v", d)
		}
		time.Sleep(time.Hour)
		c.say(`{"id":"replay-1","result":{"outcome":{}}}`)
		expect(t, c, `{"method":"c"}`)
		time.Sleep(4 * time.Second) // less than cancelTimeout
		c.say(`{"method":"session/cancel","params":{"sessionId":"s"}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":"p","result":{"stopReason":"cancelled"}}`)
		if d := time.Since(began); d != time.Hour+4*time.Second+250*time.Millisecond {
			t.Errorf("the turn took %v", d)
		}
		c.say(`{"id":"q","method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"d"}`, `{"method":"e"}`, `{"jsonrpc":"2.0","id":"q","result":{"stopReason":"end_turn"}}`)
		c.say(`{"id":"m","method":"session/set_mode","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"f"}`, `{"method":"mode"}`, `{"jsonrpc":"2.0","id":"m","result":{}}`)
		c.say(`{"id":"r","method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":"r","error":{"code":-32603,"message":"The recording has ended: all 2 prompts were played."}}`)
		c.say(`{"id":"l","method":"session/load","params":{"sessionId":"s"}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":"l","error":{"code":-32601,"message":"The recording has no session/load."}}`)
		if code := c.close(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestReplayGoesOnWithoutTheCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := replay(t, "max", write(t, 100, `
			> {"id":0,"method":"session/new"}
			< {"id":0,"result":{"sessionId":"s"}}
			> {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
			< {"method":"a"}
			> {"method":"session/cancel","params":{"sessionId":"s"}}
			< {"id":1,"result":{"stopReason":"cancelled"}}`))
		c.say(`{"id":1,"method":"session/new"}`)
		expect(t, c, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
		began := time.Now()
		c.say(`{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"a"}`, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}`)
		if d := time.Since(began); d != cancelTimeout {
			t.Errorf("the turn took %v", d)
		}
		if code := c.close(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestReplayIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := replay(t, "1", write(t, 1000, `
			> {"id":0,"method":"session/new"}
			< {"id":0,"result":{"sessionId":"s"}}
			> {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
			< {"method":"a"}
			< {"id":5,"method":"session/request_permission"}
			> {"id":5,"result":{}}
			< {"method":"b"}
			< {"id":1,"result":{"stopReason":"end_turn"}}
			> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
			< {"method":"c"}`))
		c.say(`{"id":1,"method":"session/new"}`)
		expect(t, c, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
		c.say(`{"id":2,"method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}`)
		c.say(`{"method":"session/cancel","params":{"sessionId":"s"}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}`)
		// The recorded agent died in its second turn.
		c.say(`{"id":3,"method":"session/prompt","params":{"sessionId":"s"}}`)
		expect(t, c, `{"method":"c"}`)
		c.say(`{"method":"session/cancel","params":{"sessionId":"s"}}`)
		expect(t, c, `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`)
		c.close()
	})
}

func TestReplayOpensALoadedSession(t *testing.T) {
	path := write(t, 0, `
		> {"id":0,"method":"session/load","params":{"sessionId":"old"}}
		< {"method":"before"}
		< {"id":0,"result":{"modes":{}}}
		< {"method":"behind"}`)
	c := replay(t, "max", path)
	c.say(`{"id":1,"method":"session/new","params":{}}`)
	expect(t, c, `{"method":"before"}`, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"old","modes":{}}}`, `{"method":"behind"}`)
	c.close()
}

func TestReplayTranslatesTerminals(t *testing.T) {
	path := write(t, 0, `
		> {"id":0,"method":"session/prompt","params":{}}
		< {"id":1,"method":"terminal/create","params":{}}
		> {"id":1,"result":{"terminalId":"term-1"}}
		< {"id":2,"method":"terminal/output","params":{"terminalId":"term-1"}}
		> {"id":2,"result":{}}
		< {"id":0,"result":{}}`)
	c := replay(t, "max", path)
	c.say(`{"id":1,"method":"session/prompt","params":{}}`)
	expect(t, c, `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{}}`)
	c.say(`{"id":1,"result":{"terminalId":"T9"}}`)
	expect(t, c, `{"jsonrpc":"2.0","id":2,"method":"terminal/output","params":{"terminalId":"T9"}}`)
	c.say(`{"id":2,"result":{}}`)
	expect(t, c, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	c.close()
}

// A recording is untrusted.
func TestReplayRunsNoCommands(t *testing.T) {
	path := write(t, 0, `
		> {"id":0,"method":"session/prompt","params":{}}
		< {"id":1,"method":"terminal/create","params":{"sessionId":"s","command":"rm","args":["-rf","$HOME"],"env":[{"name":"PATH","value":"/evil"}],"cwd":"/"}}
		> {"id":1,"result":{"terminalId":"term-1"}}
		< {"id":0,"result":{}}`)
	c := replay(t, "max", path)
	c.say(`{"id":1,"method":"session/prompt","params":{}}`)
	expect(t, c, `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"echo","args":["Not run again by a replay: rm -rf $HOME"]}}`)
	c.say(`{"id":1,"result":{"terminalId":"T9"}}`)
	expect(t, c, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	c.close()
}

// TestReplayAnswersAPipe sends all requests at once and closes the input.
func TestReplayAnswersAPipe(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader("{\"id\":1,\"method\":\"initialize\"}\n{\"id\":2,\"method\":\"session/new\"}\n{\"id\":3,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}\n")
	if code := Replay(write(t, 100, turns), "max", in, &out, io.Discard); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := out.String(); strings.Count(got, "\n") != 10 || !strings.HasSuffix(got, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"cancelled\"}}\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestReplayThatCannotBegin(t *testing.T) {
	for _, tc := range []struct {
		path, speed string
		code        int
		says        string
	}{
		{"x", "0", 2, "above 0, or max"},
		{"/does/not/exist", "1", 1, "there is no file /does/not/exist"},
		{write(t, 0, ""), "1", 1, "the file is empty"},
	} {
		var stdout, stderr bytes.Buffer
		if code := Replay(tc.path, tc.speed, strings.NewReader(""), &stdout, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.says) {
			t.Errorf("%s at %s: code %d, %q, %q", tc.path, tc.speed, code, stdout.String(), stderr.String())
		}
	}
}
