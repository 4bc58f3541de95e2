package schema

import "slices"

// finish puts right what depends on several keywords. in is the schema before it was reduced.
func (r *reducer) finish(out, in *object, p place) {
	properties, _ := out.get("properties").(*object)
	before, _ := in.get("properties").(*object)
	if list, ok := out.get("required").([]any); ok {
		required := r.required(stringsOf(list), properties, before, p)
		if len(required) == len(list) {
			out.set("required", listOf(required))
		} else if out.drop("required"); len(required) > 0 {
			out.set("required", listOf(required))
		}
	}
	if r.d.Filled {
		if p.top && properties == nil {
			out.set("properties", newObject())
		}
		if isOf("array", out) && !out.has("items") && !out.has("prefixItems") {
			out.set("items", newObject())
		}
	}
	if !isOf("object", out) && (out.has("type") || properties == nil) {
		return
	}
	if r.d.Closed {
		r.shut(out, p)
	}
	if r.d.AllRequired && properties != nil && len(properties.keys) > 0 {
		r.requireAll(out, properties, p)
	}
}

// isOf reports whether a schema is of a type, or of that and others.
func isOf(t string, o *object) bool {
	return o.get("type") == t || slices.Contains(stringsOf(o.get("type")), t)
}

func (r *reducer) required(list []string, properties, before *object, p place) []string {
	return slices.DeleteFunc(list, func(name string) bool {
		declared := properties != nil && properties.has(name)
		switch {
		case !declared && before != nil && before.has(name):
			return true // it was left out, which was said
		case !declared && r.d.Declared:
			r.losses.add("“required” of %s no longer names %s: it isn't one of the properties.", p, bounded(name, 40))
			return true
		case declared && r.d.OptionalCycles && r.leadsBack(properties.get(name), p.def):
			r.losses.add("“required” of %s no longer names %s: that refers back to itself, and %s doesn't accept it.", p, bounded(name, 40), r.d.Provider)
			return true
		}
		return false
	})
}

// leadsBack says whether a reduced schema holds a reference that leads to the definition around it.
func (r *reducer) leadsBack(v any, def string) bool {
	return slices.ContainsFunc(pointers(v, nil), func(ref string) bool { return r.refs.leads(ref, def) })
}

// shut allows an object no other properties.
func (r *reducer) shut(out *object, p place) {
	other := out.get("additionalProperties")
	if _, schema := other.(*object); schema {
		if r.d.Maps && !out.has("properties") {
			return
		}
		r.losses.leftOut("additionalProperties", p, r.d.notAccepted())
	} else if other == true {
		r.losses.leftOut("additionalProperties", p, r.d.notAccepted())
	}
	if !out.has("properties") {
		out.set("properties", newObject())
	}
	out.set("additionalProperties", false)
}

// requireAll makes optional properties required ones that may be null.
func (r *reducer) requireAll(out, properties *object, p place) {
	required := stringsOf(out.get("required"))
	for _, name := range properties.keys {
		if slices.Contains(required, name) {
			continue
		}
		r.losses.add("The property %s was made nullable: %s doesn't accept optional properties.", p.in("", p.path+"."+name), r.d.Provider)
		properties.set(name, r.nullable(properties.get(name).(*object)))
	}
	out.set("required", listOf(properties.keys))
}

func (r *reducer) nullable(o *object) *object {
	null := newObject()
	null.set("type", "null")
	t, one := o.get("type").(string)
	switch list := stringsOf(o.get("type")); {
	case len(o.keys) == 0, t == "null", slices.Contains(list, "null"):
	case r.d.TypeLists && one && !o.has("enum") && !o.has("const"):
		o.set("type", []any{t, "null"})
	case r.d.TypeLists && len(list) > 0 && !o.has("enum") && !o.has("const"):
		o.set("type", listOf(append(list, "null")))
	case len(o.keys) == 1 && o.has("anyOf"):
		if list := asList(o.get("anyOf")); !slices.ContainsFunc(list, func(v any) bool { return same(v, null) }) {
			o.set("anyOf", append(slices.Clone(list), null))
		}
	default:
		either := newObject()
		either.set("anyOf", []any{o, null})
		return either
	}
	return o
}

// point puts the reference that stays into a schema.
func (r *reducer) point(out *object, ref string, p place) *object {
	if ref == "" {
		return out
	}
	alone := newObject()
	alone.set("$ref", ref)
	if len(out.keys) == 0 {
		return alone
	}
	switch {
	case !r.d.RefAlone:
		for _, k := range out.keys {
			alone.set(k, out.get(k))
		}
	case r.d.accepts("anyOf") && !out.has("anyOf"):
		out.set("anyOf", []any{alone})
		return out
	default:
		r.losses.add("The keywords next to the reference of %s were left out: %s.", p, r.d.notAccepted())
	}
	return alone
}
