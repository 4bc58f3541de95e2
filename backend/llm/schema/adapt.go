package schema

import (
	"fmt"
	"slices"
)

// adapt says with other keywords what can be said with them.
func (r *reducer) adapt(o *object, p place) error {
	flat := p.top && r.d.FlatTop
	if parts, ok := o.get("allOf").([]any); ok && (flat || !r.d.accepts("allOf")) {
		o.drop("allOf")
		for _, part := range parts {
			if err := r.merger.mergePart(o, part, p); err != nil {
				return err
			}
		}
	}
	if flat {
		for _, k := range []string{"anyOf", "oneOf"} {
			if err := r.merger.alternatives(o, k, p); err != nil {
				return err
			}
		}
	}
	older(o)
	if v := o.get("const"); o.has("const") && !r.d.accepts("const") && !o.has("enum") {
		if list := []any{v}; r.d.Refuses == nil || !r.d.Refuses("enum", list) {
			o.rename("const", "enum", list)
		}
	}
	if v, ok := o.get("oneOf").([]any); ok && !r.d.accepts("oneOf") && !o.has("anyOf") {
		o.rename("oneOf", "anyOf", v)
		r.losses.add("“oneOf” of %s became “anyOf”: %s.", p, r.d.notAccepted())
	}
	if v, ok := o.get("prefixItems").([]any); ok && !r.d.accepts("prefixItems") && !isSchema(o.get("items")) {
		either := newObject()
		either.set("anyOf", v)
		o.drop("items")
		o.rename("prefixItems", "items", either)
		r.losses.add("“prefixItems” of %s became “items”, without their order: %s.", p, r.d.notAccepted())
	}
	r.splitTypes(o, p)
	if p.top {
		return r.objectOnTop(o)
	}
	return nil
}

// older turns what older drafts and OpenAPI say into draft 2020-12.
func older(o *object) {
	if list, ok := o.get("items").([]any); ok {
		rest := o.get("additionalItems")
		o.drop("additionalItems")
		o.rename("items", "prefixItems", list)
		if isSchema(rest) {
			o.set("items", rest)
		}
	}
	for _, k := range []string{"Minimum", "Maximum"} {
		exclusive, plain := "exclusive"+k, map[string]string{"Minimum": "minimum", "Maximum": "maximum"}[k]
		if yes, ok := o.get(exclusive).(bool); ok {
			o.drop(exclusive)
			if yes && o.has(plain) {
				o.rename(plain, exclusive, o.get(plain))
			}
		}
	}
	if yes, ok := o.get("nullable").(bool); ok {
		o.drop("nullable")
		if t, ok := o.get("type").(string); ok && yes && t != "null" {
			o.set("type", []any{t, "null"})
			if enum, ok := o.get("enum").([]any); ok && !slices.Contains(enum, nil) {
				o.set("enum", append(slices.Clone(enum), nil))
			}
		}
	}
}

// splitTypes turns a list of types into alternatives, for who knows no lists.
func (r *reducer) splitTypes(o *object, p place) {
	list := stringsOf(o.get("type"))
	if r.d.TypeLists || len(list) == 0 || p.top {
		return
	}
	if o.has("anyOf") {
		o.drop("type")
		r.losses.leftOut("type", p, r.d.notAccepted()+" as a list beside “anyOf”")
		return
	}
	var alternatives []any
	for _, t := range list {
		one := newObject()
		if t != "null" {
			one = o.copy()
			for _, k := range []string{"title", "description", "default"} {
				one.drop(k)
			}
		}
		one.set("type", t)
		alternatives = append(alternatives, one)
	}
	for _, k := range slices.Clone(o.keys) {
		if k != "title" && k != "description" && k != "default" {
			o.drop(k)
		}
	}
	o.set("anyOf", alternatives)
}

// objectOnTop sees to it that the document is of an object.
func (r *reducer) objectOnTop(o *object) error {
	if list := stringsOf(o.get("type")); slices.Contains(list, "object") {
		if len(list) > 1 {
			r.losses.add("The schema may only be an object: %s accepts nothing else at the top.", r.d.Provider)
		}
		o.set("type", "object")
		return nil
	}
	if t := o.get("type"); isType(t) && t != "object" {
		return fmt.Errorf("the schema is of type “%s”, but it must be an object", t)
	}
	if o.get("type") == "object" {
		return nil
	}
	o.drop("type")
	o.keys = append([]string{"type"}, o.keys...)
	o.vals["type"] = "object"
	return nil
}
