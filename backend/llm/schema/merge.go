package schema

import "slices"

// merger replaces what a schema only points to or puts together: its references, the parts of allOf, and alternatives
// at the top.
type merger struct {
	d      Dialect
	refs   *references
	size   *size
	losses *losses
}

// follow removes the $ref from o. It returns the one that the result must have, or puts what it points to into o.
func (m *merger) follow(o *object, p place) (string, place, error) {
	for o.has("$ref") {
		pointer, ok := o.get("$ref").(string)
		o.drop("$ref")
		target, found := m.refs.at(pointer)
		if !ok || !found {
			m.losses.add("The reference %s of %s was left out: it doesn't point to a schema in the document.", bounded(pointer, 80), p)
			return "", p, nil
		}
		if m.d.Refs && !p.top {
			if name, ok := m.refs.name(pointer); ok {
				if name != "#" {
					name = "#/$defs/" + name
				}
				return name, p, nil
			}
		}
		if slices.Contains(p.stack, pointer) {
			m.losses.add("Everything below %s was left out: %s contains itself, and %s doesn't accept that.", p, bounded(pointer, 80), m.d.Provider)
			if t, ok := target.(*object); ok && isType(t.get("type")) && !o.has("type") {
				o.set("type", t.get("type"))
			}
			return "", p, nil
		}
		p = p.through(pointer)
		if t, ok := target.(*object); ok {
			if err := m.merge(o, t, "$ref", p); err != nil {
				return "", p, err
			}
		}
	}
	return "", p, nil
}

// flat is a schema with its references and its allOf replaced.
func (m *merger) flat(v any, p place) (*object, error) {
	if err := m.size.grow(1, p); err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return newObject(), nil
	}
	o = o.copy()
	above := p
	above.top = true // a reference cannot be in what is merged
	_, p, err := m.follow(o, above)
	if err != nil {
		return nil, err
	}
	parts, _ := o.get("allOf").([]any)
	o.drop("allOf")
	for _, part := range parts {
		if err := m.mergePart(o, part, p); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (m *merger) mergePart(o *object, part any, p place) error {
	p.depth++
	from, err := m.flat(part, p)
	if err != nil {
		return err
	}
	return m.merge(o, from, "allOf", p)
}

// merge adds to o what else from says. What o says already stays.
func (m *merger) merge(o, from *object, keyword string, p place) error {
	for _, k := range from.keys {
		v := from.get(k)
		switch {
		case silent[k], k == "$defs", k == "definitions":
		case !o.has(k):
			o.set(k, v)
		case same(o.get(k), v), k == "title", k == "description":
		case k == "required":
			o.set(k, listOf(stringsOf(append(slices.Clone(asList(o.get(k))), asList(v)...))))
		case k == "properties":
			if err := m.properties(o, v, p); err != nil {
				return err
			}
		default:
			m.losses.add("“%s” of a part of “%s” of %s was left out: it can't be merged.", bounded(k, 40), keyword, p)
		}
	}
	return nil
}

func (m *merger) properties(o *object, v any, p place) error {
	has, ok := o.get("properties").(*object)
	more, ok2 := v.(*object)
	if !ok || !ok2 {
		return nil
	}
	if err := m.size.grow(len(has.keys)+len(more.keys), p); err != nil {
		return err
	}
	all := has.copy()
	for _, name := range more.keys {
		switch at := p.in("properties", p.path+"."+name); {
		case !all.has(name):
			all.set(name, more.get(name))
		case same(all.get(name), more.get(name)):
		default:
			one, err := m.flat(all.get(name), at)
			if err != nil {
				return err
			}
			if err := m.mergePart(one, more.get(name), at); err != nil {
				return err
			}
			all.set(name, one)
		}
	}
	o.set("properties", all)
	return nil
}

// alternatives makes one object of the alternatives at the top: what any of them has may be given, and what all
// of them require is required.
func (m *merger) alternatives(o *object, keyword string, p place) error {
	branches, ok := o.get(keyword).([]any)
	o.drop(keyword)
	if !ok || len(branches) == 0 {
		return nil
	}
	m.losses.add("The alternatives of “%s” of the schema became one object with only optional properties: %s doesn't accept alternatives at the top.", keyword, m.d.Provider)
	properties, _ := o.get("properties").(*object)
	if properties == nil {
		properties = newObject()
	}
	properties = properties.copy()
	var required []string
	first, seen := true, map[string][]any{}
	for _, b := range branches {
		at := p
		at.depth++
		one, err := m.flat(b, at)
		if err != nil {
			return err
		}
		for _, inner := range []string{"anyOf", "oneOf"} {
			if err := m.alternatives(one, inner, at); err != nil {
				return err
			}
		}
		if t, ok := one.get("type").(string); ok && t != "object" {
			m.losses.add("The alternative of type “%s” of the schema was left out: it must be an object.", bounded(t, 20))
			continue
		}
		needs := stringsOf(one.get("required"))
		if first {
			required = needs
		}
		required = slices.DeleteFunc(required, func(s string) bool { return !slices.Contains(needs, s) })
		first = false
		if more, ok := one.get("properties").(*object); ok {
			for _, name := range more.keys {
				if err := m.size.grow(1+len(seen[name]), p); err != nil {
					return err
				}
				offer(properties, name, more.get(name), seen)
			}
		}
	}
	if len(properties.keys) > 0 {
		o.set("properties", properties)
	}
	if all := listOf(stringsOf(append(slices.Clone(asList(o.get("required"))), listOf(required)...))); len(all) > 0 {
		o.set("required", all)
	}
	return nil
}

// offer adds a property of one alternative to those of all.
func offer(properties *object, name string, v any, seen map[string][]any) {
	if !properties.has(name) {
		properties.set(name, v)
		seen[name] = []any{v}
		return
	}
	others, alternative := seen[name]
	if !alternative || slices.ContainsFunc(others, func(o any) bool { return same(o, v) }) {
		return // or the object itself says what it is
	}
	seen[name] = append(others, v)
	either := newObject()
	either.set("anyOf", seen[name])
	properties.set(name, either)
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
