package schema

import "encoding/json"

// Google is the dialect of parametersJsonSchema and responseJsonSchema. Its keywords are the list of the API's
// reference; the API also takes others and reads past them, so what they say is in the description instead.
var Google = Dialect{
	Provider: "Google", Describe: true, Refs: true, RefAlone: true, OptionalCycles: true, TypeLists: true, Declared: true,
	Keywords: set(
		"type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum", "maximum",
		"anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering",
	),
	Refuses: func(keyword string, v any) bool {
		return keyword == "enum" && !all(v.([]any), isStringOrNumber)
	},
}

func isStringOrNumber(v any) bool {
	_, number := v.(json.Number)
	return number || isString(v)
}
