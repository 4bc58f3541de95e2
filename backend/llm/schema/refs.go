package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// references are the places of a document that others point to.
type references struct {
	root     *object
	names    map[string]string // in $defs of the result, by pointer
	pointers map[string]string // by name
	order    []string          // pointers, as they were met first
	before   map[string][]string
	leading  map[string]map[string]bool
}

// at finds what a local pointer points to.
func (f *references) at(pointer string) (any, bool) {
	rest, local := strings.CutPrefix(pointer, "#")
	if unescaped, err := url.PathUnescape(rest); err == nil {
		rest = unescaped
	}
	if !local || rest != "" && rest[0] != '/' {
		return nil, false
	}
	var v any = f.root
	for _, step := range strings.Split(rest, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := v.(type) {
		case *object:
			if !at.has(step) {
				return nil, false
			}
			v = at.get(step)
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, isSchema(v)
}

// name is what a pointer is called in the result, if it can be there: the document, or one of its definitions.
func (f *references) name(pointer string) (string, bool) {
	if pointer == "#" {
		return "#", true
	}
	if name, ok := f.names[pointer]; ok {
		return name, true
	}
	name, ok := definition(pointer)
	if !ok || f.pointers[name] != "" {
		return "", false
	}
	f.names[pointer], f.pointers[name] = name, pointer
	f.order = append(f.order, pointer)
	return name, true
}

func definition(pointer string) (string, bool) {
	for _, prefix := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(pointer, prefix); ok && name != "" && !strings.ContainsAny(name, "/%~") {
			return name, true
		}
	}
	return "", false
}

// leads says whether a reference of the result leads to a definition, or is it.
func (f *references) leads(ref, def string) bool {
	if f.before == nil {
		f.trace()
	}
	to, ok := f.leading[def]
	if !ok {
		to = map[string]bool{def: true}
		for queue := []string{def}; len(queue) > 0; queue = queue[1:] {
			for _, from := range f.before[queue[0]] {
				if !to[from] {
					to[from] = true
					queue = append(queue, from)
				}
			}
		}
		f.leading[def] = to
	}
	if ref != "#" {
		ref = f.pointers[strings.TrimPrefix(ref, "#/$defs/")]
	}
	return to[ref]
}

// trace notes which definitions point to which.
func (f *references) trace() {
	f.before, f.leading = map[string][]string{}, map[string]map[string]bool{}
	note := func(from string, v any) {
		for _, to := range pointers(v, nil) {
			f.before[to] = append(f.before[to], from)
		}
	}
	top := f.root.copy()
	for _, defs := range []string{"$defs", "definitions"} {
		if o, ok := f.root.get(defs).(*object); ok {
			for _, name := range o.keys {
				note("#/"+defs+"/"+name, o.get(name))
			}
		}
		top.drop(defs)
	}
	note("#", top)
}

// pointers are the references in a value.
func pointers(v any, into []string) []string {
	switch v := v.(type) {
	case *object:
		for _, k := range v.keys {
			if s, ok := v.get(k).(string); ok && k == "$ref" {
				into = append(into, s)
			}
			into = pointers(v.get(k), into)
		}
	case []any:
		for _, e := range v {
			into = pointers(e, into)
		}
	}
	return into
}
