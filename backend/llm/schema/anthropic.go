package schema

import (
	"encoding/json"

	"weft/backend/base/lazyregexp"
)

// AnthropicTool is the dialect of a tool's input_schema, which is plain draft 2020-12 with an object at the top.
// Composition at the top, and names of properties outside of the pattern, are refused by the API.
var AnthropicTool = Dialect{
	Provider: "Anthropic", Refs: true, FlatTop: true, TypeLists: true,
	PropertyName: lazyregexp.New(`^[a-zA-Z0-9_.-]{1,64}$`),
}

// AnthropicOutput is the dialect of a structured answer, which is enforced while the model writes: closed objects,
// no recursion, no bounds. It follows what the API documents and what its SDKs reduce a schema to.
var AnthropicOutput = Dialect{
	Provider: "Anthropic", Describe: true, FlatTop: true, TypeLists: true, Closed: true, Maps: true, Declared: true,
	Keywords: set("type", "anyOf", "allOf", "description", "title", "enum", "const", "properties", "additionalProperties", "required", "items", "minItems", "format", "default"),
	Refuses: func(keyword string, v any) bool {
		switch keyword {
		case "minItems":
			return v != json.Number("0") && v != json.Number("1")
		case "format":
			return !anthropicFormats[v.(string)]
		case "enum":
			return !all(v.([]any), isScalar)
		}
		return false
	},
}

var anthropicFormats = set("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")

func isScalar(v any) bool {
	switch v.(type) {
	case *object, []any:
		return false
	}
	return true
}
