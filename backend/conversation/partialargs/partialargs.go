// Package partialargs puts the arguments of a call together that Google's models stream in pieces: each piece says by a
// path where in the arguments it belongs, and the result is the text of one JSON object that only grows.
//
// It knows no other package of Weft.
package partialargs

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Piece is a part of the arguments (Gemini API, PartialArg). At most one of the values is set.
type Piece struct {
	Path   string         `json:"jsonPath"` // "$.rows[0].name"
	Text   *string        `json:"stringValue"`
	Number jsontext.Value `json:"numberValue"`
	Bool   *bool          `json:"boolValue"`
	Null   jsontext.Value `json:"nullValue"`
	More   bool           `json:"willContinue"` // of a text: the next piece with this path continues with it
}

// ErrOrder is returned for pieces that no text that only grows can hold: the path is unreadable, or goes back into what
// is closed.
var ErrOrder = errors.New("the pieces of the arguments are out of order")

// Writer makes fragments of JSON from pieces. The zero value is ready.
type Writer struct {
	open  []level // containers that are open, the outermost first
	text  string  // path of the text that is open
	texts bool    // one is
	done  bool
}

// level is an object or a list that is open.
type level struct {
	list  bool
	key   string // of the value that was begun last
	index int    // the same in a list, -1 before the first
	names map[string]bool
}

// step is one step of a path: into a field, or an element.
type step struct {
	list  bool
	key   string
	index int
}

// Add returns the fragment that p adds.
func (w *Writer) Add(p Piece) (string, error) {
	if w.done {
		return "", ErrOrder
	}
	if w.texts && w.text == p.Path && p.Text != nil {
		out := quoted(*p.Text)
		if !p.More {
			out += `"`
			w.texts = false
		}
		return out, nil
	}
	path, ok := parse(p.Path)
	if !ok {
		return "", ErrOrder
	}
	var out strings.Builder
	if err := w.enter(&out, path); err != nil {
		return "", err
	}
	switch {
	case p.Text != nil:
		out.WriteString(`"` + quoted(*p.Text))
		if p.More {
			w.text, w.texts = p.Path, true
		} else {
			out.WriteByte('"')
		}
	case len(p.Number) > 0:
		out.Write(p.Number)
	case p.Bool != nil:
		out.WriteString(strconv.FormatBool(*p.Bool))
	case p.More: // a text that has not begun
		out.WriteByte('"')
		w.text, w.texts = p.Path, true
	default:
		out.WriteString("null")
	}
	return out.String(), nil
}

// Close returns what closes the object. Nothing can be added behind it.
func (w *Writer) Close() string {
	if w.done {
		return ""
	}
	w.done = true
	var out strings.Builder
	if len(w.open) == 0 {
		out.WriteByte('{')
		w.open = []level{{}}
	}
	w.leave(&out, 0)
	return out.String()
}

// enter closes what the path is not in, and opens what it is in, up to its value.
func (w *Writer) enter(out *strings.Builder, path []step) error {
	same := 0 // containers of the path that are open
	for same < len(path) && same < len(w.open) && w.open[same].list == path[same].list {
		same++
		if same == len(w.open) || same == len(path) || !w.open[same-1].at(path[same-1]) {
			break
		}
	}
	switch {
	case same == 0 && len(w.open) > 0:
		return ErrOrder
	case same > 0 && w.open[same-1].behind(path[same-1]):
		return ErrOrder // its value was begun before
	}
	if len(w.open) > 0 {
		w.leave(out, same)
	}
	for i := same; ; i++ {
		if i > 0 {
			w.open[i-1].begin(out, path[i-1])
		}
		if i == len(path) {
			return nil
		}
		if path[i].list && path[i].index != 0 {
			return ErrOrder
		}
		w.open = append(w.open, level{list: path[i].list, index: -1})
		if path[i].list {
			out.WriteByte('[')
		} else {
			out.WriteByte('{')
		}
	}
}

// leave closes the open text, and containers until n are left.
func (w *Writer) leave(out *strings.Builder, n int) {
	if w.texts {
		out.WriteByte('"')
		w.texts = false
	}
	for len(w.open) > n {
		if w.open[len(w.open)-1].list {
			out.WriteByte(']')
		} else {
			out.WriteByte('}')
		}
		w.open = w.open[:len(w.open)-1]
	}
}

// at reports whether s is the value that was begun last.
func (l *level) at(s step) bool {
	if l.list {
		return s.index == l.index
	}
	return l.names[s.key] && s.key == l.key
}

// behind reports whether the value of s can't be begun: it was before, or one is missing between.
func (l *level) behind(s step) bool {
	if l.list {
		return s.index != l.index+1
	}
	return l.names[s.key]
}

func (l *level) begin(out *strings.Builder, s step) {
	first := l.index < 0
	if !l.list {
		first = len(l.names) == 0
	}
	if !first {
		out.WriteByte(',')
	}
	if l.list {
		l.index = s.index
		return
	}
	if l.names == nil {
		l.names = map[string]bool{}
	}
	l.names[s.key], l.key = true, s.key
	out.WriteString(`"` + quoted(s.key) + `":`)
}

// quoted is a text as JSON has it between quotes.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8: replaced
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	}
	return string(b[1 : len(b)-1])
}

// parse reads a path: $.name, $['name'], $["name"] and [0], one behind the other.
func parse(path string) (steps []step, ok bool) {
	rest, ok := strings.CutPrefix(path, "$")
	for ok && rest != "" {
		var s step
		s, rest, ok = next(rest)
		steps = append(steps, s)
	}
	return steps, ok && len(steps) > 0 && !steps[0].list
}

func next(path string) (s step, rest string, ok bool) {
	switch {
	case strings.HasPrefix(path, "."):
		end := strings.IndexAny(path[1:], ".[")
		if end < 0 {
			end = len(path) - 1
		}
		return step{key: path[1 : 1+end]}, path[1+end:], end > 0
	case strings.HasPrefix(path, `["`):
		end := 2
		for end < len(path) && path[end] != '"' {
			if path[end] == '\\' {
				end++
			}
			end++
		}
		if end+1 >= len(path) || path[end+1] != ']' || json.Unmarshal([]byte(path[1:end+1]), &s.key) != nil {
			return s, "", false
		}
		return s, path[end+2:], true
	case strings.HasPrefix(path, "['"):
		end := strings.Index(path, "']")
		if end < 0 {
			return s, "", false
		}
		return step{key: strings.NewReplacer(`\'`, `'`, `\\`, `\`).Replace(path[2:end])}, path[end+2:], true
	case strings.HasPrefix(path, "["):
		digits, rest, found := strings.Cut(path[1:], "]")
		n, err := strconv.Atoi(digits)
		return step{list: true, index: n}, rest, found && err == nil && n >= 0
	}
	return s, "", false
}
