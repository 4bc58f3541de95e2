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

// format is a way in which models answer.
type format struct {
	name string
	// reader makes what reads one answer: it takes the data of each event.
	reader func(*answer) func(data []byte) error
	whole  bool // the answer is one JSON document
	list   bool // or a list of them
}

// maxWhole is how long an answer may be that is one document.
const maxWhole = 16 << 20

// formatOf tells a format by the path of the request and the type of the answer; nil if it is not known.
func formatOf(path, contentType string) *format {
	kind, _, _ := mime.ParseMediaType(contentType) // none is as good as a wrong one
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

// answer is an answer that is read.
type answer struct {
	of     *passing
	format *format
	calls  int
	open   []*call
	model  string
	usage  *llm.Usage
	done   bool // it has told its end: what comes behind does not count
}

// call is a tool call of an answer.
type call struct {
	a     *answer
	n     int
	id    string
	name  string
	early []string // fragments that came before the name
	ended bool
}

// read reads the answer to its end.
func (a *answer) read(body io.Reader, encoding string) (err error) {
	defer func() {
		if r := recover(); r != nil { // whatever an answer holds, the app continues
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
			return errors.Join(err, sse.ErrTooLong)
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

// readList reads the documents of a list as they come.
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

// begin begins a call. The name may be told later.
func (a *answer) begin(id, name string) *call {
	a.calls++
	c := &call{a: a, n: a.calls, id: id, name: name}
	a.open = append(a.open, c)
	if name != "" {
		a.tell(c.event())
	}
	return c
}

// called tells a name that was not known before.
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
		return // nobody knows of it
	}
	e := c.event()
	e.Ended, e.Broken = true, broken
	c.a.tell(e)
}

// finish ends all calls that are open, as the answer says that it is complete.
func (a *answer) finish() {
	for _, c := range a.open {
		c.end(false)
	}
	a.open, a.done = nil, true
}

// end ends the answer.
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

// homes are the providers whose list prices are known, by the hosts at which they hold.
var homes = map[string]string{"api.anthropic.com": "anthropic", "api.openai.com": "openai", "generativelanguage.googleapis.com": "google"}

// cost is what the request cost; nil if nobody knows. Prices hold at their provider's own address only.
func (a *answer) cost() *float64 {
	if a.usage == nil {
		return nil
	}
	if usd, known := llm.Cost(homes[a.of.to.Hostname()], a.model, *a.usage); known {
		return &usd
	}
	return nil
}
