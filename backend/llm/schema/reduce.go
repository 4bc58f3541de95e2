package schema

import (
	"errors"
	"strings"
)

// reducer makes a document that a dialect accepts.
type reducer struct {
	d      Dialect
	root   *object
	refs   *references
	size   *size
	losses *losses
	merger merger
}

func newReducer(d Dialect, root *object) *reducer {
	r := &reducer{
		d: d, root: root, size: &size{}, losses: &losses{said: map[string]bool{}},
		refs: &references{root: root, names: map[string]string{}, pointers: map[string]string{}},
	}
	r.merger = merger{d: d, refs: r.refs, size: r.size, losses: r.losses}
	return r
}

// top reduces the document.
func (r *reducer) top() (*object, error) {
	out, err := r.schema(r.root, place{def: "#", stack: []string{"#"}, top: true})
	if err != nil {
		return nil, err
	}
	defs := newObject()
	for len(r.refs.order) > 0 { // a definition may bring in others
		pointer := r.refs.order[0]
		r.refs.order = r.refs.order[1:]
		name := r.refs.names[pointer]
		target, _ := r.refs.at(pointer)
		def, err := r.schema(target, place{path: name, def: pointer, stack: []string{pointer}, depth: 1})
		if err != nil {
			return nil, err
		}
		if def == nil {
			def = newObject()
		}
		defs.set(name, def)
	}
	if len(defs.keys) > 0 {
		out.set("$defs", defs)
	} else {
		out.drop("$defs")
	}
	return out, nil
}

// schema reduces one schema. It returns nil for the schema that nothing fulfils.
func (r *reducer) schema(v any, p place) (*object, error) {
	if err := r.size.grow(1, p); err != nil {
		return nil, err
	}
	if truth, ok := v.(bool); ok {
		if truth {
			return newObject(), nil
		}
		return nil, nil //nolint:nilnil // false is the schema of nothing
	}
	in, ok := v.(*object)
	if !ok {
		return nil, errors.New("the schema is malformed: there is something else where a schema belongs")
	}
	o := in.copy()
	ref, p, err := r.merger.follow(o, p)
	if err != nil {
		return nil, err
	}
	if err := r.adapt(o, p); err != nil {
		return nil, err
	}
	out := newObject()
	var aside []string
	for _, k := range o.keys {
		said, err := r.keyword(out, k, o.get(k), p)
		if err != nil {
			return nil, err
		}
		if said != "" {
			aside = append(aside, said)
		}
	}
	if len(aside) > 0 {
		said, _ := out.get("description").(string)
		out.set("description", strings.TrimSpace(said+" ("+strings.Join(aside, ", ")+")"))
	}
	r.finish(out, o, p)
	return r.point(out, ref, p), nil
}

// keyword reduces one keyword of a schema into out. It returns what the description has to say instead.
func (r *reducer) keyword(out *object, k string, v any, p place) (string, error) {
	switch {
	case k == "$defs" || k == "definitions":
		if p.top {
			out.set("$defs", nil) // its place; top fills it
		}
		return "", nil
	case silent[k]:
		return "", nil
	case !wellFormed(k, v):
		r.losses.leftOut(k, p, "it is malformed")
		return "", nil
	case !r.d.accepts(k), r.d.Refuses != nil && r.d.Refuses(k, v):
		return r.aside(k, v, p), nil
	}
	switch shapes[k] {
	case aSchema, schemaOrList:
		return "", r.inner(out, k, v, p)
	case schemaList:
		return "", r.list(out, k, v.([]any), p)
	case schemaMap:
		return "", r.named(out, k, v.(*object), p)
	case names:
		out.set(k, listOf(stringsOf(v)))
	case types:
		if list, ok := v.([]any); ok {
			v = listOf(stringsOf(list))
		}
		out.set(k, v)
	default:
		out.set(k, v)
	}
	return "", nil
}

// aside is what a description can say about a keyword that is not accepted.
func (r *reducer) aside(k string, v any, p place) string {
	said, err := encode(v)
	_, known := shapes[k]
	if !r.d.Describe || err != nil || len(said) > 200 || !known && k != "default" && k != "const" {
		r.losses.leftOut(k, p, r.d.notAccepted())
		return ""
	}
	r.losses.add("“%s” of %s is only mentioned in its description: %s.", k, p, r.d.notAccepted())
	return k + ": " + string(said)
}

func (r *reducer) inner(out *object, k string, v any, p place) error {
	if _, truth := v.(bool); truth && (k == "additionalProperties" || k == "unevaluatedProperties" || k == "unevaluatedItems" || k == "additionalItems") {
		out.set(k, v)
		return nil
	}
	path := p.path
	switch k {
	case "items", "contains", "additionalItems", "unevaluatedItems":
		path += "[]"
	case "additionalProperties", "unevaluatedProperties":
		path += ".*"
	}
	s, err := r.schema(v, p.in(k, path))
	switch {
	case err != nil:
		return err
	case s == nil:
		r.losses.leftOut(k, p, "it allows nothing")
	default:
		out.set(k, s)
	}
	return nil
}

func (r *reducer) list(out *object, k string, list []any, p place) error {
	path := p.path
	if k == "prefixItems" {
		path += "[]"
	}
	reduced := make([]any, 0, len(list))
	for _, v := range list {
		s, err := r.schema(v, p.in(k, path))
		if err != nil {
			return err
		}
		if s == nil {
			r.losses.add("One alternative of “%s” of %s was left out: it allows nothing.", k, p)
			continue
		}
		reduced = append(reduced, s)
	}
	if len(reduced) > 0 {
		out.set(k, reduced)
	}
	return nil
}

func (r *reducer) named(out *object, k string, in *object, p place) error {
	reduced := newObject()
	for _, name := range in.keys {
		at := p.in(k, p.path+"."+name)
		if k == "properties" && p.top && r.d.PropertyName != nil && !r.d.PropertyName.MatchString(name) {
			r.losses.add("The property %s was left out: %s doesn't accept its name.", at, r.d.Provider)
			continue
		}
		if !isSchema(in.get(name)) {
			r.losses.add("The property %s was left out: it isn't a schema.", at)
			continue
		}
		s, err := r.schema(in.get(name), at)
		if err != nil {
			return err
		}
		if s == nil {
			r.losses.add("The property %s was left out: it allows nothing.", at)
			continue
		}
		reduced.set(name, s)
	}
	out.set(k, reduced)
	return nil
}
