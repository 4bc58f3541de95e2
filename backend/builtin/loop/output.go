package loop

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/backend/llm"
)

// unfit returns what is wrong with a final answer that must match a schema, or "" if it is valid or needs no schema.
func (t *run) unfit(m llm.Message) string {
	if t.Output == nil {
		return ""
	}
	const wish = " Answer again, with nothing but JSON that fits the schema."
	var value any
	if err := json.Unmarshal([]byte(strings.TrimSpace(m.Text())), &value); err != nil {
		return "The answer isn't JSON: " + err.Error() + "." + wish
	}
	var schema jsonschema.Schema
	if json.Unmarshal(t.Output.Schema, &schema) != nil {
		return ""
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return "" // an invalid schema is the caller's problem, and the provider has accepted it
	}
	if err := resolved.Validate(value); err != nil {
		return "The answer doesn't match the schema: " + err.Error() + "." + wish
	}
	return ""
}
