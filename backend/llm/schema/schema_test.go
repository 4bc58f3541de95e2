package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"weft/backend/llm/llmtest"
)

// strict is like a dialect that enforces what is written: everything closed and required.
var strict = Dialect{
	Provider: "Strict", Refs: true, FlatTop: true, TypeLists: true, Closed: true, AllRequired: true, Declared: true,
	Keywords: set("type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "description"),
}

// plain knows neither lists of types nor references.
var plain = Dialect{Provider: "Plain", Keywords: set("type", "properties", "required", "items", "anyOf", "enum", "description")}

func TestReduce(t *testing.T) {
	for _, c := range []struct {
		name    string
		d       Dialect
		in, out string
		losses  []string
	}{
		{"nothing is known", AnthropicTool, ``, `{"type":"object"}`, nil},
		{"an empty one", Google, `{}`, `{"type":"object"}`, nil},
		{
			"what is accepted stays, in its order", AnthropicTool,
			`{"type":"object","required":["b"],"properties":{"b":{"pattern":"^<a>$","type":"string"},"a":{"$ref":"#/$defs/A","description":"here"}},"$defs":{"A":{"type":["integer","null"],"minimum":9007199254740993}},"additionalProperties":false}`,
			`{"type":"object","required":["b"],"properties":{"b":{"pattern":"^<a>$","type":"string"},"a":{"$ref":"#/$defs/A","description":"here"}},"$defs":{"A":{"type":["integer","null"],"minimum":9007199254740993}},"additionalProperties":false}`, nil,
		},
		{
			"a description tells the rest", Google,
			`{"type":"object","properties":{"path":{"type":"string","description":"A path.","pattern":"^a+$","minLength":1},"n":{"type":"integer","exclusiveMinimum":0}}}`,
			`{"type":"object","properties":{"path":{"type":"string","description":"A path. (pattern: \"^a+$\", minLength: 1)"},"n":{"type":"integer","description":"(exclusiveMinimum: 0)"}}}`,
			[]string{
				"“pattern” of path is only mentioned in its description: Google doesn't accept it.",
				"“minLength” of path is only mentioned in its description: Google doesn't accept it.",
				"“exclusiveMinimum” of n is only mentioned in its description: Google doesn't accept it.",
			},
		},
		{
			"what it can't tell is left out", Google, `{"type":"object","properties":{"a":{"items":{"x-order":1}}}}`, `{"type":"object","properties":{"a":{"items":{}}}}`,
			[]string{"“x-order” of a[] was left out: Google doesn't accept it."},
		},
		{"const", Google, `{"properties":{"a":{"const":"x"},"b":{"const":true}}}`, `{"type":"object","properties":{"a":{"enum":["x"]},"b":{"description":"(const: true)"}}}`, []string{"“const” of b is only mentioned in its description: Google doesn't accept it."}},
		{"a reference stands alone", Google, `{"properties":{"a":{"$ref":"#/definitions/A","description":"here"}},"definitions":{"A":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"description":"here","anyOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"type":"string"}}}`, nil},
		{
			"a cycle is optional", Google,
			`{"properties":{"tree":{"$ref":"#/$defs/T"}},"required":["tree"],"$defs":{"T":{"type":"object","properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["name","below"]}}}`,
			`{"type":"object","properties":{"tree":{"$ref":"#/$defs/T"}},"required":["tree"],"$defs":{"T":{"type":"object","properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["name"]}}}`,
			[]string{"“required” of T no longer names below: that refers back to itself, and Google doesn't accept it."},
		},
		{
			"a cycle is cut", AnthropicOutput,
			`{"properties":{"tree":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"object","properties":{"below":{"type":"array","items":{"$ref":"#/$defs/T"}}}}}}`,
			`{"type":"object","properties":{"tree":{"type":"object","properties":{"below":{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false}`,
			[]string{"Everything below tree.below[] was left out: #/$defs/T contains itself, and Anthropic doesn't accept that."},
		},
		{"the top is a reference", AnthropicTool, `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, nil},
		{"a reference to elsewhere", AnthropicTool, `{"properties":{"a":{"$ref":"https://example.com/a.json"},"b":{"$ref":"#/nowhere"},"c":{"$ref":"#"}}}`, `{"type":"object","properties":{"a":{},"b":{},"c":{"$ref":"#"}}}`, []string{
			"The reference https://example.com/a.json of a was left out: it doesn't point to a schema in the document.",
			"The reference #/nowhere of b was left out: it doesn't point to a schema in the document.",
		}},
		{"a pointer into the document", AnthropicTool, `{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, nil},
		{
			"alternatives at the top", AnthropicTool,
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x"]},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]},{"type":"string"}]}`,
			`{"type":"object","properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"string"}},"required":["kind"]}`,
			[]string{
				"The alternatives of “oneOf” of the schema became one object with only optional properties: Anthropic doesn't accept alternatives at the top.",
				"The alternative of type “string” of the schema was left out: it must be an object.",
			},
		},
		{
			"all of several at the top", AnthropicTool,
			`{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{"type":"string"}},"required":["b"],"minProperties":2}],"minProperties":1,"$defs":{"A":{"properties":{"a":{"type":"string"}},"required":["a"]}}}`,
			`{"type":"object","minProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`,
			[]string{"“minProperties” of a part of “allOf” of the schema was left out: it can't be merged."},
		},
		{"names of properties", AnthropicTool, `{"properties":{"größe":{"type":"string"},"a":{"properties":{"größe":{}}}},"required":["größe","a"]}`, `{"type":"object","properties":{"a":{"properties":{"größe":{}}}},"required":["a"]}`, []string{"The property größe was left out: Anthropic doesn't accept its name."}},
		{"older drafts", AnthropicTool, `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"items":[{"type":"string"},{}],"additionalItems":false},"b":{"minimum":1,"exclusiveMinimum":true},"c":{"type":"string","nullable":true}}}`, `{"type":"object","properties":{"a":{"prefixItems":[{"type":"string"},{}]},"b":{"exclusiveMinimum":1},"c":{"type":["string","null"]}}}`, []string{"“items” of a was left out: it allows nothing."}},
		{"malformed", AnthropicTool, `{"properties":{"a":{"minimum":"1","type":"text","enum":[],"anyOf":3,"required":true,"default":1},"b":7},"required":["a","a","b"]}`, `{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`, []string{
			"“minimum” of a was left out: it is malformed.", "“type” of a was left out: it is malformed.", "“enum” of a was left out: it is malformed.",
			"“anyOf” of a was left out: it is malformed.", "“required” of a was left out: it is malformed.", "The property b was left out: it isn't a schema.",
		}},
		{"never", AnthropicTool, `{"properties":{"a":false,"b":true},"required":["a"]}`, `{"type":"object","properties":{"b":{}}}`, []string{"The property a was left out: it allows nothing."}},
		{"not declared", Google, `{"properties":{"a":{}},"required":["a","b"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`, []string{"“required” of the schema no longer names b: it isn't one of the properties."}},
		{
			"closed and required", strict,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"enum":[1]},"c":{"type":"object","additionalProperties":{"type":"string"}},"d":{"anyOf":[{"type":"string"}]}},"required":["c"]}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"enum":[1]},{"type":"null"}]},"c":{"type":"object","additionalProperties":false,"properties":{}},"d":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a","b","c","d"],"additionalProperties":false}`,
			[]string{
				"“additionalProperties” of c was left out: Strict doesn't accept it.", "The property a was made nullable: Strict doesn't accept optional properties.",
				"The property b was made nullable: Strict doesn't accept optional properties.", "The property d was made nullable: Strict doesn't accept optional properties.",
			},
		},
		{"bounds of an enforced answer", AnthropicOutput, `{"properties":{"a":{"type":"array","minItems":3,"items":{"type":"string","format":"email"}},"m":{"type":"object","additionalProperties":{"type":"integer"}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","format":"email"},"description":"(minItems: 3)"},"m":{"type":"object","additionalProperties":{"type":"integer"}}},"additionalProperties":false}`, []string{"“minItems” of a is only mentioned in its description: Anthropic doesn't accept it."}},
		{
			"types and nested parts merged", plain,
			`{"properties":{"a":{"type":["array","null"],"items":{"type":"string"},"description":"d"},"b":{"allOf":[{"type":"string"},{"minLength":1}]},"c":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}`,
			`{"type":"object","properties":{"a":{"description":"d","anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"b":{"type":"string"},"c":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`,
			[]string{"“minLength” of b was left out: Plain doesn't accept it.", "“oneOf” of c became “anyOf”: Plain doesn't accept it."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, losses, err := Reduce(json.RawMessage(c.in), c.d)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != c.out {
				t.Errorf("got  %s\nwant %s", out, c.out)
			}
			if strings.Join(losses, "\n") != strings.Join(c.losses, "\n") {
				t.Errorf("losses:\n%s\nwant:\n%s", strings.Join(losses, "\n"), strings.Join(c.losses, "\n"))
			}
		})
	}
}

var dialects = map[string]Dialect{"anthropic tool": AnthropicTool, "anthropic output": AnthropicOutput, "google": Google, "strict": strict, "plain": plain}

// The tools of the shared set are accepted as they are.
func TestUsualToolsLoseNothing(t *testing.T) {
	for _, d := range []Dialect{AnthropicTool, Google} {
		for _, tool := range llmtest.Tools() {
			out, losses, err := Reduce(tool.Schema, d)
			if err != nil || len(losses) > 0 || string(out) != string(tool.Schema) {
				t.Errorf("%s for %s: %s %q %v", tool.Name, d.Provider, out, losses, err)
			}
		}
	}
}

func TestHostile(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100)
	bomb := `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 25 {
		ref := `{"$ref":"#/$defs/d` + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"}`
		bomb += `"d` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":{"properties":{"x":` + ref + `,"y":` + ref + `}},`
	}
	bomb += `"d0":{"properties":{"x":{"$ref":"#/$defs/d00"}}},"d25":{"type":"string"}}}`
	for _, c := range []struct{ name, in, says string }{
		{"a list", `[]`, "isn't a JSON object"},
		{"a truth", `true`, "isn't a JSON object"},
		{"no JSON", `{"a":`, "isn't JSON"},
		{"two", `{}{}`, "there is text after"},
		{"of text", `{"type":"string"}`, "type “string”"},
		{"deep", deep, "nested too deeply"},
		{"deeper than JSON may be", strings.Repeat("[", 400000), "nested too deeply"},
		{"large", `{"description":"` + strings.Repeat("x", maxSize) + `"}`, "too large"},
		{"growing", bomb, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := Reduce(json.RawMessage(c.in), AnthropicOutput); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
	for name, d := range dialects {
		for _, cycle := range []string{
			`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		} {
			if out, _, err := Reduce(json.RawMessage(cycle), d); err != nil || !json.Valid(out) {
				t.Errorf("%s, %s: %s %v", name, cycle, out, err)
			}
		}
	}
}

func TestLossesAreBounded(t *testing.T) {
	many := `{"type":"object","properties":{`
	for i := range 2000 {
		many += `"p` + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + time.Duration(i).String() + `":{"not":{}},`
	}
	_, losses, err := Reduce(json.RawMessage(strings.TrimSuffix(many, ",")+`}}`), Google)
	if err != nil || len(losses) != maxLosses+1 || !strings.Contains(losses[maxLosses], "1960 more") {
		t.Errorf("%d losses, the last: %s, %v", len(losses), losses[len(losses)-1], err)
	}
}

// Whatever comes in, an object of JSON comes out.
func FuzzReduce(f *testing.F) {
	for _, tool := range llmtest.Tools() {
		f.Add([]byte(tool.Schema))
	}
	f.Add([]byte(`{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#"},{"oneOf":[{"type":"null"}]}]}}}`))
	f.Add([]byte(`{"allOf":[{"properties":{"a":{"allOf":[{"$ref":"#/allOf/0"}]}}}],"nullable":true}`))
	f.Add([]byte(`{"properties":{"":{"items":[{},false],"minimum":1,"exclusiveMinimum":true,"const":null}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, d := range dialects {
			out, losses, err := Reduce(raw, d)
			if err != nil {
				continue
			}
			var top map[string]any
			if err := json.Unmarshal(out, &top); err != nil || top["type"] != "object" {
				t.Fatalf("%s: %s of %s: %v", name, out, raw, err)
			}
			if len(losses) > maxLosses+1 {
				t.Fatalf("%s: %d losses", name, len(losses))
			}
		}
	})
}
