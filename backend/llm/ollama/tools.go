package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ollama/ollama/api"

	"weft/backend/llm"
	"weft/backend/llm/schema"
)

func tools(req llm.Request) (api.Tools, error) {
	var out api.Tools
	for _, t := range req.Tools {
		reduced := schema.ForTool(t, schema.OllamaTool, req.Log)
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := parameters(reduced, &tool.Function.Parameters); err != nil {
			return nil, &llm.Error{Code: llm.CodeUnmappable, Err: err, Message: fmt.Sprintf("The tool %s can't be described to the model: %v. Nothing was sent.", t.Name, err)}
		}
		if req.Log != nil {
			if kept, err := json.Marshal(tool.Function.Parameters); err == nil && bytes.Count(kept, []byte(`"required":`)) < bytes.Count(reduced, []byte(`"required":`)) {
				req.Log("Tool " + t.Name + ": Ollama doesn't receive which fields of a nested object are required.")
			}
		}
		out = append(out, tool)
	}
	return out, nil
}

// parameters reads a reduced schema into Ollama's types.
func parameters(reduced json.RawMessage, p *api.ToolFunctionParameters) error {
	var w written
	if err := json.Unmarshal(reduced, p); err != nil {
		return err
	}
	if err := json.Unmarshal(reduced, &w); err != nil {
		return err
	}
	if p.Properties == nil {
		p.Properties = api.NewToolPropertiesMap()
	}
	keepOrder(p.Properties, w.Properties)
	return nil
}

// written holds the parts of a schema that can have any kind of value in Ollama's types. They would sort its keys, and a model
// writes its fields in the order of the schema.
type written struct {
	Items      json.RawMessage    `json:"items"`
	Properties map[string]written `json:"properties"`
	AnyOf      []written          `json:"anyOf"`
}

func (w written) into(p *api.ToolProperty) {
	if w.Items != nil {
		p.Items = w.Items
	}
	keepOrder(p.Properties, w.Properties)
	for i := range min(len(p.AnyOf), len(w.AnyOf)) {
		w.AnyOf[i].into(&p.AnyOf[i])
	}
}

func keepOrder(properties *api.ToolPropertiesMap, w map[string]written) {
	for name, p := range properties.All() {
		w[name].into(&p)
		properties.Set(name, p)
	}
}
