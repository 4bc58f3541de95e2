package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Known returns the arguments without those that the schema doesn't allow, because models sometimes invent fields.
// ignored has the paths of removed arguments, such as "details[0].note". Known also removes an optional argument that
// is null but can't be; ignored doesn't name it.
func (c *Schema) Known(input json.RawMessage) (kept json.RawMessage, ignored []string) {
	kept = c.prune(c.root, input, "", &ignored, 0)
	return kept, ignored
}

// maxNesting is the maximum depth of arguments that are examined.
const maxNesting = 64

func (c *Schema) prune(s *jsonschema.Schema, value json.RawMessage, at string, ignored *[]string, depth int) json.RawMessage {
	if s = c.resolve(s); s == nil || depth > maxNesting {
		return value
	}
	switch jsonKind(value) {
	case '[':
		if s.Items == nil {
			return value
		}
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return value
		}
		before := len(*ignored)
		changed := false
		for i, one := range list {
			list[i] = c.prune(s.Items, one, fmt.Sprintf("%s[%d]", at, i), ignored, depth+1)
			changed = changed || len(list[i]) != len(one)
		}
		if !changed && len(*ignored) == before {
			return value
		}
		out := []byte{'['}
		for i, one := range list {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, one...)
		}
		return append(out, ']')
	case '{':
		all, err := Members(value)
		if err != nil {
			return value
		}
		changed := false
		kept := all[:0:0]
		for _, m := range all {
			place := m.Name
			if at != "" {
				place = at + "." + m.Name
			}
			one, known := c.propertyOf(s, m.Name)
			switch {
			case !known:
				changed = true
				*ignored = append(*ignored, place)
				continue
			case one != nil && string(m.Value) == "null" && !slices.Contains(s.Required, m.Name) && !c.takesNull(one):
				changed = true
				continue
			case one != nil:
				inner := c.prune(one, m.Value, place, ignored, depth+1)
				changed = changed || len(inner) != len(m.Value)
				m.Value = inner
			}
			kept = append(kept, m)
		}
		if !changed {
			return value
		}
		out, err := object(kept)
		if err != nil {
			return value
		}
		return out
	}
	return value
}

// resolve follows references. [Compile] has rejected loops.
func (c *Schema) resolve(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && s.Ref != "" {
		s = c.refers(s.Ref)
	}
	return s
}

// propertyOf returns the schema of a property, or nil if any value is allowed. known is false if the property isn't
// allowed.
func (c *Schema) propertyOf(s *jsonschema.Schema, name string) (of *jsonschema.Schema, known bool) {
	if p := s.Properties[name]; p != nil {
		return p, true
	}
	for pattern, p := range s.PatternProperties {
		if form, err := regexp.Compile(pattern); err != nil || form.MatchString(name) {
			return p, true
		}
	}
	if s.AdditionalProperties == nil {
		return nil, true
	}
	return s.AdditionalProperties, !isFalse(s.AdditionalProperties)
}

// isFalse reports whether s is the schema false.
func isFalse(s *jsonschema.Schema) bool {
	text, err := json.Marshal(s)
	return err == nil && string(text) == "false"
}

func (c *Schema) takesNull(s *jsonschema.Schema) bool {
	if s = c.resolve(s); s == nil || len(sameValueSchemas(s)) > 0 {
		return true // combined schemas aren't evaluated
	}
	switch {
	case s.Type != "":
		return s.Type == "null"
	case len(s.Types) > 0:
		return slices.Contains(s.Types, "null")
	case s.Enum != nil:
		return slices.Contains(s.Enum, nil)
	}
	return s.Const == nil
}
