package tools

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Offered returns the schema to offer to agents for a tool whose arguments go through [Schema.Known]. It allows
// everything that Known leaves out, so that an agent that validates arguments itself rejects nothing that the gateway
// accepts. The rest of the schema stays the same, in the same order.
func (c *Schema) Offered(raw json.RawMessage) (json.RawMessage, error) {
	o := &offer{schema: c}
	out, err := o.relax(raw)
	if err != nil {
		return nil, err
	}
	return o.refs.follow(out, o.relax)
}

// offer relaxes the parts of a schema that [Schema.Known] evaluates.
type offer struct {
	schema *Schema
	refs   references
}

func (o *offer) relax(raw json.RawMessage) (json.RawMessage, error) {
	all, s, ok := parts(raw)
	if !ok {
		return raw, nil
	}
	if s.Ref != "" {
		o.refs.add(s.Ref)
		return raw, nil
	}
	closed := s.AdditionalProperties != nil && isFalse(s.AdditionalProperties)
	out := all[:0:0]
	for _, m := range all {
		var err error
		switch m.Name {
		case "additionalProperties":
			if closed {
				continue
			}
			m.Value, err = o.optional(m.Value)
		case "maxProperties", "propertyNames":
			if closed { // unknown properties are removed before these are checked
				continue
			}
		case "items":
			m.Value, err = o.relax(m.Value)
		case "properties", "patternProperties":
			m.Value, err = o.properties(m.Value, s.Required)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return object(out)
}

// properties relaxes the schema of each property.
func (o *offer) properties(raw json.RawMessage, required []string) (json.RawMessage, error) {
	return each(raw, func(name string, value json.RawMessage) (json.RawMessage, error) {
		if slices.Contains(required, name) {
			return o.relax(value)
		}
		return o.optional(value)
	})
}

// optional relaxes the schema of an optional value, which may then also be null.
func (o *offer) optional(raw json.RawMessage) (json.RawMessage, error) {
	out, err := o.relax(raw)
	var s jsonschema.Schema
	if err != nil || json.Unmarshal(out, &s) != nil || o.schema.takesNull(&s) {
		return out, err
	}
	return nullable(out, &s)
}

// references are the references in a schema that is being changed, in the order in which they were found. Their
// definitions are changed as well.
type references []string

func (r *references) add(ref string) {
	if !slices.Contains(*r, ref) {
		*r = append(*r, ref)
	}
}

// follow applies change to the definitions that the references lead to; change may add more references. It skips
// references to the whole schema, which is already changed.
func (r *references) follow(raw json.RawMessage, change func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	var err error
	for i := 0; i < len(*r) && err == nil; i++ {
		rest, isDefinition := strings.CutPrefix((*r)[i], "#/")
		in, name, _ := strings.Cut(rest, "/")
		if !isDefinition {
			continue
		}
		raw, err = member(raw, in, func(all json.RawMessage) (json.RawMessage, error) { return member(all, name, change) })
	}
	return raw, err
}

// member returns an object in which change was applied to one member.
func member(raw json.RawMessage, name string, change func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	return each(raw, func(other string, value json.RawMessage) (json.RawMessage, error) {
		if other != name {
			return value, nil
		}
		return change(value)
	})
}

// nullable returns a schema that also accepts null, in a form that all model providers support: a list of types for
// scalar types, otherwise anyOf. Some providers support neither null in an enum nor a list of types together with
// items.
func nullable(raw json.RawMessage, s *jsonschema.Schema) (json.RawMessage, error) {
	null := Member{"type", json.RawMessage(`"null"`)}
	all, err := Members(raw)
	if err != nil {
		return raw, nil //nolint:nilerr // true and false
	}
	kinds := kindsOf(s)
	if len(kinds) > 0 && s.Ref == "" && s.Enum == nil && s.Const == nil && !slices.Contains(kinds, "array") && !slices.Contains(kinds, "object") {
		list, err := json.Marshal(append(slices.Clone(kinds), "null"))
		if err != nil {
			return nil, err
		}
		for i, m := range all {
			if m.Name == "type" {
				all[i].Value = list
			}
		}
		return object(all)
	}
	var outside, inside []Member
	for _, m := range all {
		if m.Name == "description" || m.Name == "title" {
			outside = append(outside, m)
		} else {
			inside = append(inside, m)
		}
	}
	either, err := object(inside)
	if err != nil {
		return nil, err
	}
	or, err := object([]Member{null})
	if err != nil {
		return nil, err
	}
	choice, err := json.Marshal([]json.RawMessage{either, or})
	if err != nil {
		return nil, err
	}
	return object(append(outside, Member{"anyOf", choice}))
}

// targetAdder makes a schema accept the target property, also in subschemas that forbid or restrict additional
// properties.
type targetAdder struct{ refs references }

// anyTarget is the schema of the target in subschemas. It accepts everything, because the top level has the real one.
var anyTarget = json.RawMessage("{}")

// admit returns a subschema that accepts the target. It declares the property with the schema target if always is set
// or if the subschema restricts additional properties.
func (a *targetAdder) admit(raw, target json.RawMessage, always bool) (json.RawMessage, error) {
	all, s, ok := parts(raw)
	if !ok {
		return raw, nil
	}
	inner := func(one json.RawMessage) (json.RawMessage, error) { return a.admit(one, anyTarget, false) }
	if s.Ref != "" {
		a.refs.add(s.Ref)
	}
	named := !always && s.AdditionalProperties == nil && s.UnevaluatedProperties == nil
	for i := range all {
		m := &all[i]
		var err error
		switch m.Name {
		case "allOf", "anyOf", "oneOf":
			m.Value, err = eachItem(m.Value, inner)
		case "if", "then", "else":
			m.Value, err = inner(m.Value)
		case "dependentSchemas":
			m.Value, err = each(m.Value, func(_ string, one json.RawMessage) (json.RawMessage, error) { return inner(one) })
		case "patternProperties":
			m.Value, err = each(m.Value, func(pattern string, one json.RawMessage) (json.RawMessage, error) {
				if form, err := regexp.Compile(pattern); err == nil && !form.MatchString(TargetName) {
					return one, nil
				}
				return anyOf(one, json.RawMessage(`{"type":["string","null"]}`))
			})
		case "propertyNames":
			m.Value, err = anyOf(m.Value, json.RawMessage(`{"const":"`+TargetName+`"}`))
		case "maxProperties":
			if s.MaxProperties != nil {
				m.Value, err = json.Marshal(*s.MaxProperties + 1)
			}
		case "properties":
			if named {
				break
			}
			var list []Member
			if list, err = Members(m.Value); err == nil {
				m.Value, err = object(append([]Member{{TargetName, target}}, list...))
			}
			named = true
		}
		if err != nil {
			return nil, err
		}
	}
	if !named {
		list, err := object([]Member{{TargetName, target}})
		if err != nil {
			return nil, err
		}
		all = append(all, Member{"properties", list})
	}
	return object(all)
}

// parts returns the members of a schema, in order, and the decoded schema. ok is false if raw isn't an object.
func parts(raw json.RawMessage) (all []Member, s *jsonschema.Schema, ok bool) {
	all, err := Members(raw)
	if err != nil {
		return nil, nil, false
	}
	s = &jsonschema.Schema{}
	return all, s, json.Unmarshal(raw, s) == nil
}

func anyOf(list ...json.RawMessage) (json.RawMessage, error) {
	choice, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return object([]Member{{"anyOf", choice}})
}

// each returns an object in which change was applied to all values.
func each(raw json.RawMessage, change func(name string, value json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	all, err := Members(raw)
	if err != nil {
		return raw, nil //nolint:nilerr // not an object
	}
	for i, m := range all {
		if all[i].Value, err = change(m.Name, m.Value); err != nil {
			return nil, err
		}
	}
	return object(all)
}

func eachItem(raw json.RawMessage, change func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw, nil //nolint:nilerr // not a list
	}
	for i, one := range list {
		var err error
		if list[i], err = change(one); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}
