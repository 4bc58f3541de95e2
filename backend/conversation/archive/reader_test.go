package archive

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
)

const small = `{"format":"weft-conversation","version":1,"secretsHidden":0,"spaces":[
{"id":"506715c17e0f5026","title":"T","folder":"/f","lastState":"idle","createdAt":1,"lastActivity":2,"permissionMode":"rules","defaultMember":"main","members":[{"id":"main","name":"G","agentId":"g","agentName":"G","speaks":"direct","reads":"all","joinedAt":1,"joinedOrd":0}],"runs":[],"messages":[
{"id":"m1","role":"user","author":{"kind":"person"},"createdAt":1,"endedAt":1,"segments":[
{"type":"text","text":"Hello"}]}]}],"blobs":[
{"hash":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","size":3,"mimeType":"text/plain","data":["YWI=","Yw=="]}]}
`

func TestFaultsAreSentencesWithTheirPlace(t *testing.T) {
	if _, err := Check(strings.NewReader(small)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{`"version":1`, `"version":2`, "newer version of Weft"},
		{`"version":1`, `"version":"x"`, "wrong type"},
		{`"weft-conversation"`, `"other"`, "isn't a conversation"},
		{`"role":"user"`, `"role":"robot"`, "spaces[0].messages[0]: The role “robot” is unknown"},
		{`"type":"text"`, `"type":"film"`, "spaces[0].messages[0].segments[0]: The segment type “film” is unknown"},
		{`"id":"m1",`, ``, "A message needs an id"},
		{`"createdAt":1,"endedAt"`, `"createdAt":-1,"endedAt"`, "The time -1 is invalid"},
		{`"createdAt":1,"endedAt"`, `"createdAt":1e300,"endedAt"`, "wrong type"},
		{`"lastState":"idle"`, `"lastState":"asleep"`, "spaces[0]: The state “asleep” is unknown"},
		{`"permissionMode":"rules"`, `"permissionMode":"bypass"`, "The permission mode “bypass” is unknown"},
		{`"defaultMember":"main"`, `"defaultMember":"m9"`, "isn't one of the members"},
		{`"YWI="`, `"YWM="`, "blobs[0].data: The data of this content was changed"},
		{`"YWI="`, `"?"`, "must be base64"},
		{`"data":["YWI=","Yw=="]`, `"x":1`, "blobs[0]: The data of this content is missing"},
		{`"size":3`, `"size":-3`, "size of this content is invalid"},
		{`"segments":[`, `"segments":[{"type":"text","text":"a"}],"id":"late","x":[`, "“id” must come before the lists"},
		{`"messages":[`, `"messages":{`, "must be a list"},
		{"]}]}]", "]}]}", "This must be an object"},
		{"]}\n", "]} more", "Unexpected text"},
		{`"Hello"}]}]}],`, `"Hello"`, "Invalid JSON"},
	} {
		if !strings.Contains(small, c.old) {
			t.Fatalf("%q isn't in the document", c.old)
		}
		_, err := Check(strings.NewReader(strings.Replace(small, c.old, c.now, 1)))
		var fault *ReadError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.now, err, c.want)
		}
	}
	for n := 1; n < len(small)-2; n += 7 {
		if _, err := Check(strings.NewReader(small[:n])); err == nil {
			t.Fatalf("the first %d bytes are a document", n)
		}
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		small: true, "\ufeff" + small: true, `{"$schema":"x", "format":"weft-conversation"`: true, `{"title":"x","messages":[]}`: false, "": false, "[": false, `{"format":"other"}`: false,
		`{"format":"weft-conversation","version":9}`: true,
	} {
		if got := Is([]byte(text)); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}

// FuzzCheck checks that the reader never panics and that every valid document can be written again.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(strings.Replace(small, `{"type":"text","text":"Hello"}`, `{"type":"tool-group","items":[{"type":"thought","text":"a"},{"type":"tool_call","call":{"toolCallId":"t","status":"completed","content":[{"type":"diff","oldText":"a","newText":"b"}]}}]}`, 1)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, err := Check(bytes.NewReader(doc)); err != nil {
			return
		}
		c := &copying{t: t}
		if err := Read(bytes.NewReader(doc), c); err != nil {
			t.Fatal(err)
		}
		if err := c.w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Check(bytes.NewReader(c.out.Bytes())); err != nil {
			t.Fatalf("%v in %s", err, c.out.Bytes())
		}
	})
}

// copying writes what it reads.
type copying struct {
	t   *testing.T
	out bytes.Buffer
	w   *Writer
	m   *transcript.Message
	seg int
}

func (c *copying) Head(h *Head) error {
	c.w = NewWriter(&c.out, *h)
	return nil
}
func (c *copying) Space(s *Space) error { c.w.Space(s); return nil }
func (c *copying) Run(r *Run) error     { c.w.Run(r); return nil }
func (c *copying) Message(m *transcript.Message) error {
	c.m = m
	c.w.Message(m)
	return nil
}

func (c *copying) Segment(n int, s *transcript.Segment) error {
	var b Bounds
	b.Segment(s)
	c.seg = n
	c.events(Segment(c.m, n, s))
	c.w.Segment(s)
	return nil
}

func (c *copying) Item(n int, it *transcript.Item) error {
	var b Bounds
	b.Item(it)
	c.events(Item(c.m, c.seg, n, it))
	c.w.Item(it)
	return nil
}

func (c *copying) events(list []transcript.Event) {
	for _, e := range list {
		if _, err := e.JSON(); err != nil {
			c.t.Fatal(err)
		}
	}
}
func (c *copying) Opaque(o *transcript.Opaque) error { c.w.Opaque(o); return nil }
func (c *copying) EndMessage() error                 { c.w.EndMessage(); return nil }
func (c *copying) EndSpace() error                   { c.w.EndSpace(); return nil }
func (c *copying) Blob(ref transcript.Ref, r io.Reader) error {
	c.w.Blob(ref, r)
	return nil
}
