package schema

// OpenAITool is the dialect of a function's parameters, which are not enforced: any JSON Schema of an object without
// composition at the top.
var OpenAITool = Dialect{Provider: "OpenAI", Refs: true, FlatTop: true, TypeLists: true, Filled: true}

// OpenAIStrict is the dialect of an answer that is enforced while the model writes: closed objects, everything
// required, as https://platform.openai.com/docs/guides/structured-outputs says.
var OpenAIStrict = Dialect{
	Provider: "OpenAI", Refs: true, FlatTop: true, TypeLists: true, Closed: true, AllRequired: true, Declared: true,
	Keywords: set(
		"type", "title", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const",
		"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	),
}
