package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/backend/base/clip"
	"weft/backend/base/quantity"
)

// mismatch is an invalid argument: its path, and a sentence about what is wrong.
type mismatch struct{ at, what string }

// maxFaults is how many mismatches are reported together, so that a model can correct them all in one further call.
const maxFaults = 5

// explain describes for a model which arguments are invalid: the field, the expected value, and an example. It returns
// "" if it finds no mismatch.
func (c *Schema) explain(d *Definition, input json.RawMessage) string {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return ""
	}
	var found []mismatch
	c.mismatches(c.root, value, "", &found, 0)
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The arguments of %s do not fit.", d.Name)
	for _, f := range found {
		fmt.Fprintf(&b, " %s.", strings.TrimSuffix(f.what, "."))
	}
	if example := c.exampleOf(d, found); example != "" {
		b.WriteString(" Example: " + example)
	}
	return b.String()
}

// mismatches adds the mismatches of a value to found, at most maxFaults.
func (c *Schema) mismatches(s *jsonschema.Schema, value any, at string, found *[]mismatch, depth int) {
	if s = c.resolve(s); s == nil || depth > maxNesting || len(*found) >= maxFaults {
		return
	}
	addAt := func(at, format string, args ...any) {
		if len(*found) < maxFaults {
			*found = append(*found, mismatch{at, fmt.Sprintf(format, args...)})
		}
	}
	add := func(format string, args ...any) { addAt(at, format, args...) }
	name := at
	if name == "" {
		name = "What is sent"
	} else {
		name = strconv.Quote(name)
	}
	if kinds := kindsOf(s); len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return isKind(value, k) }) {
		add("%s must be %s, but it is %s", name, c.form(s), kindWord(value))
		return
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(one any) bool { return equal(one, value) }) || s.Const != nil && !equal(*s.Const, value) {
		add("%s must be %s", name, c.form(s))
		return
	}
	switch v := value.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		if s.MinLength != nil && n < *s.MinLength || s.MaxLength != nil && n > *s.MaxLength || s.Pattern != "" && !matches(s.Pattern, v) {
			add("%s must be %s", name, c.form(s))
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
			add("%s must be %s", name, c.form(s))
		}
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			add("%s must be %s, but it has %d", name, c.form(s), len(v))
		}
		for i, one := range v {
			if s.Items != nil {
				c.mismatches(s.Items, one, fmt.Sprintf("%s[%d]", at, i), found, depth+1)
			}
		}
	case map[string]any:
		inside := func(name string) string {
			if at == "" {
				return name
			}
			return at + "." + name
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				addAt(inside(name), "%q is missing: it must be %s", inside(name), c.form(s.Properties[name]))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			one, known := c.propertyOf(s, name)
			if !known {
				add("There is no argument %q; the arguments are %s", clip.Text(inside(name), 100), clip.Text(strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "), 500))
				continue
			}
			c.mismatches(one, v[name], inside(clip.Text(name, 100)), found, depth+1)
		}
	}
}

func kindsOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func isKind(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

func kindWord(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case float64:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}

func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func matches(pattern, text string) bool {
	form, err := regexp.Compile(pattern)
	return err != nil || form.MatchString(text)
}

// form describes in words what a schema expects.
func (c *Schema) form(s *jsonschema.Schema) string {
	if s = c.resolve(s); s == nil {
		return "there"
	}
	if s.Const != nil {
		return asJSON(*s.Const)
	}
	if len(s.Enum) > 0 {
		words := make([]string, min(len(s.Enum), 30))
		for i := range words {
			words[i] = asJSON(s.Enum[i])
		}
		return "one of " + strings.Join(words, ", ")
	}
	kinds := kindsOf(s)
	words := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		words = append(words, c.kindForm(s, kind))
	}
	if len(words) == 0 {
		return "there"
	}
	return orList(words)
}

func (c *Schema) kindForm(s *jsonschema.Schema, kind string) string {
	switch kind {
	case "string":
		return "a text" + span(s.MinLength, s.MaxLength, "character") + patternForm(s.Pattern)
	case "number":
		return "a number" + bounds(s)
	case "integer":
		return "a whole number" + bounds(s)
	case "boolean":
		return "true or false"
	case "array":
		of := ""
		if items := c.resolve(s.Items); items != nil && (items.Type != "" || len(items.Enum) > 0) {
			of = ", each " + c.form(items)
		}
		return "a list" + span(s.MinItems, s.MaxItems, "item") + of
	case "object":
		if len(s.Required) > 0 {
			return "an object with " + strings.Join(s.Required, ", ")
		}
		return "an object"
	}
	return kind
}

func patternForm(pattern string) string {
	if pattern == "" {
		return ""
	}
	return " that matches " + clip.Text(pattern, 100)
}

func span(least, most *int, what string) string {
	count := func(n int) string { return quantity.Count(n, what, what+"s") }
	switch {
	case least != nil && *least > 0 && most != nil:
		return fmt.Sprintf(" of %d to %s", *least, count(*most))
	case least != nil && *least > 0:
		return " of at least " + count(*least)
	case most != nil:
		return " of at most " + count(*most)
	}
	return ""
}

func bounds(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return " from " + decimal(*s.Minimum) + " to " + decimal(*s.Maximum)
	case s.Minimum != nil:
		return " of at least " + decimal(*s.Minimum)
	case s.Maximum != nil:
		return " of at most " + decimal(*s.Maximum)
	}
	return ""
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return clip.Text(string(text), 100)
}

// maxExample is the maximum size of an example in bytes.
const maxExample = 1 << 10

// exampleOf returns valid arguments that include those with mismatches: the example of the definition, or a generated
// one with the required arguments. It returns "" if there is none.
func (c *Schema) exampleOf(d *Definition, of []mismatch) string {
	example, _ := anything(d.Example).(map[string]any)
	if example == nil || c.resolved.Validate(example) != nil {
		if example, _ = c.minimal(c.root, 0).(map[string]any); example == nil || c.resolved.Validate(example) != nil {
			return ""
		}
	}
	for _, f := range of {
		top := f.top()
		if _, there := example[top]; there || c.root.Properties[top] == nil {
			continue
		}
		more := maps.Clone(example)
		if more[top] = c.minimal(c.root.Properties[top], 0); c.resolved.Validate(more) == nil {
			example = more
		}
	}
	text, err := json.Marshal(example)
	if err != nil || len(text) > maxExample {
		return ""
	}
	return string(text)
}

// top returns the top-level argument that contains the mismatch.
func (f *mismatch) top() string {
	name, _, _ := strings.Cut(f.at, ".")
	name, _, _ = strings.Cut(name, "[")
	return name
}

func anything(raw json.RawMessage) (value any) {
	_ = json.Unmarshal(raw, &value) // nil if it isn't JSON
	return value
}

// minimal generates a short value for a schema.
func (c *Schema) minimal(s *jsonschema.Schema, depth int) any {
	if s = c.resolve(s); s == nil || depth > 8 {
		return nil
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Default) > 0:
		return anything(s.Default)
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	kind := ""
	if kinds := kindsOf(s); len(kinds) > 0 {
		kind = kinds[0]
	}
	switch kind {
	case "number", "integer":
		if s.Minimum != nil {
			return math.Ceil(*s.Minimum)
		}
		return 1
	case "boolean":
		return true
	case "array":
		list := []any{}
		if s.MinItems != nil && *s.MinItems > 0 {
			for range min(*s.MinItems, 3) {
				list = append(list, c.minimal(s.Items, depth+1))
			}
		}
		return list
	case "object":
		out := map[string]any{}
		for _, name := range s.Required {
			out[name] = c.minimal(s.Properties[name], depth+1)
		}
		return out
	case "null":
		return nil
	}
	text := "text"
	if s.MinLength != nil {
		text += strings.Repeat(".", max(0, *s.MinLength-len(text)))
	}
	if s.MaxLength != nil && *s.MaxLength < len(text) {
		text = text[:max(0, *s.MaxLength)]
	}
	return text
}

// orList joins names for a sentence: "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
