package schema

import (
	"encoding/json"
	"fmt"

	"weft/backend/llm"
)

// ForTool is the schema of a tool in a dialect. One that cannot be read does not stop the request: the tool is then
// offered as one that takes any object, since it looks at its input itself, and log is told.
func ForTool(t llm.Tool, d Dialect, log func(sentence string)) json.RawMessage {
	out, losses, err := Reduce(t.Schema, d)
	if err != nil {
		losses = []string{fmt.Sprintf("Its input isn't described to the model: %v.", err)}
		out = json.RawMessage(`{"type":"object"}`)
	}
	tell(log, fmt.Sprintf("Tool %s: ", t.Name), losses)
	return out
}

// ForOutput is the schema of a structured answer in a dialect.
func ForOutput(o llm.Output, d Dialect, log func(sentence string)) (json.RawMessage, error) {
	out, losses, err := Reduce(o.Schema, d)
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeUnmappable, Message: fmt.Sprintf("The answer format can't be described to %s: %v.", d.Provider, err), Err: err}
	}
	tell(log, "Form of the answer: ", losses)
	return out, nil
}

func tell(log func(string), prefix string, sentences []string) {
	for _, s := range sentences {
		if log != nil {
			log(prefix + s)
		}
	}
}
