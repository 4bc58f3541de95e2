package runs

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/transcript"
)

// Permission requests that are questions (qwen's ask_user_question) are shown as the form that other agents ask
// with, and answered as their agents want it.

// chosen is the name of the field of question i, something of the one in which the person says something else. They
// begin with a letter: in a browser names that are numbers come before all others.
func chosen(i int) string { return "answer" + strconv.Itoa(i) }

func something(i int) string { return "other" + strconv.Itoa(i) }

type dict = map[string]any

// formOf is the elicitation that asks the same.
func formOf(title string, list []acp.Question) (message string, params jsontext.Value) {
	message = cmp.Or(title, "The agent has questions.")
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
			add(chosen(i), field)
			continue
		case q.MultiSelect:
			field["type"], field["items"] = "array", dict{"anyOf": choices}
		default:
			field["oneOf"] = choices
		}
		add(chosen(i), field)
		add(something(i), dict{"type": "string", "title": "Something else"})
	}
	schema := append(append([]byte(`{"type":"object","properties":{`), properties[min(1, len(properties)):]...), "}}"...)
	params, _ = json.Marshal(struct {
		Mode    string         `json:"mode"`
		Message string         `json:"message"`
		Schema  jsontext.Value `json:"requestedSchema"`
	}{"form", message, schema})
	return message, params
}

// askedAnswer is the answer to the permission request: the option that goes on, and beside it the answers by the
// questions' places.
func askedAnswer(list []acp.Question, options []transcript.PermissionOption, a action) any {
	answer := struct {
		outcome
		Answers map[string]string `json:"answers,omitempty"`
	}{outcome: cancelledOutcome}
	choose := func(prefix string) {
		for _, o := range options {
			if strings.HasPrefix(o.Kind, prefix) {
				answer.Outcome.Outcome, answer.Outcome.OptionID = "selected", o.ID
				return
			}
		}
	}
	switch a.Action {
	case "accept":
		choose("allow")
		answer.Answers = map[string]string{}
		var content map[string]jsontext.Value
		_ = json.Unmarshal(a.Content, &content) // an object, which was checked
		for i := range list {
			var said []string
			for _, name := range []string{chosen(i), something(i)} {
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

// askQuestions puts the questions of a permission request before the user, at the agent's own call, which is the question from then on. No
// rule answers them. The lock is held.
func (l *link) askQuestions(in *acp.Inbound, req acp.PermissionRequest, list []acp.Question) {
	title := ""
	q := &question{request: in.Request, asked: list, options: req.Options}
	if req.Tool != nil {
		if req.Tool.Title != nil {
			title = *req.Tool.Title
		}
		if !l.gate.Drawn(req.Tool.ID) {
			q.tool = req.Tool.ID
		}
	}
	message, params := formOf(title, list)
	q.title = message
	l.pose(q, params, false)
}

// answeredElsewhere ends the questions of a call that the agent has ended without their answers. The lock is held.
func (s *Session) answeredElsewhere(tool string) {
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		q := s.questions[id]
		if q.tool != tool {
			continue
		}
		delete(s.questions, id)
		s.unanswered(id, q, transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}})
		q.respond(action{Action: "cancel"})
		s.changed()
	}
}

// maxPattern is how long a pattern of an agent may be to be looked at, in bytes.
const maxPattern = 4 << 10

// fits holds an answer against the patterns of the form: here, since a pattern of an agent may take for ever in
// a browser and takes linear time in Go. Patterns that Go does not know are left to the agent. The error's code
// is does_not_fit, its detail the name of the field.
func fits(schema, content jsontext.Value) error {
	var form struct {
		Properties map[string]struct {
			Pattern string `json:"pattern"`
			Title   string `json:"title"`
		} `json:"properties"`
	}
	var answers map[string]jsontext.Value
	_ = json.Unmarshal(schema, &form) // what is no form has no patterns
	_ = json.Unmarshal(content, &answers)
	for name, p := range form.Properties {
		var said string
		if p.Pattern == "" || len(p.Pattern) > maxPattern || json.Unmarshal(answers[name], &said) != nil {
			continue
		}
		if pattern, err := regexp.Compile(p.Pattern); err == nil && !pattern.MatchString(said) {
			return &Error{Code: "does_not_fit", Message: "“" + cmp.Or(p.Title, name) + "” has not the form that the agent wants.", Detail: name}
		}
	}
	return nil
}
