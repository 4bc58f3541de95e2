package schema

import (
	"encoding/json"
	"slices"
)

// OpenAITool is the dialect of a function's parameters, which are not enforced: any JSON Schema of an object without
// composition at the top.
var OpenAITool = Dialect{Provider: "OpenAI", Refs: true, FlatTop: true, TypeLists: true}

// OpenAIStrict is the dialect of an answer that is enforced while the model writes: closed objects, everything required,
// as https://platform.openai.com/docs/guides/structured-outputs says.
var OpenAIStrict = Dialect{
	Provider: "OpenAI", Refs: true, FlatTop: true, TypeLists: true, Closed: true, AllRequired: true, Declared: true,
	Keywords: set(
		"type", "title", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const",
		"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	),
}

// FillForOpenAI adds to a reduced schema what OpenAI refuses it without, and which says nothing: the properties of the
// top, the items of a list.
func FillForOpenAI(reduced json.RawMessage) (json.RawMessage, error) {
	top, err := parse(reduced)
	if err != nil {
		return nil, err
	}
	if !top.has("properties") {
		top.set("properties", newObject())
	}
	fillLists(top)
	return encode(top)
}

func fillLists(v any) {
	o, ok := v.(*object)
	if !ok {
		return
	}
	if isList := o.get("type") == "array" || slices.Contains(stringsOf(o.get("type")), "array"); isList && !o.has("items") && !o.has("prefixItems") {
		o.set("items", newObject())
	}
	for _, k := range o.keys {
		switch inner := o.get(k); {
		case k == "$defs" || shapes[k] == schemaMap:
			if m, ok := inner.(*object); ok {
				for _, name := range m.keys {
					fillLists(m.get(name))
				}
			}
		case shapes[k] == aSchema, shapes[k] == schemaOrList, shapes[k] == schemaList:
			for _, one := range asList(inner) {
				fillLists(one)
			}
			fillLists(inner)
		}
	}
}
