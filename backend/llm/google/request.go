package google

import (
	"strings"

	"weft/backend/llm"
	"weft/backend/llm/schema"
)

// request is what is sent, and what is known while it is made.
type request struct {
	body  body
	model string
	calls map[string]sealedCall // by our id
	tell  func(string)
}

type sealedCall struct{ id, name string }

func newRequest(req llm.Request) (*request, error) {
	r := &request{calls: map[string]sealedCall{}, model: req.Model, tell: teller(req)}
	r.body.Generation = generation{MaxTokens: min(max(req.MaxTokens, 0), 1<<30), Thinking: thinkingOf(req.Model, req.Effort, r.tell)}
	system := req.System
	if req.Output != nil {
		s, err := schema.ForOutput(*req.Output, schema.Google, req.Log)
		if err != nil {
			return nil, err
		}
		if len(req.Tools) > 0 && generationOf(req.Model) < 30 {
			// Those models take tools or a form of the answer, not both.
			r.tell("The answer format is only described in words: this model doesn't accept it together with tools.")
			system = strings.TrimSpace(system + "\n\nThe final answer must be JSON of this schema, and nothing else:\n" + string(s))
		} else {
			r.body.Generation.MIME, r.body.Generation.Schema = "application/json", s
		}
	}
	if strings.TrimSpace(system) != "" {
		r.body.System = &content{Parts: []*sentPart{plain(system)}, Role: roleUser}
	}
	if len(req.Tools) > 0 {
		r.body.Tools = []tools{toolsOf(req)}
	}
	for _, m := range req.Messages {
		c, err := r.content(m)
		if err != nil {
			return nil, err
		}
		r.body.Contents = append(r.body.Contents, c)
	}
	return r, nil
}

func toolsOf(req llm.Request) (all tools) {
	for _, t := range req.Tools {
		all.Functions = append(all.Functions, function{Name: t.Name, Description: t.Description, Schema: schema.ForTool(t, schema.Google, req.Log)})
	}
	return all
}
