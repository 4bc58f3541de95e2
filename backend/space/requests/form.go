package requests

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// Permission requests that are questions (qwen's ask_user_question) are shown as the form that other agents ask
// with, and answered in the form that their agents expect.

// choiceField returns the name of the field of question i, and otherField that of the field for another answer. They
// begin with a letter, because a browser sorts numeric names before all others.
func choiceField(i int) string { return "answer" + strconv.Itoa(i) }
func otherField(i int) string  { return "other" + strconv.Itoa(i) }

type dict = map[string]any

// formOf returns the elicitation that asks the same questions.
func formOf(title string, list []acp.Question) (message string, params jsontext.Value) {
	message = cmp.Or(title, fault.Text("The agent has questions."))
	if len(list) == 1 {
		message = cmp.Or(list[0].Text, list[0].Header)
	}
	var properties []byte
	add := func(name string, v dict) {
		properties = append(properties, ',')
		properties, _ = jsontext.AppendQuote(properties, name)
		raw, _ := json.Marshal(v, json.Deterministic(true))
		properties = append(append(properties, ':'), raw...)
	}
	for i, q := range list {
		name := cmp.Or(q.Text, q.Header)
		if len(list) == 1 {
			name = cmp.Or(q.Header, "Answer")
		}
		var choices []dict
		for _, o := range q.Options {
			choice := dict{"const": o.Label, "title": o.Label}
			if o.Description != "" {
				choice["description"] = o.Description
			}
			choices = append(choices, choice)
		}
		field := dict{"type": "string", "title": name}
		switch {
		case len(choices) == 0:
			add(choiceField(i), field)
			continue
		case q.MultiSelect:
			field["type"], field["items"] = "array", dict{"anyOf": choices}
		default:
			field["oneOf"] = choices
		}
		add(choiceField(i), field)
		add(otherField(i), dict{"type": "string", "title": "Something else"})
	}
	schema := append(append([]byte(`{"type":"object","properties":{`), properties[min(1, len(properties)):]...), "}}"...)
	params, _ = json.Marshal(struct {
		Mode    string         `json:"mode"`
		Message string         `json:"message"`
		Schema  jsontext.Value `json:"requestedSchema"`
	}{"form", message, schema})
	return message, params
}

// askedReply returns the response to a permission request that asks questions: an option to continue with, and the
// answers by the index of their questions.
func askedReply(list []acp.Question, options []transcript.PermissionOption, a Action) any {
	answer := struct {
		Outcome
		Answers map[string]string `json:"answers,omitempty"`
	}{Outcome: Canceled}
	choose := func(prefix string) {
		for _, o := range options {
			if strings.HasPrefix(o.Kind, prefix) {
				answer.Outcome.Outcome.Outcome, answer.Outcome.Outcome.OptionID = "selected", o.ID
				return
			}
		}
	}
	switch a.Action {
	case "accept":
		choose("allow")
		answer.Answers = map[string]string{}
		var content map[string]jsontext.Value
		_ = json.Unmarshal(a.Content, &content) // an object; checked earlier
		for i := range list {
			var said []string
			for _, name := range []string{choiceField(i), otherField(i)} {
				var one string
				var many []string
				if json.Unmarshal(content[name], &one) == nil && one != "" {
					said = append(said, one)
				} else if json.Unmarshal(content[name], &many) == nil {
					said = append(said, many...)
				}
			}
			if len(said) > 0 {
				answer.Answers[strconv.Itoa(i)] = strings.Join(said, ", ")
			}
		}
	case "decline":
		choose("reject")
	}
	return answer
}

// maxPattern is the size limit for patterns of an agent, in bytes.
const maxPattern = 4 << 10

// fits checks an answer against the patterns of the form. This is done in Go, where a pattern takes linear time; in a
// browser, an agent's pattern could take forever. Patterns that Go doesn't support are left to the agent. The error
// has the code does_not_fit and the name of the field as its detail.
func fits(schema, content jsontext.Value) error {
	var form struct {
		Properties map[string]struct {
			Pattern string `json:"pattern"`
			Title   string `json:"title"`
		} `json:"properties"`
	}
	var answers map[string]jsontext.Value
	_ = json.Unmarshal(schema, &form) // anything but a form has no patterns
	_ = json.Unmarshal(content, &answers)
	for name, p := range form.Properties {
		var said string
		if p.Pattern == "" || len(p.Pattern) > maxPattern || json.Unmarshal(answers[name], &said) != nil {
			continue
		}
		if pattern, err := regexp.Compile(p.Pattern); err == nil && !pattern.MatchString(said) {
			return fault.New("does_not_fit", "“{{title}}” has an invalid format.", cmp.Or(p.Title, name)).With(name)
		}
	}
	return nil
}
