package results

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxDocument is the maximum size of a JSON document that is read, in bytes. maxMembers is the number of values that
// are read of one object or array.
const (
	maxDocument = 1 << 20
	maxMembers  = 4096
	maxDepth    = 8
)

// member is a member of a JSON object, or an element of an array (without a name).
type member struct {
	name  string
	value jsontext.Value
}

// fieldsOf returns the members of an object or the elements of an array, in order, and their number n, which may be
// greater than len(list). For other values list is nil.
func fieldsOf(v jsontext.Value) (list []member, n int) {
	if len(v) < 2 || len(v) > maxDocument || v[0] != '{' && v[0] != '[' {
		return nil, 0
	}
	d := jsontext.NewDecoder(bytes.NewReader(v), lenient)
	if _, err := d.ReadToken(); err != nil {
		return nil, 0
	}
	for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
		var f member
		if v[0] == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, 0
			}
			f.name = name.String()
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil, 0
		}
		if n++; n <= maxMembers {
			end := d.InputOffset()
			f.value = v[end-int64(len(value)) : end : end] // value is good until the next one is read
			list = append(list, f)
		}
	}
	return list, n
}

// membersOf is [fieldsOf] without the number.
func membersOf(v jsontext.Value) []member {
	list, _ := fieldsOf(v)
	return list
}

// named returns the value of the first member that has one of the names and is not null.
func named(list []member, names ...string) jsontext.Value {
	for _, name := range names {
		for _, f := range list {
			if f.name == name && f.value.Kind() != 'n' {
				return f.value
			}
		}
	}
	return nil
}

// textIn returns the first non-empty string with one of the names.
func textIn(list []member, names ...string) (text string) {
	for _, name := range names {
		if json.Unmarshal(named(list, name), &text, lenient) == nil && text != "" {
			return text
		}
	}
	return ""
}

// splitDocument finds a JSON document that is all of a text, its beginning or its end. It returns the document and the
// words before or after it.
func splitDocument(text string) (words string, document jsontext.Value) {
	text = strings.TrimSpace(text)
	if len(text) < 2 || len(text) > maxDocument {
		return text, nil
	}
	if text[0] == '{' || text[0] == '[' {
		d := jsontext.NewDecoder(strings.NewReader(text), lenient)
		v, err := d.ReadValue()
		if err != nil {
			return text, nil
		}
		v = bytes.Clone(v)
		rest := strings.TrimSpace(text[d.InputOffset():])
		if rest != "" && text[d.InputOffset()] != '\n' {
			return text, nil // "[INFO] …", "{x} of y"
		}
		return rest, v
	}
	if last := text[len(text)-1]; last != '}' && last != ']' {
		return text, nil
	}
	// Words come before the document, on the same line or on another one.
	for from, tries := 0, 0; tries < 8; tries++ {
		i := strings.IndexAny(text[from:], "{[")
		if i < 0 {
			break
		}
		from += i
		if v := jsontext.Value(text[from:]); v.IsValid(lenient) && len(v) > 2 {
			return strings.TrimSpace(text[:from]), v
		}
		from++
	}
	return text, nil
}
