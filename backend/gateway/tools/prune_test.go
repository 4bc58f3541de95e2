package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What models add to a display beside what there is: the whole display was refused for it.
func TestUnknownArgumentsAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, input, want, ignored string }{
		{"showApprovalForm", `{"title":"Order?","text":"Now","details":[{"label":"Sum","value":5,"bold":true}]}`, `{"title":"Order?","details":[{"label":"Sum","value":5}]}`, "text details[0].bold"},
		{"showApprovalForm", `{"title":"Order?","comment":null,"approveLabel":"Order"}`, `{"title":"Order?","approveLabel":"Order"}`, ""},
		{"showCard", `{"title":"a","actions":[{"id":"x","label":"X","icon":"cart"},{"id":"y","label":"Y","icon":null}]}`, `{"title":"a","actions":[{"id":"x","label":"X"},{"id":"y","label":"Y"}]}`, "actions[0].icon actions[1].icon"},
		{"showCard", `{"title":"a","fields":[{"label":"n","value":null}]}`, `{"title":"a","fields":[{"label":"n","value":null}]}`, ""},
		{"showForm", `{"schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}`, `{"schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}`, ""},
		{"showTable", `{"columns":[{"key":"a","label":"A"}],"rows":[{"a":12345678901234567890,"b":1}]}`, `{"columns":[{"key":"a","label":"A"}],"rows":[{"a":12345678901234567890,"b":1}]}`, ""},
		{"showProgress", `[1]`, `[1]`, ""},
	} {
		d := builtinNamed(t, c.tool)
		schema, bad := d.check()
		if bad != nil {
			t.Fatal(bad)
		}
		kept, ignored := schema.Known(json.RawMessage(c.input))
		if string(kept) != c.want || strings.Join(ignored, " ") != c.ignored {
			t.Errorf("%s %s: %s, without %q", c.tool, c.input, kept, ignored)
		}
	}
}

func builtinNamed(t *testing.T, name string) *Definition {
	t.Helper()
	b := builtinOf(name)
	if b == nil {
		t.Fatalf("there is no %s", name)
	}
	d := b.Definition
	return &d
}

// Whatever a model adds to arguments that fit, they fit again without it, and all of it is named.
func TestArgumentsWithRandomAdditionsFit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 3))
	for _, b := range Builtins() {
		d := b.Definition
		schema, bad := d.check()
		if bad != nil {
			t.Fatal(bad)
		}
		for range 200 {
			added := 0
			var grow func(value any, closed bool) any
			grow = func(value any, closed bool) any {
				switch v := value.(type) {
				case map[string]any:
					for name, one := range v {
						if name != "schema" && name != "values" && name != "rows" { // these may have anything
							v[name] = grow(one, true)
						}
					}
					if closed && r.IntN(3) == 0 {
						v[fmt.Sprintf("x%d.é\"", r.IntN(1000))] = []any{nil, 1, "x", map[string]any{}}[r.IntN(4)]
						added++
					}
				case []any:
					for i := range v {
						v[i] = grow(v[i], true)
					}
				}
				return value
			}
			sent, err := json.Marshal(grow(anything(d.Example), true))
			if err != nil {
				t.Fatal(err)
			}
			kept, ignored := schema.Known(sent)
			if err := schema.Fits(&d, kept); err != nil || len(ignored) != added || !sameValue(kept, d.Example) {
				t.Fatalf("%s %s: %s without %q: %v", d.Name, sent, kept, ignored, err)
			}
		}
	}
}

func sameValue(a, b json.RawMessage) bool {
	x, errX := json.Marshal(anything(a))
	y, errY := json.Marshal(anything(b))
	return errX == nil && errY == nil && string(x) == string(y)
}
