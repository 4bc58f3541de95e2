package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// object is a JSON object that keeps the order of its keys. The other values are string, json.Number, bool, nil and
// []any.
type object struct {
	keys []string
	vals map[string]any
}

func newObject() *object { return &object{vals: map[string]any{}} }

func (o *object) get(key string) any { return o.vals[key] }

func (o *object) has(key string) bool {
	_, ok := o.vals[key]
	return ok
}

func (o *object) set(key string, v any) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	o.vals[key] = v
}

func (o *object) drop(key string) {
	if o.has(key) {
		delete(o.vals, key)
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
}

// rename puts the value of one key under another at the same place.
func (o *object) rename(from, to string, v any) {
	o.drop(to)
	o.keys[slices.Index(o.keys, from)] = to
	delete(o.vals, from)
	o.vals[to] = v
}

// copy is one level deep.
func (o *object) copy() *object {
	c := &object{keys: slices.Clone(o.keys), vals: make(map[string]any, len(o.vals))}
	for k, v := range o.vals {
		c.vals[k] = v
	}
	return c
}

// maxNesting bounds JSON inside of JSON: a schema inside of a schema takes up to three levels.
const maxNesting = 3*maxDepth + 8

func parse(raw []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		if errors.Is(err, errNested) {
			return nil, err
		}
		return nil, fmt.Errorf("the schema isn't JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the schema isn't JSON: there is text after it")
	}
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("the schema isn't a JSON object")
	}
	return o, nil
}

var errNested = fmt.Errorf("the schema is nested too deeply: more than %d levels", maxDepth)

func value(d *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, errNested
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := newObject()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), v) // the decoder sees to it that a key is a string
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b, v)
	return b.Bytes(), err
}

func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, k := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := scalar(b, k); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := write(b, v.vals[k]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return scalar(b, v)
	}
	if b.Len() > 4*maxSize {
		return fmt.Errorf("the schema is too large: with its references replaced it has more than %d KB", 4*maxSize>>10)
	}
	return nil
}

func scalar(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line break
	return nil
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
