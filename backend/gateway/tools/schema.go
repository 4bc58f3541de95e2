package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

const maxSchema = 64 << 10 // bytes

// Schema is a compiled schema of arguments.
type Schema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// malformed returns the error for an unusable schema.
func malformed(template fault.Template, values ...any) *fault.Error {
	return fault.New(fault.Invalid, template, values...)
}

// Compile compiles the schema of an object. Its errors are sentences.
func Compile(raw json.RawMessage) (c *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, malformed("The inputSchema can't be used: {{reason}}.", p)
		}
	}()
	c = &Schema{root: &jsonschema.Schema{}}
	switch {
	case len(raw) == 0:
		return nil, malformed(`An inputSchema is required, {"type": "object"} at least.`)
	case len(raw) > maxSchema:
		return nil, malformed("The inputSchema is longer than 64 KB.")
	}
	if err := json.Unmarshal(raw, c.root); err != nil {
		return nil, malformed("The inputSchema isn't a JSON Schema: {{reason}}.", clip.Text(err.Error(), 300))
	}
	if c.root.Type != "object" {
		return nil, malformed(`The inputSchema must describe an object: "type": "object".`)
	}
	if err := c.checkRefs(c.root, map[*jsonschema.Schema]int{}); err != nil {
		return nil, err
	}
	if c.resolved, err = c.root.Resolve(nil); err != nil {
		return nil, malformed("The inputSchema isn't a JSON Schema: {{reason}}.", strings.TrimPrefix(clip.Text(err.Error(), 300), "jsonschema: "))
	}
	return c, nil
}

// checkRefs returns an error if a reference leads back to itself without a step into the value, because validation
// would never end, or if a reference isn't supported.
func (c *Schema) checkRefs(s *jsonschema.Schema, seen map[*jsonschema.Schema]int) error {
	const open, done = 1, 2
	switch seen[s] {
	case open:
		return malformed("A $ref of the inputSchema leads back to itself.")
	case done:
		return nil
	}
	seen[s] = open
	same := sameValueSchemas(s)
	if s.DynamicRef != "" || s.ID != "" && s != c.root {
		return malformed("The inputSchema has a $dynamicRef or an $id inside, which Weft doesn't follow.")
	}
	if s.Ref != "" {
		to := c.refers(s.Ref)
		if to == nil {
			return malformed("Weft doesn't follow the $ref {{ref}}; it can be # or #/$defs/NAME.", quoted(s.Ref, 100))
		}
		same = append(same, to)
	}
	for _, one := range same {
		if err := c.checkRefs(one, seen); err != nil {
			return err
		}
	}
	seen[s] = done
	for _, one := range nestedSchemas(s) { // after a step into the value, a loop is allowed
		if seen[one] == 0 {
			if err := c.checkRefs(one, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// names reports whether the schema has a property for the argument, or no properties at all.
func (c *Schema) names(argument string) bool {
	return len(c.root.Properties) == 0 || c.root.Properties[argument] != nil
}

// Arguments returns the sorted names of the schema's properties.
func (c *Schema) Arguments() []string { return slices.Sorted(maps.Keys(c.root.Properties)) }

func (c *Schema) refers(ref string) *jsonschema.Schema {
	if ref == "#" {
		return c.root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return c.root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return c.root.Definitions[name]
	}
	return nil
}

// sameValueSchemas returns the subschemas that apply to the same value as s.
func sameValueSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, one := range []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else} {
		out = add(out, one)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		out = add(out, list...)
	}
	for _, m := range []map[string]*jsonschema.Schema{s.DependentSchemas, s.DependencySchemas} {
		for _, one := range m {
			out = add(out, one)
		}
	}
	return out
}

// nestedSchemas returns the subschemas that apply to values inside the value.
func nestedSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	out = add(out, s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties)
	out = add(out, s.PrefixItems...)
	out = add(out, s.ItemsArray...)
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions} {
		for _, one := range m {
			out = add(out, one)
		}
	}
	return out
}

func add(list []*jsonschema.Schema, more ...*jsonschema.Schema) []*jsonschema.Schema {
	for _, one := range more {
		if one != nil {
			list = append(list, one)
		}
	}
	return list
}

// HasTarget reports whether the schema already has the property that Weft adds.
func (c *Schema) HasTarget() bool {
	todo, seen := []*jsonschema.Schema{c.root}, map[*jsonschema.Schema]bool{}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		if _, ok := s.Properties[TargetName]; ok {
			return true
		}
		for _, name := range s.Required {
			if name == TargetName {
				return true
			}
		}
		todo = append(todo, sameValueSchemas(s)...)
		if to := c.refers(s.Ref); to != nil {
			todo = append(todo, to)
		}
	}
	return false
}

// Fits validates arguments. Errors: *Error with invalid.
func (c *Schema) Fits(d *Definition, input json.RawMessage) (err error) {
	tool := d.Name
	defer func() {
		if p := recover(); p != nil {
			err = Invalid("Couldn't check the arguments of %s against its schema: %v.", tool, p)
		}
	}()
	var value any
	if err := json.Unmarshal(input, &value); err != nil {
		return Invalid("The arguments of %s aren't JSON: %s.", tool, clip.Text(err.Error(), 200))
	}
	if err := c.resolved.Validate(value); err != nil {
		if why := c.explain(d, input); why != "" {
			return Invalid("%s", why)
		}
		return Invalid("The arguments of %s do not fit its schema. %s", tool, validationMessage(err))
	}
	return nil
}

var validating = lazyregexp.New(`^validating (\S+): `)

// validationMessage returns a validation error as a sentence with the path in the schema.
func validationMessage(err error) string {
	text, at := err.Error(), "root"
	for m := validating.FindStringSubmatch(text); m != nil; m = validating.FindStringSubmatch(text) {
		at, text = m[1], text[len(m[0]):]
	}
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 400 { // keep both ends: the value is at the beginning, the expected one at the end
		line = clip.Text(line, 200) + " " + strings.ToValidUTF8(line[len(line)-150:], "")
	}
	if at == "root" {
		return "At the top: " + line + "."
	}
	return "At " + clip.Text(strings.ReplaceAll(strings.TrimPrefix(at, "/"), "properties/", ""), 200) + ": " + line + "."
}
