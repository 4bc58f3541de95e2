package openai

import (
	"encoding/json"
	"fmt"

	"weft/backend/llm"
	"weft/backend/llm/schema"
)

// function is a tool as both wires describe it.
type function struct {
	name, description string
	parameters        map[string]any // of json.RawMessage
}

// functions describes the tools of a request, and tells its log what of their schemas got lost.
func functions(req llm.Request) ([]function, error) {
	var out []function
	for _, t := range req.Tools {
		f := function{name: t.Name, description: t.Description}
		var err error
		f.parameters, err = fields(schema.ForTool(t, schema.OpenAITool, req.Log))
		if err != nil {
			return nil, &llm.Error{Code: llm.CodeUnmappable, Err: err, Message: fmt.Sprintf("The tool %s can't be described to the model: %v. Nothing was sent.", t.Name, err)}
		}
		out = append(out, f)
	}
	return out, nil
}

// output is the form of a structured answer. It is enforced where its schema can be, else the model is only told about
// it.
type output struct {
	name   string
	schema map[string]any
	strict bool
}

func outputOf(req llm.Request) (*output, error) {
	if req.Output == nil {
		return nil, nil
	}
	reduced, losses, err := schema.Reduce(req.Output.Schema, schema.OpenAIStrict)
	o := &output{name: req.Output.Name, strict: len(losses) == 0}
	if err == nil && !o.strict {
		reduced = req.Output.Schema
	}
	if err == nil {
		o.schema, err = fields(reduced)
	}
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeUnmappable, Err: err, Message: fmt.Sprintf("The answer format can't be sent: %v. Nothing was sent.", err)}
	}
	return o, nil
}

// fields are an object's, each as it is written.
func fields(object json.RawMessage) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(object, &raw); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(raw))
	for name, value := range raw {
		out[name] = value
	}
	return out, nil
}
