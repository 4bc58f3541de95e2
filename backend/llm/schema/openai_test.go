package schema

import (
	"encoding/json"
	"testing"

	"weft/backend/llm/llmtest"
)

func TestOpenAITakesUsualToolsAsTheyAre(t *testing.T) {
	for _, tool := range llmtest.Tools() {
		out, losses, err := Reduce(tool.Schema, OpenAITool)
		if err != nil || len(losses) > 0 || string(out) != string(tool.Schema) {
			t.Errorf("%s: %s %q %v", tool.Name, out, losses, err)
		}
	}
}

func TestListsWithoutItemsAreFilled(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object"}`: `{"type":"object","properties":{}}`,
		`{"type":"object","properties":{"a":{"type":"array"},"enum":{"enum":[{"type":"array"}]},"b":{"anyOf":[{"type":["array","null"]},{"items":{"type":"array"}}]},"c":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"array","prefixItems":[{"type":"array"}]}}}`: `{"type":"object","properties":{"a":{"type":"array","items":{}},"enum":{"enum":[{"type":"array"}]},"b":{"anyOf":[{"type":["array","null"],"items":{}},{"items":{"type":"array","items":{}}}]},"c":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"array","prefixItems":[{"type":"array","items":{}}]}}}`,
	} {
		out, _, err := Reduce(json.RawMessage(in), OpenAITool)
		if err != nil || string(out) != want {
			t.Errorf("%s\nbecame %s\nwant   %s (%v)", in, out, want, err)
		}
	}
}
