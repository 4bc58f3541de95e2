package acp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// Question is a question to the user in a permission request.
type Question struct {
	Header      string
	Text        string
	MultiSelect bool
	Options     []QuestionOption
}

// QuestionOption is a suggested answer. The user may always enter another one.
type QuestionOption struct{ Label, Description string }

// maxQuestions is the maximum number of questions in a request, and of options in a question.
const maxQuestions = 100

// askingTools are tools whose permission requests are questions (qwen and its forks).
var askingTools = []string{"askuserquestion"}

// Questions returns the questions in a permission request that asks for answers instead of permission: those in _meta
// of the request or of its tool call, or in the arguments of a question tool. It returns nil for other requests.
func Questions(params jsontext.Value) []Question {
	meta, call := scan.Member(params, "_meta"), scan.Member(params, "toolCall")
	callMeta := scan.Member(call, "_meta")
	for _, m := range [][]byte{meta, callMeta} {
		for _, name := range []string{"qwenQuestions", "questions"} {
			if list := questions(scan.Member(m, name)); list != nil {
				return list
			}
		}
	}
	kind, _ := scan.Text(scan.Member(meta, "qwenInteractionKind"))
	if kind == "" {
		kind, _ = scan.Text(scan.Member(callMeta, "qwenInteractionKind"))
	}
	var p transcript.ToolPatch
	toolMeta(&p, callMeta)
	name, _ := scan.Text(scan.Member(call, "name"))
	if p.Name != nil {
		name = *p.Name
	}
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	if kind == "user_question" || slices.Contains(askingTools, name) {
		return questions(scan.Member(scan.Member(call, "rawInput"), "questions"))
	}
	return nil
}

func questions(v []byte) (list []Question) {
	if len(v) == 0 || v[0] != '[' {
		return nil
	}
	for _, one := range scan.Elements(v) {
		var q Question
		q.Text, _ = scan.Text(scan.Member(one, "question"))
		q.Header, _ = scan.Text(scan.Member(one, "header"))
		q.MultiSelect = string(scan.Member(one, "multiSelect")) == "true"
		if options := scan.Member(one, "options"); len(options) > 0 && options[0] == '[' {
			for _, o := range scan.Elements(options) {
				label, ok := scan.Text(o)
				if !ok {
					label, ok = scan.Text(scan.Member(o, "label"))
				}
				description, _ := scan.Text(scan.Member(o, "description"))
				if ok && len(q.Options) < maxQuestions {
					q.Options = append(q.Options, QuestionOption{label, description})
				}
			}
		}
		if q.Text == "" && q.Header == "" {
			return nil
		}
		if list = append(list, q); len(list) == maxQuestions {
			break
		}
	}
	return list
}
