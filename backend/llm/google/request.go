package google

import (
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"weft/backend/llm"
	"weft/backend/llm/schema"
)

// request is what the SDK is given, and the raw JSON that is put into the body behind it.
type request struct {
	contents []*genai.Content
	config   *genai.GenerateContentConfig
	parts    map[*genai.Part]map[string]any // fields of parts, by their names in JSON
	args     map[*genai.Part]json.RawMessage
	schemas  []json.RawMessage // of the tools
	output   json.RawMessage

	streams bool // the arguments of calls
	model   string
	calls   map[string]sealedCall // by our id
	tell    func(string)
}

type sealedCall struct{ id, name string }

func newRequest(req llm.Request) (*request, error) {
	r := &request{
		config: &genai.GenerateContentConfig{AutomaticContinuation: genai.Ptr(false), MaxOutputTokens: int32(min(max(req.MaxTokens, 0), 1<<30))},
		parts:  map[*genai.Part]map[string]any{}, args: map[*genai.Part]json.RawMessage{}, calls: map[string]sealedCall{},
		model: req.Model, tell: teller(req),
	}
	system := req.System
	if req.Output != nil {
		s, err := schema.ForOutput(*req.Output, schema.Google, req.Log)
		if err != nil {
			return nil, err
		}
		if len(req.Tools) > 0 && generation(req.Model) < 30 {
			// Those models take tools or a form of the answer, not both.
			r.tell("The answer format is only described in words: this model doesn't accept it together with tools.")
			system = strings.TrimSpace(system + "\n\nThe final answer must be JSON of this schema, and nothing else:\n" + string(s))
		} else {
			r.config.ResponseMIMEType, r.config.ResponseJsonSchema, r.output = "application/json", map[string]any{}, s
		}
	}
	if strings.TrimSpace(system) != "" {
		r.config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: system}}}
	}
	if len(req.Tools) > 0 {
		r.config.Tools = []*genai.Tool{r.tools(req)}
	}
	r.config.ThinkingConfig = thinking(req.Model, req.Effort, r.tell)
	for _, m := range req.Messages {
		c, err := r.content(m)
		if err != nil {
			return nil, err
		}
		r.contents = append(r.contents, c)
	}
	return r, nil
}

func (r *request) tools(req llm.Request) *genai.Tool {
	all := &genai.Tool{}
	for _, t := range req.Tools {
		r.schemas = append(r.schemas, schema.ForTool(t, schema.Google, req.Log))
		all.FunctionDeclarations = append(all.FunctionDeclarations, &genai.FunctionDeclaration{
			Name: t.Name, Description: t.Description, ParametersJsonSchema: map[string]any{},
		})
	}
	return all
}

// rawJSON puts into a body what the SDK's maps cannot hold: keys in their order, large numbers, signatures as they came.
func (r *request) rawJSON(body map[string]any) map[string]any {
	for i, content := range items(body["contents"]) {
		for j, part := range items(content["parts"]) {
			from := r.contents[i].Parts[j]
			for field, v := range r.parts[from] {
				part[field] = v
			}
			if call, ok := part["functionCall"].(map[string]any); ok {
				call["args"] = r.args[from]
			}
		}
	}
	for _, tool := range items(body["tools"]) {
		for i, declared := range items(tool["functionDeclarations"]) {
			declared["parametersJsonSchema"] = r.schemas[i]
		}
	}
	if r.streams && len(r.schemas) > 0 {
		body["toolConfig"] = map[string]any{"functionCallingConfig": map[string]any{streamArguments: true}}
	}
	if config, ok := body["generationConfig"].(map[string]any); ok && r.output != nil {
		config["responseJsonSchema"] = r.output
	}
	return body
}

// streamArguments is the field that asks for arguments in pieces.
const streamArguments = "streamFunctionCallArguments"

// items are the objects of a list, in either of the forms in which the SDK has them.
func items(v any) []map[string]any {
	if list, ok := v.([]map[string]any); ok {
		return list
	}
	list, _ := v.([]any)
	out := make([]map[string]any, len(list))
	for i, e := range list {
		out[i], _ = e.(map[string]any)
	}
	return out
}
