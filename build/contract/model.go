package contract

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// shape is a type of the contract: a struct, or a string of which the values are known.
type shape struct {
	name   string // in TypeScript
	doc    string
	goType reflect.Type
	asked  bool // it is part of a request
	told   bool // it is part of an answer or an event
	fields []field
	bases  []*shape   // structs that it embeds and shares no field with
	values []constant // of a string
}

// field is a member of a JSON object.
type field struct {
	name     string
	goName   string
	doc      string
	of       expr
	optional bool
}

// expr is the type of a value.
type expr struct {
	kind  string // string, number, boolean, json, event, said, none, ref, list, map, enum, object
	ref   *shape
	elem  *expr
	enum  []string
	inner []field // of an anonymous object
	null  bool
}

// model holds all types that are reached from commands and events.
type model struct {
	src    *source
	names  map[reflect.Type]string // where the name in TypeScript is another one
	values map[string]reflect.Type // what a jsontext.Value holds, by "package.Type.Field"
	shapes map[reflect.Type]*shape
	taken  map[string]reflect.Type
	order  []*shape
}

var (
	jsonValue = reflect.TypeFor[jsontext.Value]()
	noneType  = reflect.TypeFor[command.None]()
	eventType = reflect.TypeFor[transcript.Event]()
	saidType  = reflect.TypeFor[fault.Said]()
)

// add takes in a type and all that it reaches. asked says that it goes in, told that it goes out.
func (m *model) add(t reflect.Type, asked, told bool) (expr, error) {
	switch t {
	case jsonValue:
		return expr{kind: "json"}, nil
	case noneType:
		return expr{kind: "none"}, nil
	case eventType:
		return expr{kind: "event"}, nil
	case saidType:
		return expr{kind: "said"}, nil
	}
	switch t.Kind() { //nolint:exhaustive // others are refused below
	case reflect.Pointer:
		e, err := m.add(t.Elem(), asked, told)
		e.null = true
		return e, err
	case reflect.Slice, reflect.Array:
		e, err := m.add(t.Elem(), asked, told)
		return expr{kind: "list", elem: &e}, err
	case reflect.Map:
		e, err := m.add(t.Elem(), asked, told)
		return expr{kind: "map", elem: &e}, err
	case reflect.Bool:
		return expr{kind: "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return expr{kind: "number"}, nil
	case reflect.String:
		return m.text(t, asked, told)
	case reflect.Struct:
		if t.Name() == "" {
			fields, _, err := m.fieldsOf(t, "", asked, told)
			return expr{kind: "object", inner: fields}, err
		}
		s, err := m.object(t, asked, told)
		return expr{kind: "ref", ref: s}, err
	}
	return expr{}, fmt.Errorf("%v can't be part of the contract", t)
}

func (m *model) text(t reflect.Type, asked, told bool) (expr, error) {
	if t.PkgPath() == "" {
		return expr{kind: "string"}, nil
	}
	list, err := m.src.constants(t)
	if err != nil || len(list) == 0 {
		return expr{kind: "string"}, err
	}
	s := m.shapes[t]
	if s == nil {
		if s, err = m.enter(t); err != nil {
			return expr{}, err
		}
		s.values = list
	}
	s.asked, s.told = s.asked || asked, s.told || told
	return expr{kind: "ref", ref: s}, nil
}

// enter makes the shape of a named type.
func (m *model) enter(t reflect.Type) (*shape, error) {
	p, err := m.src.of(t.PkgPath())
	if err != nil {
		return nil, err
	}
	s := &shape{name: cmp.Or(m.names[t], t.Name()), doc: p.types[t.Name()], goType: t}
	if other, ok := m.taken[s.name]; ok {
		return nil, fmt.Errorf("%v and %v would both be called %s: give one another name in names.go", other, t, s.name)
	}
	m.taken[s.name] = t
	m.shapes[t] = s
	m.order = append(m.order, s)
	return s, nil
}

func (m *model) object(t reflect.Type, asked, told bool) (*shape, error) {
	s := m.shapes[t]
	if s != nil && (s.asked || !asked) && (s.told || !told) {
		return s, nil
	}
	if s == nil {
		var err error
		if s, err = m.enter(t); err != nil {
			return nil, err
		}
	}
	s.asked, s.told = s.asked || asked, s.told || told
	var err error
	s.fields, s.bases, err = m.fieldsOf(t, t.Name(), asked, told)
	s.inJSON()
	return s, err
}

// fieldsOf returns the members of the JSON object of a struct, and the structs that it embeds as they are.
func (m *model) fieldsOf(t reflect.Type, path string, asked, told bool) (fields []field, bases []*shape, err error) {
	p, err := m.src.of(t.PkgPath())
	if err != nil {
		return nil, nil, err
	}
	own := map[string]bool{}
	for f := range fieldsIn(t) {
		if !f.Anonymous {
			name, _, _ := tagOf(f)
			own[name] = true
		}
	}
	for f := range fieldsIn(t) {
		name, optional, skip := tagOf(f)
		if skip {
			continue
		}
		if f.Anonymous && f.Tag.Get("json") == "" {
			base, err := m.object(f.Type, asked, told)
			if err != nil {
				return nil, nil, err
			}
			if all := base.all(); slices.ContainsFunc(all, func(b field) bool { return own[b.name] }) {
				for _, b := range all {
					if !own[b.name] {
						fields = append(fields, b)
					}
				}
				continue
			}
			bases = append(bases, base)
			continue
		}
		of := f.Type
		if held, ok := m.values[t.PkgPath()+"."+t.Name()+"."+f.Name]; ok {
			of = held
		}
		e, err := m.add(of, asked, told)
		if err != nil {
			return nil, nil, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		if list, ok := f.Tag.Lookup("enum"); ok {
			null := e.null
			e = withEnum(e, strings.Split(list, ","))
			e.null = null
		}
		fields = append(fields, field{name: name, goName: f.Name, doc: p.fields[path+"."+f.Name], of: e, optional: optional})
	}
	return fields, bases, nil
}

func withEnum(e expr, values []string) expr {
	if e.kind == "list" || e.kind == "map" {
		inner := withEnum(*e.elem, values)
		return expr{kind: e.kind, elem: &inner}
	}
	return expr{kind: "enum", enum: values}
}

// all is every member of the object, those of the embedded structs first.
func (s *shape) all() (list []field) {
	for _, b := range s.bases {
		list = append(list, b.all()...)
	}
	return append(list, s.fields...)
}

func fieldsIn(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous) && !yield(f) {
				return
			}
		}
	}
}

func tagOf(f reflect.StructField) (name string, optional, skip bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return "", false, true
	}
	parts := strings.Split(tag, ",")
	for _, p := range parts[1:] {
		optional = optional || p == "omitzero" || p == "omitempty"
	}
	return cmp.Or(parts[0], f.Name), optional, false
}

// inJSON makes the comments name fields as they are called in JSON, and drops those that only list the values.
func (s *shape) inJSON() {
	called := map[string]string{}
	for _, f := range s.all() {
		called[f.goName] = f.name
	}
	rename := func(doc string) string {
		return words.ReplaceAllStringFunc(doc, func(word string) string {
			if name, ok := called[word]; ok {
				return "`" + name + "`"
			}
			return word
		})
	}
	s.doc = rename(s.doc)
	for i := range s.fields {
		f := &s.fields[i]
		f.doc = rename(f.doc)
		if f.of.kind == "enum" && slices.Equal(strings.FieldsFunc(f.doc, func(r rune) bool { return r == ',' || r == ' ' }), f.of.enum) {
			f.doc = ""
		}
	}
}

// words are the words of a comment that may be fields.
var words = regexp.MustCompile(`\b[A-Z][A-Za-z0-9]*\b`)
