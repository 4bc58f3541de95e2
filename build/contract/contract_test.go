package contract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/command"
	"weft/backend/conversation/transcript"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	c, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		now, err := os.ReadFile(filepath.Join(c.model.src.root, filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		if string(now) != f.want {
			t.Errorf("%s is not what the Go types say: %s. Run `make generate`.", f.path, firstDifference(string(now), f.want))
		}
	}
}

func firstDifference(now, want string) string {
	a, b := strings.Split(now, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q and should be %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("it has %d lines and should have %d", len(a), len(b))
}

// Every answer and event, whatever the Go value, is JSON of the type that was generated for it: lists and maps are never null,
// only what may be left out is left out, and nothing has a field that the type doesn't have.
func TestAnswersAndEventsHaveTheirGeneratedTypes(t *testing.T) {
	c, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	g := &maker{rand: rand.New(rand.NewPCG(1, 2)), values: held}
	check := func(name string, of reflect.Type, e expr) {
		for range 40 {
			v := reflect.New(of).Elem()
			g.fill(v, 0)
			raw, err := json.Marshal(v.Addr().Interface(), command.Wire)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if wrong := misfit(e, raw, name); wrong != "" {
				t.Errorf("%s: %s", wrong, raw)
				return
			}
		}
	}
	count := 0
	for i, group := range Groups() {
		for j, cmd := range group.Commands {
			check(cmd.Name, cmd.Answer, c.groups[i].commands[j].answer)
			count++
		}
	}
	for _, e := range slices.Concat(c.events, c.appEvents) {
		check(e.name, e.body, expr{kind: "ref", ref: c.model.shapes[e.body]})
		count++
	}
	if count < 140 {
		t.Errorf("only %d answers and events were looked at", count)
	}
}

// A list that would be null, a field that is too much and one that is missing are found.
func TestMisfitsAreFound(t *testing.T) {
	s := &shape{name: "Thing", fields: []field{{name: "list", of: expr{kind: "list", elem: &expr{kind: "number"}}}, {name: "maybe", of: expr{kind: "string"}, optional: true}}}
	for raw, fits := range map[string]bool{
		`{"list":[1]}`: true, `{"list":[],"maybe":"x"}`: true,
		`{"list":null}`: false, `{}`: false, `{"list":["1"]}`: false, `{"list":[],"more":1}`: false, `{"list":[],"maybe":null}`: false,
	} {
		if wrong := misfit(expr{kind: "ref", ref: s}, jsontext.Value(raw), "Thing"); (wrong == "") != fits {
			t.Errorf("%s: %q", raw, wrong)
		}
	}
}

func TestEveryEventTypeIsListed(t *testing.T) {
	src, err := newSource()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, of := range []reflect.Type{reflect.TypeFor[transcript.EventType](), reflect.TypeFor[transcript.StateKey]()} {
		list, err := src.constants(of)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			want = append(want, v.value)
		}
	}
	var got []string
	for _, e := range transcript.EventTypes() {
		got = append(got, string(e))
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("transcript.EventTypes has %q, the constants are %q", got, want)
	}
}

// Every command has a comment, and a name of its own.
func TestCommandsAreDocumented(t *testing.T) {
	c, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range c.groups {
		for _, cmd := range g.commands {
			if cmd.doc == "" {
				t.Errorf("%s has no comment", cmd.name)
			}
			if seen[cmd.name] {
				t.Errorf("%s is there twice", cmd.name)
			}
			seen[cmd.name] = true
		}
	}
}

// misfit says how a JSON value is not of a type, "" if it is.
func misfit(e expr, raw jsontext.Value, at string) string {
	kind := raw.Kind()
	if kind == 'n' {
		if e.null || e.kind == "json" {
			return ""
		}
		return at + " is null"
	}
	is := func(kinds string) string {
		if strings.ContainsRune(kinds, rune(kind)) {
			return ""
		}
		return fmt.Sprintf("%s is %s and not a %s", at, raw, e.kind)
	}
	switch e.kind {
	case "json", "event":
		return ""
	case "said":
		return is("[")
	case "none":
		return is("{")
	case "string", "enum":
		return is(`"`)
	case "number":
		return is("0")
	case "boolean":
		return is("tf")
	case "list":
		var list []jsontext.Value
		if json.Unmarshal(raw, &list) != nil {
			return is("[")
		}
		for i, v := range list {
			if wrong := misfit(*e.elem, v, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		return is("[")
	case "ref":
		if e.ref.values != nil {
			return is(`"`)
		}
		return misfitObject(e.ref.all(), raw, at)
	case "object":
		return misfitObject(e.inner, raw, at)
	case "map":
		var values map[string]jsontext.Value
		if json.Unmarshal(raw, &values, command.Wire) != nil {
			return is("{")
		}
		for k, v := range values {
			if wrong := misfit(*e.elem, v, at+"."+k); wrong != "" {
				return wrong
			}
		}
		return is("{")
	}
	return at + " is of an unknown kind " + e.kind
}

func misfitObject(fields []field, raw jsontext.Value, at string) string {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members, command.Wire); err != nil {
		return at + " is not an object"
	}
	for _, f := range fields {
		v, there := members[f.name]
		delete(members, f.name)
		switch {
		case !there && f.optional:
		case !there:
			return at + "." + f.name + " is missing"
		default:
			if f.optional {
				f.of.null = false // where it has no value it is left out
			}
			if wrong := misfit(f.of, v, at+"."+f.name); wrong != "" {
				return wrong
			}
		}
	}
	for name := range members {
		return at + "." + name + " isn't in the type"
	}
	return ""
}

// maker makes values of Go types: often empty, and never deep.
type maker struct {
	rand   *rand.Rand
	values map[string]reflect.Type
}

func (g *maker) fill(v reflect.Value, depth int) {
	t := v.Type()
	switch t {
	case jsonValue:
		v.SetBytes([]jsontext.Value{nil, jsontext.Value(`null`), jsontext.Value(`{"a":[1]}`)}[g.rand.IntN(3)])
		return
	case eventType:
		v.Set(reflect.ValueOf(transcript.Event{Epoch: 1, Seq: 2, Body: &transcript.MessageStart{MessageID: "m"}}))
		return
	}
	some := g.rand.IntN(2) == 0 && depth < 6
	switch t.Kind() { //nolint:exhaustive // the contract has no others
	case reflect.Pointer:
		if some {
			v.Set(reflect.New(t.Elem()))
			g.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if some {
			v.Set(reflect.MakeSlice(t, g.rand.IntN(3), 3))
			for i := range v.Len() {
				g.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if some {
			value := reflect.New(t.Elem()).Elem()
			g.fill(value, depth+1)
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(reflect.ValueOf("k").Convert(t.Key()), value)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				g.field(t, f, v.Field(i), depth)
			}
		}
	case reflect.String:
		text := "x"
		if t == saidType {
			text = `["x"]`
		}
		v.SetString([]string{"", text}[g.rand.IntN(2)])
	case reflect.Bool:
		v.SetBool(some)
	case reflect.Int, reflect.Int64:
		v.SetInt(g.rand.Int64N(3))
	case reflect.Float64:
		v.SetFloat(g.rand.Float64())
	}
}

// field fills a field; raw JSON whose type is known has a value of that type.
func (g *maker) field(owner reflect.Type, f reflect.StructField, v reflect.Value, depth int) {
	of, known := g.values[owner.PkgPath()+"."+owner.Name()+"."+f.Name]
	if !known {
		g.fill(v, depth+1)
		return
	}
	inner := reflect.New(of).Elem()
	g.fill(inner, depth+1)
	raw, err := json.Marshal(inner.Addr().Interface(), command.Wire)
	if err == nil && g.rand.IntN(2) == 0 {
		_ = json.Unmarshal(raw, v.Addr().Interface(), command.Wire)
	}
}
