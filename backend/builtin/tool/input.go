package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// params are the parameters of a tool: the schema for the model, and the rules for checking inputs.
type params []param

// param is one field of an input.
type param struct {
	name     string
	kind     kind
	doc      string
	required bool
	enum     []string
	least    int    // minimum of an integer
	items    params // of a list of objects
}

type kind string

const (
	stringField kind = "string"
	numberField kind = "integer"
	boolField   kind = "boolean"
	listField   kind = "array" // of objects
)

// schema returns the JSON Schema of an object with these fields.
func (p params) schema() json.RawMessage {
	type field struct {
		Type        kind            `json:"type"`
		Description string          `json:"description,omitempty"`
		Enum        []string        `json:"enum,omitempty"`
		Minimum     *int            `json:"minimum,omitempty"`
		Items       json.RawMessage `json:"items,omitempty"`
	}
	var fields bytes.Buffer
	var required []string
	for i, one := range p {
		f := field{Type: one.kind, Description: one.doc, Enum: one.enum}
		if one.kind == numberField {
			f.Minimum = &one.least
		}
		if one.items != nil {
			f.Items = one.items.schema()
		}
		if i > 0 {
			fields.WriteByte(',')
		}
		value, _ := json.Marshal(f) // strings and numbers
		fmt.Fprintf(&fields, "%q:%s", one.name, value)
		if one.required {
			required = append(required, one.name)
		}
	}
	must := ""
	if len(required) > 0 {
		names, _ := json.Marshal(required)
		must = `,"required":` + string(names)
	}
	return json.RawMessage(`{"type":"object","properties":{` + fields.String() + `}` + must + `}`)
}

// read validates an input and decodes it into out, a pointer to a struct. It ignores unknown fields. The error, an
// *[Error], lists all invalid fields with the given and the expected values.
func (p params) read(input json.RawMessage, out any) error {
	var fields map[string]json.RawMessage
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	if err := json.Unmarshal(input, &fields); err != nil || fields == nil {
		return &Error{Message: "The input must be a JSON object with " + p.names() + ", but it is " + given(input) + "."}
	}
	wrong := p.check("", fields)
	if len(wrong) > 0 {
		return &Error{Message: "The input doesn't fit: " + strings.Join(wrong, "; ") + "."}
	}
	clean, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(clean, out)
	}
	if err != nil {
		return &Error{Message: "The input doesn't fit: " + err.Error() + ".", Err: err}
	}
	return nil
}

// check returns what is wrong, and deletes null and unknown fields.
func (p params) check(at string, fields map[string]json.RawMessage) (wrong []string) {
	for name, value := range fields {
		known := slices.ContainsFunc(p, func(one param) bool { return one.name == name })
		if !known || string(value) == "null" {
			delete(fields, name)
		}
	}
	for _, one := range p {
		value, ok := fields[one.name]
		switch {
		case !ok && one.required:
			missing := "`" + at + one.name + "` is missing, it must be " + one.wanted()
			if at == "" && len(fields) == 0 {
				missing += " (nothing usable was given)"
			}
			wrong = append(wrong, missing)
		case !ok:
		case one.items != nil:
			wrong = append(wrong, one.checkItems(at, value)...)
		case !one.fits(value):
			wrong = append(wrong, fmt.Sprintf("`%s%s` must be %s, but it is %s", at, one.name, one.wanted(), given(value)))
		}
	}
	return wrong
}

func (p param) checkItems(at string, value json.RawMessage) (wrong []string) {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return []string{fmt.Sprintf("`%s%s` must be %s, but it is %s", at, p.name, p.wanted(), given(value))}
	}
	for i, item := range items {
		var fields map[string]json.RawMessage
		if json.Unmarshal(item, &fields) != nil || fields == nil {
			wrong = append(wrong, fmt.Sprintf("`%s%s[%d]` must be an object with %s, but it is %s", at, p.name, i, p.items.names(), given(item)))
			continue
		}
		wrong = append(wrong, p.items.check(fmt.Sprintf("%s%s[%d].", at, p.name, i), fields)...)
		if len(wrong) >= 8 {
			break
		}
	}
	return wrong
}

func (p param) fits(value json.RawMessage) bool {
	switch p.kind {
	case stringField:
		var s string
		return json.Unmarshal(value, &s) == nil && (len(p.enum) == 0 || slices.Contains(p.enum, s))
	case numberField:
		var n int
		return json.Unmarshal(value, &n) == nil && n >= p.least
	case boolField:
		var b bool
		return json.Unmarshal(value, &b) == nil
	case listField:
	}
	return false
}

func (p param) wanted() string {
	switch p.kind {
	case stringField:
		if len(p.enum) > 0 {
			return `one of "` + strings.Join(p.enum, `", "`) + `"`
		}
		return "a string"
	case numberField:
		return fmt.Sprintf("a whole number from %d on", p.least)
	case boolField:
		return "true or false"
	case listField:
	}
	return "a list of objects with " + p.items.names()
}

// names lists the fields, required ones first.
func (p params) names() string {
	var must, may []string
	for _, one := range p {
		if one.required {
			must = append(must, "`"+one.name+"`")
		} else {
			may = append(may, "`"+one.name+"`")
		}
	}
	all := strings.Join(must, ", ")
	if len(may) > 0 {
		if all != "" {
			all += " and "
		}
		all += "optionally " + strings.Join(may, ", ")
	}
	return all
}

// given describes an invalid value.
func given(value json.RawMessage) string {
	shown := strings.ToValidUTF8(string(bytes.TrimSpace(value)), "\uFFFD")
	if len(shown) > 60 {
		cut := 60
		for !utf8.RuneStart(shown[cut]) {
			cut--
		}
		shown = shown[:cut] + "…"
	}
	if shown == "" {
		return "empty"
	}
	switch shown[0] {
	case '"':
		return "the string " + shown
	case '{':
		return "the object " + shown
	case '[':
		return "the list " + shown
	}
	return shown
}
