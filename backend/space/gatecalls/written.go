package gatecalls

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/partialjson"
)

// MaxInput limits how much of an input is read while it is written, in bytes. The gateway accepts no more.
const MaxInput = 4 << 20

// Written is the input of a call, as far as the model has written it. The zero value is empty.
type Written struct {
	reader  partialjson.Reader
	tooLong bool // no more of the input is read
}

// Write adds a fragment of the input. Broken or too long input is left for the gateway to refuse.
func (w *Written) Write(fragment string) []partialjson.Change {
	if w.tooLong = w.tooLong || w.reader.Len()+len(fragment) > MaxInput; w.tooLong {
		return nil
	}
	changes, _ := w.reader.Write(fragment)
	return changes
}

// TooLong reports whether the input is longer than the gateway accepts.
func (w *Written) TooLong() bool { return w.tooLong }

// Streamed reports whether any of the input was read while it was written.
func (w *Written) Streamed() bool { return w.reader.Len() > 0 }

// Text returns a string member of the input, as far as it is written.
func (w *Written) Text(member string) string { return w.reader.Text(member) }

// object returns the complete members of the input so far.
func (w *Written) object() jsontext.Value { return jsontext.Value(w.reader.Object()) }

// becomes returns how certain it is that the input is, or will be, the sent arguments.
func (w *Written) becomes(sent jsontext.Value) int {
	if w.reader.Len() == 0 || w.reader.Err() != nil {
		return unknown
	}
	object := w.object()
	switch {
	case w.reader.Done() && SameJSON(object, sent):
		return same
	case w.reader.Done() && holds(object, sent):
		return within
	case w.reader.Done():
		return no
	}
	if w.contradicts(sent) {
		return no
	}
	return begun
}

// contradicts reports whether the input so far can't become these arguments.
func (w *Written) contradicts(sent jsontext.Value) bool {
	var want map[string]jsontext.Value
	if json.Unmarshal(sent, &want) != nil {
		return false
	}
	for _, f := range w.reader.Fields() {
		if value, ok := want[f.Name]; ok && !SameJSON(jsontext.Value(f.Raw), value) {
			return true
		}
	}
	for name, value := range want {
		var text string
		if part := w.reader.Text(name); part != "" && json.Unmarshal(value, &text) == nil && !strings.HasPrefix(text, part) {
			return true
		}
	}
	return false
}
