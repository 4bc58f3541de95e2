package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/backend/base/simtest"
	"weft/backend/gateway/tools"
)

// writing are random arguments that a model may write for a schema: right ones, with names that aren't there, with null for what was left out, with
// wrong values.
type writing struct{ r *rand.Rand }

func (w writing) value(root, s *jsonschema.Schema, depth int) any {
	if s == nil || w.r.IntN(12) == 0 {
		return []any{nil, "x", 1.0, -2.5, true, []any{}, map[string]any{}, ""}[w.r.IntN(8)]
	}
	if s.Ref != "" {
		s = reached(root, s.Ref)
	}
	if len(s.AnyOf) > 0 {
		return w.value(root, s.AnyOf[w.r.IntN(len(s.AnyOf))], depth)
	}
	if len(s.Enum) > 0 {
		return s.Enum[w.r.IntN(len(s.Enum))]
	}
	if s.Const != nil {
		return *s.Const
	}
	kind := s.Type
	if len(s.Types) > 0 {
		kind = s.Types[w.r.IntN(len(s.Types))]
	}
	switch kind {
	case "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			if slices.Contains(s.Required, name) && w.r.IntN(20) > 0 || depth < 6 && w.r.IntN(3) == 0 {
				out[name] = w.value(root, p, depth+1)
			}
			if w.r.IntN(8) == 0 {
				out[name] = nil
			}
		}
		for range w.r.IntN(3) * w.r.IntN(2) {
			out[[]string{"text", "note", "id", "targetSpace", "x-1"}[w.r.IntN(5)]] = []any{nil, "extra", 5.0, []any{1.0}, map[string]any{"a": nil}}[w.r.IntN(5)]
		}
		return out
	case "array":
		out := []any{}
		for range w.r.IntN(4) {
			out = append(out, w.value(root, s.Items, depth+1))
		}
		return out
	case "string":
		return []string{"text", "https://a.example/b.png", "7"}[w.r.IntN(3)]
	case "integer":
		return float64(w.r.IntN(120) - 5)
	case "number":
		return w.r.Float64() * 110
	case "boolean":
		return w.r.IntN(2) == 0
	}
	return nil
}

func reached(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return root.Defs[name]
	}
	return root
}

// TestOfferedSchemasAcceptWhatGatewayAccepts: agents that check arguments themselves (kimi, gemini, qwen) refused displays which the gateway would have
// shown: with a name too many, with null for what is left out.
func TestOfferedSchemasAcceptWhatGatewayAccepts(t *testing.T) {
	t.Parallel()
	own := func(name, schema string, e *tools.Execution) tools.Definition {
		return tools.Definition{Name: name, Description: "d", DisplayTool: true, InputSchema: json.RawMessage(schema), Execution: e}
	}
	g := open(t, Options{
		Definitions: func() []tools.Definition {
			return []tools.Definition{
				own("ownClosed", `{"type":"object","properties":{"name":{"type":"string"},"size":{"enum":["s","m"]},"more":{"$ref":"#/$defs/more"}},"required":["name"],"additionalProperties":false,"maxProperties":3,"$defs":{"more":{"type":"object","properties":{"deep":{"$ref":"#/$defs/more"},"n":{"const":3}},"additionalProperties":false}}}`, &tools.Execution{Mode: tools.ModeClient}),
				own("ownMap", `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"object","properties":{"b":{"type":"number"}},"additionalProperties":false}}}}}`, nil),
				own("ownActs", `{"type":"object","properties":{"q":{"type":["string","number"]}},"additionalProperties":false}`, &tools.Execution{Mode: tools.ModeHTTP, URL: "http://127.0.0.1:1/"}),
				own("ownBare", `{"type":"object"}`, nil),
				{Name: "ownInternal", Description: "d", InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":false}`), Execution: &tools.Execution{Mode: tools.ModeHTTP, URL: "http://127.0.0.1:1/"}},
			}
		},
	})
	client, _ := dial(t, g, nil)
	offered := listed(t, client)
	for seed := range simtest.Seeds(simtest.Histories(12)) {
		w := writing{rand.New(rand.NewPCG(seed, 25))}
		for _, name := range slices.Sorted(maps.Keys(offered)) {
			raw, err := json.Marshal(offered[name].InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			seen := &jsonschema.Schema{}
			if err := json.Unmarshal(raw, seen); err != nil {
				t.Fatal(err)
			}
			resolved, err := seen.Resolve(nil)
			if err != nil {
				t.Fatal(name, err)
			}
			to := g.Catalog().tools[name]
			for range 60 {
				value := w.value(seen, seen, 0)
				if v, ok := value.(map[string]any); ok && to.def.DisplayTool {
					delete(v, tools.TargetName)
					switch w.r.IntN(4) {
					case 0:
						v[tools.TargetName] = nil
					case 1: // left out
					default:
						v[tools.TargetName] = "home"
					}
				}
				sent, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				c := &call{tool: to, sent: sent, beat: &beat{ctx: context.Background()}}
				taken, allowed := c.parse(), resolved.Validate(value)
				if taken != nil && strings.Contains(taken.Error(), "Pass targetSpaceId") {
					taken = nil // a sentence that says more than a schema
				}
				if (taken == nil) != (allowed == nil) {
					t.Fatalf("seed %d: %s %s: the gateway says %v, its schema %v", seed, name, sent, taken, allowed)
				}
			}
		}
	}
}

// TestSchemasOfServersAcceptTarget: whatever the schema of a server's tool says about its properties, an agent that checks arguments finds the one that
// Weft adds allowed, and everything else as before.
func TestSchemasOfServersAcceptTarget(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"type":"object"}`,
		`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`,
		`{"type":"object","additionalProperties":false}`,
		`{"type":"object","properties":{"q":{"type":"string"}},"maxProperties":1}`,
		`{"type":"object","propertyNames":{"maxLength":3}}`,
		`{"type":"object","patternProperties":{"^.*$":{"type":"integer"}}}`,
		`{"type":"object","patternProperties":{"^(?!x)":{"type":"integer"}}}`,
		`{"type":"object","additionalProperties":{"type":"integer"}}`,
		`{"type":"object","properties":{"q":{}},"unevaluatedProperties":false}`,
		`{"type":"object","oneOf":[{"properties":{"q":{}},"required":["q"],"additionalProperties":false},{"properties":{"r":{}},"required":["r"],"additionalProperties":false}]}`,
		`{"type":"object","allOf":[{"properties":{"q":{}},"unevaluatedProperties":false}]}`,
		`{"type":"object","allOf":[{"$ref":"#/$defs/args"}],"$defs":{"args":{"properties":{"q":{}},"additionalProperties":false}}}`,
		`{"type":"object","$ref":"#/definitions/args","definitions":{"args":{"type":"object","properties":{"q":{}},"additionalProperties":false}}}`,
		`{"type":"object","if":{"properties":{"q":{}},"additionalProperties":false},"then":{},"else":{"maxProperties":0}}`,
		`{"type":"object","dependentSchemas":{"q":{"properties":{"q":{}},"additionalProperties":false}}}`,
	} {
		with, err := tools.WithTarget(json.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(schema, "(?!") {
			continue // a pattern that Go can't read is widened, and can't be tried here
		}
		before, after := compiled(t, schema), compiled(t, string(with))
		for _, q := range []string{"", `"q":1`, `"q":"a"`, `"r":1`, `"q":"a","r":1`, `"much":1`} {
			for _, target := range []string{`"home"`, `null`, ""} {
				sent := map[string]any{}
				if err := json.Unmarshal([]byte("{"+q+"}"), &sent); err != nil {
					t.Fatal(err)
				}
				was := before.Validate(sent)
				if target != "" {
					var v any
					_ = json.Unmarshal([]byte(target), &v)
					sent[tools.TargetName] = v
				}
				wider := strings.Contains(schema, "maxProperties") || strings.Contains(schema, "patternProperties")
				if now := after.Validate(sent); was == nil && now != nil || was != nil && now == nil && !wider {
					t.Errorf("%s offered as %s, with %s: %v, without the target %v", schema, with, fmt.Sprint(sent), now, was)
				}
			}
		}
	}
}

func compiled(t *testing.T, schema string) *jsonschema.Resolved {
	t.Helper()
	s := &jsonschema.Schema{}
	if err := json.Unmarshal([]byte(schema), s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(schema, err)
	}
	return r
}
