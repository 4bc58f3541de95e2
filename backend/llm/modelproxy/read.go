package modelproxy

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// format is the format of a response.
type format struct {
	name string
	// reader returns a function that parses one response. It is called with the data of each event.
	reader func(*answer) func(data []byte) error
	whole  bool // the response is one JSON document
	list   bool // the response is a list of documents
}

// maxWhole is the size limit for a response that is one document.
const maxWhole = 16 << 20

// formatOf returns the format for the path of a request and the type of its response, or nil.
func formatOf(path, contentType string) *format {
	kind, _, _ := mime.ParseMediaType(contentType) // an invalid type counts as none
	events, document := kind == "text/event-stream", kind == "application/json"
	if !events && !document {
		return nil
	}
	var f format
	switch path = strings.TrimRight(path, "/"); {
	case endsIn(path, "messages") || strings.HasSuffix(path, ":streamRawPredict") || strings.HasSuffix(path, ":rawPredict"):
		f = format{name: "Anthropic Messages", reader: anthropicReader}
	case endsIn(path, "chat/completions"):
		f = format{name: "OpenAI chat completions", reader: chatReader}
	case endsIn(path, "responses"):
		f = format{name: "OpenAI Responses", reader: responsesReader}
	case strings.HasSuffix(path, ":streamGenerateContent"):
		f = format{name: "Gemini", reader: geminiReader, list: document}
	case strings.HasSuffix(path, ":generateContent"):
		f = format{name: "Gemini", reader: geminiReader}
	default:
		return nil
	}
	f.whole = document && !f.list
	return &f
}

func endsIn(path, name string) bool { return strings.HasSuffix(path, "/"+name) }

// answer is a response that is being parsed.
type answer struct {
	of     *passing
	format *format
	calls  int
	open   []*call
	model  string
	usage  *llm.Usage
	done   bool // the response has reported its end, so anything after it is ignored
}

// call is a tool call in a response.
type call struct {
	a     *answer
	n     int
	id    string
	name  string
	early []string // fragments that arrived before the name
	ended bool
}

// read parses the response to its end.
func (a *answer) read(body io.Reader, encoding string) (err error) {
	defer func() {
		if r := recover(); r != nil { // a malformed response must not end the app
			err = fmt.Errorf("reading an answer: %v", r)
		}
	}()
	plain, free, err := decoded(body, encoding)
	if err != nil {
		return err
	}
	defer free()
	take := a.format.reader(a)
	switch {
	case a.format.list:
		return readList(plain, take)
	case a.format.whole:
		data, err := io.ReadAll(io.LimitReader(plain, maxWhole+1))
		if err != nil || len(data) > maxWhole {
			return errors.Join(err, llm.ErrTooLong)
		}
		return take(data)
	}
	events := sse.NewReader(plain)
	for {
		data, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if string(data) == "[DONE]" {
			a.done = true
			continue
		}
		if err := take(data); err != nil {
			return err
		}
	}
}

// readList reads the documents of a list as they arrive.
func readList(body io.Reader, take func([]byte) error) error {
	d := jsontext.NewDecoder(body)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := take(v); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a call. The name may follow later.
func (a *answer) begin(id, name string) *call {
	a.calls++
	c := &call{a: a, n: a.calls, id: id, name: name}
	a.open = append(a.open, c)
	if name != "" {
		a.tell(c.event())
	}
	return c
}

// called sets the id and name of a call that began without them.
func (c *call) called(id, name string) {
	if id != "" && c.id == "" {
		c.id = id
	}
	if c.name != "" || name == "" {
		return
	}
	c.name = name
	c.a.tell(c.event())
	for _, fragment := range c.early {
		c.add(fragment)
	}
	c.early = nil
}

func (c *call) event() Event { return Event{Call: c.n, ID: c.id, Name: c.name} }

// add adds a fragment of the input.
func (c *call) add(fragment string) {
	switch {
	case fragment == "" || c.ended:
	case c.name == "":
		c.early = append(c.early, fragment)
	default:
		e := c.event()
		e.Fragment = fragment
		c.a.tell(e)
	}
}

// end ends the input.
func (c *call) end(broken bool) {
	if c.ended {
		return
	}
	c.ended = true
	if c.name == "" {
		return // it was never reported
	}
	e := c.event()
	e.Ended, e.Broken = true, broken
	c.a.tell(e)
}

// finish ends all open calls, because the response reports that it is complete.
func (a *answer) finish() {
	for _, c := range a.open {
		c.end(false)
	}
	a.open, a.done = nil, true
}

// end ends the response.
func (a *answer) end(err error) {
	broken := err != nil && !errors.Is(err, io.EOF) || !a.done && !a.format.whole
	for _, c := range a.open {
		c.end(broken)
	}
	a.open = nil
	a.tell(Event{Ended: true, Broken: broken, Model: a.model, Usage: a.usage, Cost: a.cost()})
}

func (a *answer) tell(e Event) {
	e.Request = a.of.request
	a.of.t.read(e)
}

// homes maps hosts to the providers whose list prices apply there.
var homes = map[string]string{"api.anthropic.com": "anthropic", "api.openai.com": "openai", "generativelanguage.googleapis.com": "google"}

// cost returns the cost of the request, or nil if it is unknown. List prices apply only at the provider's own address.
func (a *answer) cost() *float64 {
	if a.usage == nil {
		return nil
	}
	if usd, known := llm.Cost(homes[a.of.to.Hostname()], a.model, *a.usage); known {
		return &usd
	}
	return nil
}
