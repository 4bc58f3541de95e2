package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func TestWriterAndReader(t *testing.T) {
	var file bytes.Buffer
	now := time.UnixMicro(1_000_000)
	w := NewWriter(&file)
	w.Now = func() time.Time { now = now.Add(250 * time.Microsecond); return now }
	w.Start()
	for _, l := range []string{`{"id":1, "big":12345678901234567890}`, "Banner \x1b[0m\r", `{"half`, "bad \xff", ""} {
		if err := w.Write(FromAgent, []byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"t":250,"dir":"agent->client","msg":{"id":1, "big":12345678901234567890}}
{"t":500,"dir":"agent->client","raw":"Banner \u001b[0m"}
{"t":750,"dir":"agent->client","raw":"{\"half"}
{"t":1000,"dir":"agent->client","raw":"bad ` + "\ufffd" + `"}
{"t":1250,"dir":"agent->client","raw":""}
`
	if file.String() != want {
		t.Errorf("wrote\n%s", file.String())
	}
	got := readAll(&file)
	if want := `1 250 {"id":1, "big":12345678901234567890}|2 500 "Banner \x1b[0m"|3 750 "{\"half"|4 1000 "bad ` + "\ufffd" + `"|5 1250 ""`; got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}

func readAll(r io.Reader) string {
	var out []string
	reader := NewReader(r)
	for {
		e, err := reader.Next()
		var bad *LineError
		switch {
		case errors.As(err, &bad):
			out = append(out, fmt.Sprintf("bad line %d", bad.Line))
		case err != nil:
			return strings.Join(out, "|")
		case e.Msg != nil:
			out = append(out, fmt.Sprintf("%d %d %s", e.Line, e.T, e.Msg))
		default:
			out = append(out, fmt.Sprintf("%d %d %q", e.Line, e.T, e.Raw))
		}
	}
}

func TestReaderIsTolerant(t *testing.T) {
	in := "\n{\"t\":1.5,\"dir\":\"agent->client\",\"msg\":{}}\r\nnonsense\n{\"t\":2,\"dir\":\"sideways\",\"msg\":{}}\n{\"t\":2,\"dir\":\"agent->client\"}\n" +
		"{\"t\":3,\"dir\":\"client->agent\",\"msg\":[1],\"note\":\"x\"}\n{\"t\":4,\"dir\":"
	want := "2 1 {}|bad line 3|bad line 4|bad line 5|6 3 [1]|bad line 7"
	if got := readAll(strings.NewReader(in)); got != want {
		t.Errorf("got %s", got)
	}
}

func TestReaderSkipsOverlongLines(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"t":1,"dir":"agent->client","raw":"`), io.LimitReader(endless{}, MaxLine), strings.NewReader("\"}\n{\"t\":2,\"dir\":\"agent->client\",\"msg\":1}\n"))
	if got := readAll(in); got != "bad line 1|2 2 1" {
		t.Errorf("got %s", got)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestSplitter(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file)
	w.Now = func() time.Time { return time.UnixMicro(1) }
	s := &splitter{w: w, dir: ToAgent}
	for _, part := range []string{"{\"a\"", ":1}\n{}\nha", "lf"} {
		s.feed([]byte(part))
	}
	s.close()
	if got := readAll(&file); got != `1 0 {"a":1}|2 0 {}|3 0 "half"` {
		t.Errorf("got %s", got)
	}
}
