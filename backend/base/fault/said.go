package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"weft/backend/base/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/quantity"
)

// Template is a sentence in English with names in double braces where values go: "The folder {{folder}} can't be
// opened." It is the key of its translations, so it must be a constant; `make generate` collects all constants of this
// type.
type Template string

// Said is a sentence that a face can write in another language: its template and its values, apart from each other. It
// is held as JSON, ["The folder {{folder}} can't be opened.", "/tmp/a"], so that it can be compared and stored. A value
// is a text, or again such a list. The values are in the order in which the template first names them.
//
// The empty Said is a sentence that has no template.
type Said string

// maxDepth is how deep sentences may be inside each other.
const maxDepth = 8

// maxSaid is the longest Said, in bytes. A longer sentence has no template.
const maxSaid = 32 << 10

// names are the places in a template. The frontend has the same pattern.
var names = lazyregexp.New(`\{\{[A-Za-z0-9_]+\}\}`)

// Say returns a sentence. A value may be a sentence itself, an error, or what fmt.Sprint can print. Of an error whose
// message has a template, the template is kept too.
func Say(template Template, values ...any) Said {
	list := make([]jsontext.Value, 0, 1+len(values))
	list = append(list, quote(string(template)))
	for _, v := range values {
		list = append(list, valueOf(v))
	}
	raw, err := json.Marshal(list)
	if err != nil || len(raw) > maxSaid {
		return Said(plainly(string(template), values))
	}
	return Said(raw)
}

// Text returns a sentence for a field that is a text alone: the window finds its template again.
func Text(template Template, values ...any) string { return Say(template, values...).String() }

// Counted returns a sentence about one thing or about so many. The number is the first value of the latter; further
// values follow it in both.
func Counted(n int, one, many Template, values ...any) Said {
	if n == 1 {
		return Say(one, values...)
	}
	return Say(many, slices.Concat([]any{n}, values)...)
}

// Values that each language writes in its own way are sentences with one of these templates. Their value is what
// English has, and behind it, without a place in the template, is what it was made of: milliseconds since 1970, bytes,
// a number. The frontend knows the templates.
const (
	timeTemplate   = "{{time}}"
	sizeTemplate   = "{{size}}"
	numberTemplate = "{{number}}"
)

// At returns a time as a value of a sentence, in English as "2026-01-31 15:04".
func At(t time.Time) Said {
	return Say(timeTemplate, t.Format("2006-01-02 15:04"), t.UnixMilli())
}

// Size returns a number of bytes as a value of a sentence, in English as "1.5 KB".
func Size(n int64) Said { return Say(sizeTemplate, quantity.Bytes(n), n) }

// Number returns a number as a value of a sentence, in English without a mark between thousands.
func Number(n int) Said { return Say(numberTemplate, n, n) }

// plainly is a sentence that is too long to be kept apart: its template has nothing but a name.
func plainly(template string, values []any) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = textOf(valueOf(v), 1)
	}
	return string(append(append([]byte(`["{{text}}",`), quote(fill(template, list))...), ']'))
}

func quote(text string) jsontext.Value {
	raw, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, string(utf8.RuneError)))
	return raw
}

func valueOf(v any) jsontext.Value {
	switch v := v.(type) {
	case Said:
		return inside(v)
	case error:
		if own := Of(v); own != nil && own.Message == v.Error() && own.Said() != "" {
			return inside(own.said)
		}
		return quote(v.Error())
	case string:
		return quote(v)
	}
	return quote(fmt.Sprint(v))
}

// inside is a sentence as a value of another one. Where that would be too deep, it is a text.
func inside(s Said) jsontext.Value {
	if s == "" || wellFormed(jsontext.Value(s), 1) != nil {
		return quote(s.String())
	}
	return jsontext.Value(s)
}

// String returns the sentence in English.
func (s Said) String() string {
	if s == "" {
		return ""
	}
	return textOf(jsontext.Value(s), 0)
}

// textOf is a value as text: itself, or a sentence in English.
func textOf(v jsontext.Value, depth int) string {
	if v.Kind() == '"' {
		text, _ := jsontext.AppendUnquote(nil, v)
		return string(text)
	}
	var list []jsontext.Value
	if json.Unmarshal(v, &list) != nil || len(list) == 0 || depth > maxDepth {
		return ""
	}
	values := make([]string, len(list)-1)
	for i, v := range list[1:] {
		values[i] = textOf(v, depth+1)
	}
	return fill(textOf(list[0], maxDepth), values)
}

// fill puts values into a template. A place that comes again has the same value, and one without a value stays as it
// is.
func fill(template string, values []string) string {
	var order []string
	return names.ReplaceAllStringFunc(template, func(name string) string {
		at := slices.Index(order, name)
		if at < 0 {
			at = len(order)
			order = append(order, name)
		}
		if at >= len(values) {
			return name
		}
		return values[at]
	})
}

// Map returns the sentence with its values changed, for instance without secrets.
func (s Said) Map(change func(string) string) Said {
	if s == "" {
		return ""
	}
	var list []jsontext.Value
	if json.Unmarshal([]byte(s), &list) != nil {
		return ""
	}
	for i := range list {
		switch {
		case i == 0:
		case list[i].Kind() == '"':
			text, _ := jsontext.AppendUnquote(nil, list[i])
			list[i] = quote(change(string(text)))
		default:
			list[i] = jsontext.Value(Said(list[i]).Map(change))
			if len(list[i]) == 0 {
				list[i] = quote("")
			}
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return Said(raw)
}

// For returns the sentence if it is the message that is given, else none: the message was changed since, and must be
// shown as it is.
func (s Said) For(message string) Said {
	if s == "" || s.String() != message {
		return ""
	}
	return s
}

// MarshalJSONTo writes the list, or null.
func (s Said) MarshalJSONTo(w *jsontext.Encoder) error {
	if s == "" {
		return w.WriteToken(jsontext.Null) //nolint:wrapcheck // it names the place in the JSON
	}
	return w.WriteValue(jsontext.Value(s)) //nolint:wrapcheck // as above
}

// UnmarshalJSONFrom reads what MarshalJSONTo has written. Anything else is no sentence, and isn't an error: the message
// is there too.
func (s *Said) UnmarshalJSONFrom(r *jsontext.Decoder) error {
	v, err := r.ReadValue()
	if err != nil {
		return err //nolint:wrapcheck // it names the place in the JSON
	}
	*s = ""
	if v.Kind() == '[' && len(v) <= maxSaid && wellFormed(v, 0) == nil {
		c := v.Clone()
		if c.Compact() == nil {
			*s = Said(c)
		}
	}
	return nil
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (s Said) MarshalJSON() ([]byte, error) { return json.Marshal(s) } //nolint:wrapcheck // as above

// UnmarshalJSON is UnmarshalJSONFrom for encoding/json.
func (s *Said) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, s) } //nolint:wrapcheck // as above

var errForm = errors.New("this isn't a sentence")

// wellFormed reports whether a value is a text, or a list of a text and values.
func wellFormed(v jsontext.Value, depth int) error {
	if v.Kind() == '"' {
		return nil
	}
	var list []jsontext.Value
	if v.Kind() != '[' || depth >= maxDepth || json.Unmarshal(v, &list) != nil || len(list) == 0 || list[0].Kind() != '"' {
		return errForm
	}
	for _, v := range list[1:] {
		if err := wellFormed(v, depth+1); err != nil {
			return err
		}
	}
	return nil
}
