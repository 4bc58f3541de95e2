package schema

// OllamaTool is the dialect of a function's parameters: what the types of Ollama's API hold.
var OllamaTool = Dialect{
	Provider: "Ollama", Describe: true, FlatTop: true, TypeLists: true,
	Keywords: set("type", "properties", "required", "items", "anyOf", "enum", "description"),
}
